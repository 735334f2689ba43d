#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XSDDecimal {
    /// Exact unless the number is not finite.
    public init?(_ value: Decimal) { self.init("\(value)") }

    /// The same number; nil when `Decimal`, which keeps 38 digits, would lose some.
    public var foundationDecimal: Decimal? {
        // `Decimal` has an exponent of at most 127: what is longer does not fit, and is not worth a try.
        guard description.utf8.count <= 170, let value = Decimal(string: description), XSDDecimal(value) == self else {
            return nil
        }
        return value
    }
}

extension XSDBoundedInteger {
    /// Nil when the number has a fraction or is out of bounds.
    public init?(exactly value: Decimal) {
        guard let decimal = XSDDecimal(value) else { return nil }
        self.init(exactly: decimal)
    }

    /// The same number; nil when `Decimal`, which keeps 38 digits, would lose some.
    public var foundationDecimal: Decimal? { decimal.foundationDecimal }
}

extension XSDBase64Binary {
    /// A value with a copy of the bytes.
    public init(_ data: Data) { self.init([UInt8](data)) }
    /// A copy of the bytes for Foundation; they are not Base64 any more.
    public var data: Data { Data(bytes) }
}

extension XSDHexBinary {
    /// A value with a copy of the bytes.
    public init(_ data: Data) { self.init([UInt8](data)) }
    /// A copy of the bytes for Foundation; they are not hexadecimal any more.
    public var data: Data { Data(bytes) }
}
