/// Where a value breaks a rule of its schema that its Swift type does not enforce.
public struct XMLViolation: Sendable, Hashable, CustomStringConvertible {
    /// The elements from the value on, and the attribute, as in `order/item[2]/@code`.
    public var path: String
    /// The facet (XML Schema Part 2 §4.3), or `occurs`.
    public var facet: String
    public var message: String

    public var description: String { "\(path): \(message)" }
}

extension XMLStructure {
    /// The rules of the schema that the value breaks; none for a value that is valid.
    public func violations() -> [XMLViolation] { [] }
}
