/// Writes fields of all kinds; generated code calls these for the alternatives of choices.
extension XMLWriter {
    /// Writes the element with this number in the table of the structure being written.
    @_spi(Generated) @inline(never) public mutating func value<T: XMLValue>(_ index: Int, _ x: T) {
        T._write(x, index, to: &self)
    }

    mutating func optionalNillableValue<T: XMLValue>(_ index: Int, _ x: Nillable<T>?) {
        switch x {
        case .value(let inner): value(index, inner)
        case .null: null(index)
        case nil: break
        }
    }

    @_spi(Generated) public mutating func values<T: XMLValue>(_ index: Int, _ x: [T]) {
        for item in x { value(index, item) }
    }

    @_spi(Generated) public mutating func nillableValues<T: XMLValue>(_ index: Int, _ x: [Nillable<T>]) {
        for item in x { optionalNillableValue(index, item) }
    }

    @_spi(Generated) public mutating func structure<T: XMLFielded>(_ index: Int, _ x: T) {
        guard startStructure(index) else { return handOver(index, XMLCompared(x)) }
        content(of: x)
        endStructure(index)
    }

    mutating func optionalNillableStructure<T: XMLFielded>(_ index: Int, _ x: Nillable<T>?) {
        switch x {
        case .value(let inner): structure(index, inner)
        case .null: null(index, of: T.xmlTable)
        case nil: break
        }
    }

    @_spi(Generated) public mutating func structures<T: XMLFielded>(_ index: Int, _ x: [T]) {
        for item in x { structure(index, item) }
    }

    @_spi(Generated) public mutating func nillableStructures<T: XMLFielded>(_ index: Int, _ x: [Nillable<T>]) {
        for item in x { optionalNillableStructure(index, item) }
    }

    /// Writes a required element that is nillable and has no value: `<name xsi:nil="true"></name>`.
    @_spi(Generated) public mutating func nillableValue<T: XMLValue>(_ index: Int, _ x: T?) {
        if let x { value(index, x) } else { null(index) }
    }

    @_spi(Generated) public mutating func nillableStructure<T: XMLFielded>(_ index: Int, _ x: T?) {
        if let x { structure(index, x) } else { null(index, of: T.xmlTable) }
    }

    mutating func value<T: XMLValue>(_ part: XMLFieldPart, _ x: T) {
        switch part {
        case .element(let index): T._write(x, index, to: &self)
        case .attribute(let index): attribute(index, x)
        case .text, .anyAttributes: content(x)
        }
    }

    mutating func nillableValue<T: XMLValue>(_ part: XMLFieldPart, _ x: T?) {
        if let x { value(part, x) } else { null(part.element) }
    }

    /// Writes an element with the content of the structure.
    mutating func structure(_ index: Int, _ table: XMLTable, _ value: UnsafeRawPointer) {
        guard startStructure(index) else { return }
        content(table, value)
        endStructure(index)
    }

    /// Writes the attribute with this number.
    package mutating func attribute<T: XMLValue>(_ index: Int, _ x: T) {
        guard let table, table.attributes.indices.contains(index) else { return }
        let field = table.attributes[index]
        startAttribute(field)
        self.value(of: String(decoding: field.bytes, as: UTF8.self)) { x.writeLexical(to: &$0) }
        if field.group != 0, let form = table.form(field.group) { reform(form, behind: UInt8(ascii: "\"")) }
        if isWatched, let checker {
            let name = "@\(String(decoding: field.bytes, as: UTF8.self))"
            checker.check(lastText(behind: UInt8(ascii: "\"")), table.elements.count + index, name) {
                namespaceURI(ofPrefix: $0)
            }
        }
        endAttribute()
    }

    /// Writes the text of simple content.
    package mutating func content<T: XMLValue>(_ x: T) {
        if !T._include(x, in: &self) { x.writeLexical(to: &self) }
        if let table, let form = table.form(table.textForm) { reform(form, behind: UInt8(ascii: ">")) }
        if isWatched, let checker, let table {
            let item = table.elements.count + table.attributes.count
            checker.check(lastText(behind: UInt8(ascii: ">")), item, "") { namespaceURI(ofPrefix: $0) }
        }
    }

