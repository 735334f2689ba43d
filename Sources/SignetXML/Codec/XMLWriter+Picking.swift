/// For handwritten choices: selects the method that fits the value of the case. Generated code names the method itself,
/// which compiles faster.
extension XMLWriter {
    @_spi(Generated) @inlinable public mutating func field<T: XMLValue>(_ index: Int, _ x: T) { value(index, x) }
    @_spi(Generated) @inlinable public mutating func field<T: XMLValue>(_ index: Int, _ x: [T]) { values(index, x) }
    @_spi(Generated) @inlinable public mutating func field<T: XMLValue>(_ index: Int, _ x: [Nillable<T>]) {
        nillableValues(index, x)
    }

    @_spi(Generated) @inlinable public mutating func field<T: XMLFielded>(_ index: Int, _ x: T) { structure(index, x) }
    @_spi(Generated) @inlinable public mutating func field<T: XMLFielded>(_ index: Int, _ x: [T]) {
        structures(index, x)
    }
    @_spi(Generated) @inlinable public mutating func field<T: XMLFielded>(_ index: Int, _ x: [Nillable<T>]) {
        nillableStructures(index, x)
    }

    @_spi(Generated) @inlinable public mutating func field<T: XMLChoice>(_ index: Int, _ x: T) { choice(index, x) }
    @_spi(Generated) @inlinable public mutating func field<T: XMLChoice>(_ index: Int, _ x: [T]) { choices(index, x) }

    @_spi(Generated) @inlinable public mutating func nillableField<T: XMLValue>(_ index: Int, _ x: T?) {
        nillableValue(index, x)
    }
    @_spi(Generated) @inlinable public mutating func nillableField<T: XMLFielded>(_ index: Int, _ x: T?) {
        nillableStructure(index, x)
    }
}
