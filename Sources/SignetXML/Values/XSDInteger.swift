/// The range of an integer type of any size: the bound of ``XSDBoundedInteger``.
public protocol XSDIntegerBound: Sendable {
    /// The name of the type in error messages, with the prefix `xs`: `xs:positiveInteger`.
    static var typeName: String { get }
    /// Whether numbers with this sign, -1, 0 or 1, belong to the type.
    static func allows(signum: Int) -> Bool
}

/// Any integer (XML Schema Part 2 §3.3.13).
public enum XSDAnyInteger: XSDIntegerBound {
    public static var typeName: String { "xs:integer" }
    public static func allows(signum: Int) -> Bool { true }
}

/// Zero and below (§3.3.14).
public enum XSDNotAboveZero: XSDIntegerBound {
    public static var typeName: String { "xs:nonPositiveInteger" }
    public static func allows(signum: Int) -> Bool { signum <= 0 }
}

/// Below zero (§3.3.15).
public enum XSDBelowZero: XSDIntegerBound {
    public static var typeName: String { "xs:negativeInteger" }
    public static func allows(signum: Int) -> Bool { signum < 0 }
}

/// Zero and above (§3.3.20).
public enum XSDNotBelowZero: XSDIntegerBound {
    public static var typeName: String { "xs:nonNegativeInteger" }
    public static func allows(signum: Int) -> Bool { signum >= 0 }
}

/// Above zero (§3.3.25).
public enum XSDAboveZero: XSDIntegerBound {
    public static var typeName: String { "xs:positiveInteger" }
    public static func allows(signum: Int) -> Bool { signum > 0 }
}

/// An `xs:integer`: any whole number, of any size (§3.3.13). For `xs:long` and smaller types Swift's own integers are
/// used.
public typealias XSDInteger = XSDBoundedInteger<XSDAnyInteger>
/// An `xs:nonPositiveInteger`: 0, -1, -2 and so on, without a lower bound (§3.3.14).
public typealias XSDNonPositiveInteger = XSDBoundedInteger<XSDNotAboveZero>
/// An `xs:negativeInteger`: -1, -2 and so on, without a lower bound (§3.3.15).
public typealias XSDNegativeInteger = XSDBoundedInteger<XSDBelowZero>
/// An `xs:nonNegativeInteger`: 0, 1, 2 and so on, without an upper bound (§3.3.20).
public typealias XSDNonNegativeInteger = XSDBoundedInteger<XSDNotBelowZero>
/// An `xs:positiveInteger`: 1, 2 and so on, without an upper bound (§3.3.25).
public typealias XSDPositiveInteger = XSDBoundedInteger<XSDAboveZero>

/// An integer of any size: a decimal without a fraction, perhaps of one sign only (XML Schema Part 2 §3.3.13).
///
/// Sums and products are exact; `Int(exactly:)` and similar initializers return a number to compute with, or nil when
/// it does not fit.
public struct XSDBoundedInteger<Bound: XSDIntegerBound>: XSDValue, Comparable, LosslessStringConvertible {
    /// The same number as a decimal.
    public let decimal: XSDDecimal

    /// Makes a value; nil when the number has a fraction or is out of range.
    public init?(exactly decimal: XSDDecimal) {
        guard decimal.isInteger, Bound.allows(signum: decimal.signum) else { return nil }
        self.decimal = decimal
    }

    /// Makes a value; nil when the number is out of range.
    public init?(exactly value: some FixedWidthInteger) { self.init(exactly: XSDDecimal(value)) }

    /// Makes a value; nil when the number is out of range.
    public init?(exactly value: XSDBoundedInteger<some XSDIntegerBound>) { self.init(exactly: value.decimal) }

    /// Reads a text such as `-12`; a point is not allowed, not even before zeros.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ Self(lexical: $0.span) }) else { return nil }
        self = value
    }

    public init?(lexical bytes: Span<UInt8>) {
        for i in bytes.indices where bytes[i] == UInt8(ascii: ".") { return nil }
        guard let decimal = XSDDecimal(lexical: bytes), Bound.allows(signum: decimal.signum) else { return nil }
        self.decimal = decimal
    }

    public func writeLexical(to writer: inout XMLWriter) { decimal.writeLexical(to: &writer) }
    public var description: String { decimal.description }
    public var canonicalForm: String { decimal.description }
    public static var typeName: String { Bound.typeName }

    /// The number of the type that is nearest to zero.
    public static var _placeholder: Self {
        Self(decimal: Bound.allows(signum: 0) ? 0 : Bound.allows(signum: 1) ? 1 : -1)
    }

    private init(decimal: XSDDecimal) { self.decimal = decimal }

    /// The sign: -1, 0 or 1.
    public var signum: Int { decimal.signum }
    /// The nearest `Double`, ties to even; infinite beyond its range.
    public var doubleValue: Double { decimal.doubleValue }
    /// The same number as a `Double`; nil when there is none.
    public var exactDouble: Double? { decimal.exactDouble }

    public static func < (left: Self, right: Self) -> Bool { left.decimal < right.decimal }
}

extension XSDBoundedInteger where Bound == XSDAnyInteger {
    /// The same number, which always belongs to `xs:integer`; other types have `init(exactly:)`.
    public init(_ value: some FixedWidthInteger) { decimal = XSDDecimal(value) }
}

extension FixedWidthInteger {
    /// The same number; nil when it does not fit.
    public init?(exactly value: XSDBoundedInteger<some XSDIntegerBound>) { self.init(exactly: value.decimal) }
}
