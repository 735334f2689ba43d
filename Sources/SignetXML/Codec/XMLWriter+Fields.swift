/// What generated code calls: one call a field.
extension XMLWriter {
    /// Writes the element with this number in the table of the structure being written.
    public mutating func field<T: XMLValue>(_ index: Int, _ value: T) {
        guard let field = element(index) else { return }
        startField(field)
        raw(UInt8(ascii: ">"))
        current = field
        value.writeLexical(to: &self)
        current = nil
        endField(field)
    }

    public mutating func field<T: XMLValue>(_ index: Int, _ value: T?) {
        if let value { field(index, value) }
    }

    public mutating func field<T: XMLValue>(_ index: Int, _ value: Nillable<T>?) {
        switch value {
        case .value(let value): field(index, value)
        case .null: null(index)
        case nil: break
        }
    }

    public mutating func field<T: XMLValue>(_ index: Int, _ values: [T]) {
        for value in values { field(index, value) }
    }

    public mutating func field<T: XMLValue>(_ index: Int, _ values: [Nillable<T>]) {
        for value in values { field(index, Optional(value)) }
    }

    public mutating func field<T: XMLStructure>(_ index: Int, _ value: T) {
        guard let field = element(index) else { return }
        startField(field)
        enter(field)
        content(of: value)
        leave()
        endField(field)
    }

    public mutating func field<T: XMLStructure>(_ index: Int, _ value: T?) {
        if let value { field(index, value) }
    }

    public mutating func field<T: XMLStructure>(_ index: Int, _ value: Nillable<T>?) {
        switch value {
        case .value(let value): field(index, value)
        case .null: null(index)
        case nil: break
        }
    }

    public mutating func field<T: XMLStructure>(_ index: Int, _ values: [T]) {
        for value in values { field(index, value) }
    }

    public mutating func field<T: XMLStructure>(_ index: Int, _ values: [Nillable<T>]) {
        for value in values { field(index, Optional(value)) }
    }

    /// Writes a required element that is nillable and has no value: `<name xsi:nil="true"></name>`.
    public mutating func nillableField<T: XMLValue>(_ index: Int, _ value: T?) {
        if let value { field(index, value) } else { null(index) }
    }

    public mutating func nillableField<T: XMLStructure>(_ index: Int, _ value: T?) {
        if let value { field(index, value) } else { null(index) }
    }

    /// Writes the attribute with this number.
    public mutating func attribute<T: XMLValue>(_ index: Int, _ value: T?) {
        guard let value, let table, table.attributes.indices.contains(index) else { return }
        startAttribute(table.attributes[index])
        current = table.attributes[index]
        value.writeLexical(to: &self)
        current = nil
        endAttribute()
    }

    /// Writes the text of simple content.
    public mutating func content<T: XMLValue>(_ value: T) { value.writeLexical(to: &self) }

    /// Writes an element with the content of a structure; `declaring` names the namespaces that what follows needs.
    public mutating func element<T: XMLStructure>(
        _ name: XMLName, _ value: T, declaring: [(prefix: String, namespace: XMLNamespace)] = []
    ) {
        // The tag is left open for the structure's attributes.
        startElement(name, declaring: declaring)
        count -= 1
        content(of: value)
        endElement(name)
    }

    private mutating func content<T: XMLStructure>(of value: T) {
        let outer = table
        table = T.xmlTable
        value.encodeAttributes(to: &self)
        raw(UInt8(ascii: ">"))
        value.encodeContent(to: &self)
        table = outer
    }

    private mutating func null(_ index: Int) {
        guard let field = element(index) else { return }
        startField(field, isNil: true)
        raw(UInt8(ascii: ">"))
        endField(field)
    }

    @inline(__always) private func element(_ index: Int) -> XMLTable.Field? {
        guard let table, table.elements.indices.contains(index) else { return nil }
        return table.elements[index]
    }
}
