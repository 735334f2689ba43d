/// A text or a number that is not a value of a type.
public struct XSDValueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type's name, `xs:date`.
    public let typeName: String
    /// The given text or number; of a long text only the beginning.
    public let given: String

    init(_ given: String, _ typeName: String) {
        self.typeName = typeName
        self.given = given.utf8.count > 80 ? "\(given.prefix(40))…" : given
    }

    public var description: String { "“\(given)” is no value of \(typeName)." }
}

extension XSDValue where Self: LosslessStringConvertible {
    /// Reads a text that comes from outside; white space around it is not allowed.
    ///
    /// - Throws: ``XSDValueError`` when the text is not in the lexical space of the type.
    public init(parsing text: String) throws(XSDValueError) {
        var copy = text
        guard let value = copy.withUTF8({ Self(lexical: $0.span) }) else { throw XSDValueError(text, Self.typeName) }
        self = value
    }
}

extension XSDBoundedInteger {
    /// Makes a value of a number that comes from outside.
    ///
    /// - Throws: ``XSDValueError`` when the number is out of bounds, such as zero for `xs:positiveInteger`.
    public init(_ value: some FixedWidthInteger) throws(XSDValueError) {
        guard let number = Self(exactly: value) else { throw XSDValueError("\(value)", Self.typeName) }
        self = number
    }
}
