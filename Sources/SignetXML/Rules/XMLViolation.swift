/// A place where a value breaks a rule of its schema that its Swift type does not enforce.
public struct XMLViolation: Sendable, Hashable, CustomStringConvertible {
    /// The elements from the value on, and the attribute, as in `order/item[2]/@code`.
    public var path: String
    /// The facet (XML Schema Part 2 §4.3); `occurs`; `type` for a text that is not a value of its built-in type, such
    /// as an xs:NMTOKEN with a space; `union` for a value that belongs to no member type of a union; or `use` for a
    /// required attribute of an element that is nil.
    public var facet: String
    /// A sentence for people about the rule, such as “the schema names other values.” It repeats neither the path nor
    /// the text.
    public var message: String

    public var description: String { "\(path): \(message)" }
}

extension XMLFielded {
    /// The rules of the schema that the value breaks, 1,000 at most; empty for a valid value.
    ///
    /// It does not check what Swift types enforce: that a number is a number, and that a required element is present.
    public func violations() -> [XMLViolation] {
        let checker = XMLRuleChecker()
        var writer = XMLWriter()
        writer.watch(with: checker)
        writer.element(XMLName("", "value"), self)
        return checker.violations
    }
}
