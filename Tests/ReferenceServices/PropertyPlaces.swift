@_spi(Generated) package import SignetSOAP

/// Compares where `XMLFields` finds stored properties with what the compiler says of them.
package struct PropertyPlaces: Sendable {
    package private(set) var types: [String] = []
    package private(set) var count = 0
    /// A sentence for each property that lies elsewhere, and for each type that is refused or hands over other properties.
    package private(set) var differences: [String] = []

    package init() {}

    /// - Parameter properties: the stored properties of the type, in the order in which it hands them over.
    package mutating func compare<T: XMLFielded>(_ type: T.Type, _ properties: PartialKeyPath<T>...) {
        let table = T.xmlTable
        types.append(String(reflecting: type))
        count += properties.count
        if let refusal = table.refusal { return differ("is refused: \(refusal)") }
        let found = table.propertyPlaces
        guard found.count == properties.count else {
            return differ("hands over \(found.count) properties and holds \(properties.count)")
        }
        for (number, (place, property)) in zip(found, properties).enumerated() {
            let size = Self.size(Swift.type(of: property).valueType)
            guard let offset = MemoryLayout<T>.offset(of: property) else {
                differ("has, as property \(number + 1), one that is not stored, says the compiler: \(property)")
                continue
            }
            if place != XMLPropertyPlace(offset: offset, size: size) {
                differ(
                    "has property \(number + 1), \(property), at \(offset) with \(size) bytes, says the compiler; it was "
                        + "found at \(place.offset) with \(place.size)")
            }
        }
    }

    private static func size(_ type: Any.Type) -> Int {
        func size<Value>(_ type: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }

    private mutating func differ(_ text: String) { differences.append("\(types.last ?? "") \(text).") }
}
