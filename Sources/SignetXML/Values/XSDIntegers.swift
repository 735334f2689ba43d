extension XSDValue where Self: FixedWidthInteger {
    /// Optional sign, decimal digits, leading zeros allowed (XML Schema Part 2 §3.3.13); out of range is not a value.
    public init?(lexical bytes: Span<UInt8>) {
        guard let value = Self.integer(bytes) else { return nil }
        self = value
    }

    /// Digits without leading zeros, and a sign only below zero: the canonical form (§3.3.13.2).
    public func writeLexical(to writer: inout XMLWriter) { writer.decimal(self) }
    public static var _placeholder: Self { 0 }
}

extension FixedWidthInteger {
    @inline(__always) static func integer(_ bytes: Span<UInt8>) -> Self? {
        var i = 0
        let count = bytes.count
        guard count > 0 else { return nil }
        let isNegative = bytes[0] == UInt8(ascii: "-")
        if isNegative || bytes[0] == UInt8(ascii: "+") { i = 1 }
        guard i < count else { return nil }
        var value: Self = 0
        while i < count {
            let digit = bytes[i] &- 0x30
            guard digit <= 9 else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, carry) =
                isNegative
                ? scaled.subtractingReportingOverflow(Self(truncatingIfNeeded: digit))
                : scaled.addingReportingOverflow(Self(truncatingIfNeeded: digit))
            if overflow || carry { return nil }
            value = next
            i &+= 1
        }
        return value
    }
}

extension Int8: XSDValue { public static var typeName: String { "xs:byte" } }
extension Int16: XSDValue { public static var typeName: String { "xs:short" } }
extension Int32: XSDValue { public static var typeName: String { "xs:int" } }
extension Int64: XSDValue { public static var typeName: String { "xs:long" } }
extension Int: XSDValue { public static var typeName: String { "xs:long" } }
extension UInt8: XSDValue { public static var typeName: String { "xs:unsignedByte" } }
extension UInt16: XSDValue { public static var typeName: String { "xs:unsignedShort" } }
extension UInt32: XSDValue { public static var typeName: String { "xs:unsignedInt" } }
extension UInt64: XSDValue { public static var typeName: String { "xs:unsignedLong" } }

extension XMLWriter {
    /// Writes an integer in its canonical form.
    mutating func decimal(_ value: some FixedWidthInteger) {
        guard value.bitWidth <= 64 else { return ascii(String(value)) }
        short {
            if value < 0 { $0.store(UInt64(UInt8(ascii: "-")), 1) }
            $0.digits(UInt64(truncatingIfNeeded: value.magnitude))
        }
    }

    /// Writes a number with at least `width` digits.
    mutating func digits(_ value: Int, width: Int) {
        if width == 2, 0..<100 ~= value { return short { $0.pair(value) } }
        if width == 4, 0..<10_000 ~= value { return short { $0.four(value) } }
        var limit = 1
        for _ in 1..<max(width, 1) { limit *= 10 }
        var missing = limit
        while missing > value && missing > 1 {
            if value < missing { raw(UInt8(ascii: "0")) }
            missing /= 10
        }
        decimal(value)
    }
}
