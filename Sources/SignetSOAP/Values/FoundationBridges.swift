#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XSDDecimal {
    /// Makes a value, exact unless the number is not finite.
    public init?(_ value: Decimal) { self.init("\(value)") }

    /// The same number; nil when `Decimal`, which keeps 38 digits, would lose digits.
    public var foundationDecimal: Decimal? {
        // `Decimal` has an exponent of at most 127: longer texts do not fit, and are not parsed.
        guard description.utf8.count <= 170, let value = Decimal(string: description), XSDDecimal(value) == self else {
            return nil
        }
        return value
    }
}

extension XSDBoundedInteger {
    /// Makes a value; nil when the number has a fraction or is out of range.
    public init?(exactly value: Decimal) {
        guard let decimal = XSDDecimal(value) else { return nil }
        self.init(exactly: decimal)
    }

    /// The same number; nil when `Decimal`, which keeps 38 digits, would lose digits.
    public var foundationDecimal: Decimal? { decimal.foundationDecimal }
}

extension XSDBase64Binary {
    /// Makes a value with a copy of the bytes.
    public init(_ data: Data) { self.init([UInt8](data)) }
    /// A copy of the bytes for Foundation; they are not Base64 any more.
    public var data: Data { Data(bytes) }
}

extension XSDHexBinary {
    /// Makes a value with a copy of the bytes.
    public init(_ data: Data) { self.init([UInt8](data)) }
    /// A copy of the bytes for Foundation; they are not hexadecimal any more.
    public var data: Data { Data(bytes) }
}
