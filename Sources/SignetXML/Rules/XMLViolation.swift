/// Where a value breaks a rule of its schema that its Swift type does not enforce.
public struct XMLViolation: Sendable, Hashable, CustomStringConvertible {
    /// The elements from the value on, and the attribute, as in `order/item[2]/@code`.
    public var path: String
    /// The facet (XML Schema Part 2 §4.3); `occurs`; `type` for a text that is no value of its built-in type, as xs:NMTOKEN with a
    /// space; `union` for a value of none of a union's member types; or `use` for a required attribute of an element that is nil.
    public var facet: String
    /// A sentence for people about the rule, such as “the schema names other values.” It repeats neither the path nor
    /// the text.
    public var message: String

    public var description: String { "\(path): \(message)" }
}

extension XMLFielded {
    /// The rules of the schema that the value breaks, 1,000 at most; none for a value that keeps to them.
    ///
    /// What Swift types enforce is not looked at: whether a number is one, or a required element is there.
    public func violations() -> [XMLViolation] {
        let checker = XMLRuleChecker()
        var writer = XMLWriter()
        writer.watch(with: checker)
        writer.element(XMLName("", "value"), self)
        return checker.violations
    }
}
