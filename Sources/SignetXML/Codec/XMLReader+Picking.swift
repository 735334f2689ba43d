/// For code that is written by hand: picks the method that fits the property. Generated code names it, which compiles faster.
extension XMLReader {
    @inlinable public mutating func field<T: XMLValue>(_ x: inout T) { value(&x) }
    @inlinable public mutating func field<T: XMLValue>(_ x: inout T?) { optionalValue(&x) }
    @inlinable public mutating func field<T: XMLValue>(_ x: inout Nillable<T>?) { optionalNillableValue(&x) }
    @inlinable public mutating func field<T: XMLValue>(_ x: inout [T]) { values(&x) }
    @inlinable public mutating func field<T: XMLValue>(_ x: inout [Nillable<T>]) { nillableValues(&x) }

    @inlinable public mutating func field<T: XMLStructure>(_ x: inout T) { structure(&x) }
    @inlinable public mutating func field<T: XMLStructure>(_ x: inout T?) { optionalStructure(&x) }
    @inlinable public mutating func field<T: XMLStructure>(_ x: inout Nillable<T>?) { optionalNillableStructure(&x) }
    @inlinable public mutating func field<T: XMLStructure>(_ x: inout [T]) { structures(&x) }
    @inlinable public mutating func field<T: XMLStructure>(_ x: inout [Nillable<T>]) { nillableStructures(&x) }

    @inlinable public mutating func field<T: XMLChoice>(_ x: inout T) { choice(&x) }
    @inlinable public mutating func field<T: XMLChoice>(_ x: inout T?) { optionalChoice(&x) }
    @inlinable public mutating func field<T: XMLChoice>(_ x: inout [T]) { choices(&x) }

    public mutating func field(_ x: inout XMLFragment) { fragment(&x) }
    public mutating func field(_ x: inout XMLFragment?) { optionalFragment(&x) }
    public mutating func field(_ x: inout [XMLFragment]) { fragments(&x) }
}
