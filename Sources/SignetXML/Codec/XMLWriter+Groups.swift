/// What generated code calls for content without an element of its own, and for types that are derived.
extension XMLWriter {
    /// Writes a group of elements.
    public mutating func group<T: XMLStructure>(_ index: Int, _ x: T) {
        if isCollected { return handOver(index, x) }
        withUnsafePointer(to: x) { members(index, T.xmlTable, UnsafeRawPointer($0)) }
    }

    public mutating func group<T: XMLStructure>(_ index: Int, _ x: T?) {
        if let x { group(index, x) }
    }

    public mutating func group<T: XMLStructure>(_ index: Int, _ x: [T]) {
        for item in x { group(index, item) }
    }

    /// Writes a choice.
    public mutating func choice<T: XMLChoice>(_ index: Int, _ x: T) {
        if isCollected { return handOver(index, x) }
        let outer = enterGroup(index, T.xmlTable)
        x.encode(to: &self)
        leaveTable(outer)
    }

    public mutating func optionalChoice<T: XMLChoice>(_ index: Int, _ x: T?) {
        if let x { choice(index, x) }
    }

    public mutating func choices<T: XMLChoice>(_ index: Int, _ x: [T]) {
        for item in x { choice(index, item) }
    }

    package mutating func enterGroup(_ index: Int, _ table: XMLTable) -> XMLTable? {
        if isWatched { checker?.count(index) }
        return enterTable(table)
    }

    // MARK: Derived types

    /// Writes an element with the type that its value has; `xsi:type` says it where it is not the declared one.
    public mutating func derived(
        _ index: Int, _ value: any XMLDerivable, _ declared: (any XMLDerivable.Type)?
    ) {
        func write<T: XMLDerivable>(_ value: T, _ writer: inout XMLWriter) {
            guard writer.startStructure(index, type: declared.map { $0 == T.self } == true ? nil : T.xmlType) else {
                return writer.handOver(index, value)
            }
            writer.content(of: value)
            writer.endStructure(index)
        }
        write(value, &self)
    }

    public mutating func derived(
        _ index: Int, _ value: (any XMLDerivable)?, _ declared: (any XMLDerivable.Type)?
    ) {
        if let value { derived(index, value, declared) }
    }

    public mutating func derived(
        _ index: Int, _ values: [any XMLDerivable], _ declared: (any XMLDerivable.Type)?
    ) {
        for value in values { derived(index, value, declared) }
    }

    public mutating func derived<Value>(
        _ index: Int, _ value: Nillable<Value>?, _ declared: (any XMLDerivable.Type)?
    ) {
        guard let value else { return }
        derived(index, XMLErased(value), declared)
    }

    public mutating func derived<Value>(
        _ index: Int, _ values: [Nillable<Value>], _ declared: (any XMLDerivable.Type)?
    ) {
        derived(index, XMLErased(values), declared)
    }

    public mutating func derived<Value>(
        _ index: Int, _ value: XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?
    ) {
        derived(index, XMLErased(value.value), declared)
    }

    /// Writes a required element that is nillable.
    public mutating func nillableDerived(
        _ index: Int, _ value: (any XMLDerivable)?, _ declared: (any XMLDerivable.Type)?
    ) {
        if let value { derived(index, value, declared) } else { null(index) }
    }

    public mutating func nillableDerived<Value>(
        _ index: Int, _ value: XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?
    ) {
        let erased = XMLErased(value.value)
        if erased == .absent { null(index) } else { derived(index, erased, declared) }
    }

    private mutating func derived(_ index: Int, _ value: XMLErased, _ declared: (any XMLDerivable.Type)?) {
        for value in value.values {
            if let value { derived(index, value, declared) } else { null(index) }
        }
    }
}
