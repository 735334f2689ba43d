/// Literals in a program's source: `quantity: 2`, `price: "129.90"`, `day: "2027-01-31"`.
///
/// The programmer writes them. A literal that is not a value of its type stops the program, as an array index out of
/// bounds does. There are no float literals for decimals: they would pass through `Double`, which cannot represent 0.1.
/// Use ``XSDValue/init(parsing:)`` or a failable initialiser for text from outside. Beware: Swift treats
/// `XSDDecimal("1.5")`, with a literal in the parentheses, as the literal itself, and not as a call of `init?(_:)`.
enum XSDLiteral {
    /// Ends the program; this is the only place in the library that does so.
    static func stop(_ literal: some CustomStringConvertible, _ type: String) -> Never {
        fatalError("the literal \(literal) in the program is no value of \(type).")
    }
}

extension XSDBoundedInteger: ExpressibleByIntegerLiteral {
    /// Makes the number of a literal. A literal outside the type stops the program: `0` for `xs:positiveInteger`.
    public init(integerLiteral value: Int) {
        guard let number = Self(exactly: value) else { XSDLiteral.stop(value, Self.typeName) }
        self = number
    }
}

extension XSDDecimal: ExpressibleByStringLiteral {
    /// Makes the number of a literal such as `"129.90"`. A literal that is not a decimal stops the program.
    public init(stringLiteral text: String) {
        var copy = text
        guard let number = copy.withUTF8({ Self(lexical: $0.span) }) else {
            XSDLiteral.stop("“\(text)”", Self.typeName)
        }
        self = number
    }
}

extension XSDTemporal {
    /// Makes the value of a literal such as `"2027-01-31"`. A literal that is not a value of the type stops the
    /// program.
    public init(stringLiteral text: String) {
        var copy = text
        guard let value = copy.withUTF8({ Self(lexical: $0.span) }) else { XSDLiteral.stop("“\(text)”", Self.typeName) }
        self = value
    }
}