    /// Writes an element with the content of a structure; `declaring` names the namespaces that the content needs.
    public mutating func element<T: XMLFielded>(
        _ name: XMLName, _ value: T, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: [(name: XMLName, value: String)] = []
    ) {
        // The tag is left open for the structure's attributes.
        openElement(name, declaring: declaring) { writer in
            for (name, value) in attributes { writer.attribute(name, value) }
        }
        content(of: value)
        endElement(name)
    }

    /// Whether the only field of the structure being written is the element itself.
    var isWhole: Bool { table?.isWhole == true }

    @usableFromInline package mutating func enterTable(_ table: XMLTable) -> XMLTable? {
        let outer = self.table
        self.table = table
        if isWatched { checker?.enter(table) }
        return outer
    }

    @usableFromInline package mutating func leaveTable(_ outer: XMLTable?) {
        table = outer
        if isWatched { checker?.leave() }
    }

    /// - Parameter table: the table of the structure that is nil.
    @usableFromInline package mutating func null(_ index: Int, of table: @autoclosure () -> XMLTable? = nil) {
        let field = element(index)
        guard field != nil || takeTag() else { return handOver(index, XMLFieldCollector.Null()) }
        if let field {
            startField(field, closed: false)
            if isWatched { watch(index, field) }
        }
        attributeStart(namespace: XMLNamespace.schemaInstance.id, local: "nil".utf8)
        raw("true\"")
        closeTag()
        if isWatched, let checker, let table = table() { checker.null(table) }
        guard let field else { return }
        endField(field)
        if isWatched { checker?.end() }
    }

    /// Whether the tag is still open into which the only field of a structure is written.
    private mutating func takeTag() -> Bool {
        defer { hasOpenTag = false }
        return isWhole && hasOpenTag
    }

    // Usable from inline although nothing inlines them: they then stay functions, which makes encoding a fifth faster.
    @usableFromInline mutating func startValue(_ index: Int) -> Bool {
        guard let field = element(index) else {
            guard takeTag() else { return false }
            closeTag()
            return true
        }
        if isWatched {
            startField(field, closed: false)
            watch(index, field)
            closeTag()
        } else {
            startField(field, closed: true)
        }
        current = field
        return true
    }

    @usableFromInline mutating func endValue() {
        guard let field = current else { return }
        current = nil
        if field.pointee.group != 0, let form = table?.form(field.pointee.group) {
            reform(form, behind: UInt8(ascii: ">"))
        }
        if isWatched, let checker {
            checker.check(lastText(behind: UInt8(ascii: ">"))) { namespaceURI(ofPrefix: $0) }
            checker.end()
        }
        endField(field)
    }

    @usableFromInline mutating func startStructure(_ index: Int) -> Bool {
        guard let field = element(index) else { return takeTag() }
        startField(field, closed: false)
        enter()
        if isWatched { watch(index, field) }
        return true
    }

    /// Starts an element and writes its type.
    package mutating func startStructure(_ index: Int, type: XMLName?) -> Bool {
        let wroteTypes = writesTypes
        if type != nil { writesTypes = false }
        defer { writesTypes = wroteTypes }
        guard startStructure(index) else { return false }
        if let type { attribute(type: type) }
        return true
    }

    /// Notes that an element begins, and writes its type if it is known.
    private mutating func watch(_ index: Int, _ field: UnsafePointer<XMLTable.Field>) {
        checker?.begin(index, field.pointee)
        guard writesTypes, let types = table?.details.types, types.indices.contains(index), let type = types[index]
        else { return }
        attribute(type: type)
    }

    /// Writes `xsi:type`. Both prefixes are nearly always in scope, and bytes are copied.
    private mutating func attribute(type: XMLName) {
        guard segments.isEmpty, let prefix = prefix(of: XMLNamespace.schemaInstance.id),
            let typePrefix = self.prefix(of: type.namespace.id), XMLName.isNCName(type.localName)
        else { return attribute(.schemaType, qualifiedName: type) }
        raw(UInt8(ascii: " "))
        write(prefix: prefix, XMLName.schemaType.localName.utf8)
        raw("=\"")
        write(prefix: typePrefix, type.localName.utf8)
        raw(UInt8(ascii: "\""))
    }

    @usableFromInline package mutating func endStructure(_ index: Int) {
        guard let field = element(index) else { return }
        leave()
        endField(field)
        if isWatched { checker?.end() }
    }

    @inline(__always) func element(_ index: Int) -> UnsafePointer<XMLTable.Field>? {
        guard let table, index >= 0, index < table.elements.count else { return nil }
        return table.field(index)
    }
}
