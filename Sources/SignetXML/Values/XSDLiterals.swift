/// Literals in a program's source: `quantity: 2`, `price: "129.90"`, `day: "2027-01-31"`.
///
/// They are the programmer's own words. One that is no value of its type stops the program where it stands, as an array's index
/// out of bounds does. There are no float literals for decimals: they would pass through `Double`, which cannot hold 0.1. What comes
/// from outside goes through ``XSDValue/init(parsing:)`` or an initialiser that gives an optional. Beware: Swift takes
/// `XSDDecimal("1.5")`, with a literal in the parentheses, for the literal itself, and not for `init?(_:)`.
enum XSDLiteral {
    /// Ends the program: the one place of the library that does.
    static func stop(_ literal: some CustomStringConvertible, _ type: String) -> Never {
        fatalError("the literal \(literal) in the program is no value of \(type).")
    }
}

extension XSDBoundedInteger: ExpressibleByIntegerLiteral {
    /// The number of a literal. One that is not in the type stops the program: `0` for `xs:positiveInteger`.
    public init(integerLiteral value: Int) {
        guard let number = Self(exactly: value) else { XSDLiteral.stop(value, Self.typeName) }
        self = number
    }
}

extension XSDDecimal: ExpressibleByStringLiteral {
    /// The number of a literal such as `"129.90"`. One that is no decimal stops the program.
    public init(stringLiteral text: String) {
        var copy = text
        guard let number = copy.withUTF8({ Self(lexical: $0.span) }) else {
            XSDLiteral.stop("“\(text)”", Self.typeName)
        }
        self = number
    }
}

extension XSDTemporal {
    /// The value of a literal such as `"2027-01-31"`. One that is not in the type stops the program.
    public init(stringLiteral text: String) {
        var copy = text
        guard let value = copy.withUTF8({ Self(lexical: $0.span) }) else { XSDLiteral.stop("“\(text)”", Self.typeName) }
        self = value
    }
}
