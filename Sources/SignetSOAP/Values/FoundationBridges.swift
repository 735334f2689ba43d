#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension XSDDecimal {
    /// Exact unless the number is not finite.
    public init?(_ value: Decimal) { self.init("\(value)") }

    /// Nil when the number has more digits than `Decimal` keeps.
    public var foundationDecimal: Decimal? {
        let digits = canonical.utf8.filter { (0x30...0x39).contains($0) }.count
        return digits <= 38 ? Decimal(string: canonical) : nil
    }
}

extension XSDBase64Binary {
    public init(_ data: Data) { self.init([UInt8](data)) }
    public var data: Data { Data(bytes) }
}

extension XSDHexBinary {
    public init(_ data: Data) { self.init([UInt8](data)) }
    public var data: Data { Data(bytes) }
}
