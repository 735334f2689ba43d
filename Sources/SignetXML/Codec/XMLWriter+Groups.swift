/// Writes alternatives of choices without an element of their own, and derived types.
extension XMLWriter {
    /// Writes a group of elements.
    @_spi(Generated) public mutating func group<T: XMLFielded>(_ index: Int, _ x: T) {
        if isCollected { return handOver(index, XMLCompared(x)) }
        withUnsafePointer(to: x) { members(index, T.xmlTable, UnsafeRawPointer($0)) }
    }

    @_spi(Generated) public mutating func group<T: XMLFielded>(_ index: Int, _ x: [T]) {
        for item in x { group(index, item) }
    }

    /// Writes a choice.
    @_spi(Generated) public mutating func choice<T: XMLChoice>(_ index: Int, _ x: T) {
        if isCollected { return handOver(index, x) }
        let outer = enterGroup(index, T.xmlTable)
        x.encode(to: &self)
        leaveTable(outer)
    }

    @_spi(Generated) public mutating func choices<T: XMLChoice>(_ index: Int, _ x: [T]) {
        for item in x { choice(index, item) }
    }

    package mutating func enterGroup(_ index: Int, _ table: XMLTable) -> XMLTable? {
        if isWatched { checker?.count(index) }
        return enterTable(table)
    }

    // MARK: Derived types

    /// Writes an element with the type of its value, and names the type in `xsi:type` if it is not the declared one.
    private mutating func derived(
        _ index: Int, _ value: any XMLDerivable, _ declared: (any XMLDerivable.Type)?
    ) {
        func write<T: XMLDerivable>(_ value: T, _ writer: inout XMLWriter) {
            // Content kept as it was written has its `xsi:type` among its attributes.
            let isKept = T.self == XMLAny.self
            let isSaid = isKept || declared.map { $0 == T.self } == true
            let wroteTypes = writer.writesTypes
            if isKept { writer.writesTypes = false }
            defer { writer.writesTypes = wroteTypes }
            guard writer.startStructure(index, type: isSaid ? nil : T.xmlType) else {
                return writer.handOver(index, value)
            }
            writer.content(of: value)
            writer.endStructure(index)
        }
        write(value, &self)
    }

    @_spi(Generated) public mutating func derived<Value>(
        _ index: Int, _ value: XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?
    ) {
        // Most properties have one value.
        if let value = value.value as? any XMLDerivable { return derived(index, value, declared) }
        derived(index, XMLErased(value.value), declared)
    }

    /// Writes a required element that is nillable.
    @_spi(Generated) public mutating func nillableDerived<Value>(
        _ index: Int, _ value: XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?
    ) {
        if let value = value.value as? any XMLDerivable { return derived(index, value, declared) }
        null(index, of: declared?.xmlTable)
    }

    private mutating func derived(_ index: Int, _ value: XMLErased, _ declared: (any XMLDerivable.Type)?) {
        for value in value.values {
            if let value { derived(index, value, declared) } else { null(index, of: declared?.xmlTable) }
        }
    }
}
