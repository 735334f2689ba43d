extension Double: XSDValue {
    public static var typeName: String { "xs:double" }

    /// A decimal number with an optional exponent, `INF`, `-INF` or `NaN` (XML Schema Part 2 §3.2.5), rounded to the
    /// nearest.
    public init?(lexical bytes: Span<UInt8>) {
        guard let value = FloatingPointText(bytes)?.value(bytes, largestPower: 22) ?? Self.special(bytes) else {
            return nil
        }
        self = value
    }
}

extension Float: XSDValue {
    public static var typeName: String { "xs:float" }

    /// A decimal number with an optional exponent, `INF`, `-INF` or `NaN` (XML Schema Part 2 §3.2.4), rounded to the
    /// nearest.
    public init?(lexical bytes: Span<UInt8>) {
        guard let value = FloatingPointText(bytes)?.value(bytes, largestPower: 10) ?? Self.special(bytes) else {
            return nil
        }
        self = value
    }
}

extension XSDValue where Self: BinaryFloatingPoint & CustomStringConvertible {
    static func special(_ bytes: Span<UInt8>) -> Self? {
        bytes.equals("INF") ? .infinity : bytes.equals("-INF") ? -.infinity : bytes.equals("NaN") ? .nan : nil
    }

    private var specialForm: StaticString? { isNaN ? "NaN" : isInfinite ? (self < 0 ? "-INF" : "INF") : nil }

    /// Writes the shortest digits that are read as this value again, in the form that Swift gives them: `0.1`, `1e+16`.
    public func writeLexical(to writer: inout XMLWriter) {
        if let specialForm { writer.raw(specialForm) } else { writer.ascii(description) }
    }

    public static var _placeholder: Self { 0 }

    /// One digit before the point, at least one after it, and an exponent: `1.0E16` (§3.2.4.2). The schema has only one
    /// zero, `0.0E0`.
    public var canonicalForm: String {
        if let specialForm { return specialForm.description }
        let parts = magnitude.description.split(separator: "e")
        let halves = (parts.first ?? "0").split(separator: ".")
        let whole = halves.first ?? "0"
        var digits = Array(whole.utf8) + (halves.count > 1 ? Array(halves[1].utf8) : [])
        var exponent = (parts.count > 1 ? Int(parts[1]) ?? 0 : 0) + whole.utf8.count - 1
        guard let first = digits.firstIndex(where: { $0 != 0x30 }) else { return "0.0E0" }
        exponent -= first
        digits.removeFirst(first)
        while digits.count > 1, digits.last == 0x30 { digits.removeLast() }
        let fraction = digits.count > 1 ? String(decoding: digits.dropFirst(), as: UTF8.self) : "0"
        return "\(self < 0 ? "-" : "")\(digits[0] - 0x30).\(fraction)E\(exponent)"
    }

    /// `NaN` equals itself and is not comparable to any other value (§3.2.4).
    public func compare(to other: Self) -> XSDOrder? {
        if isNaN || other.isNaN { return isNaN && other.isNaN ? .equal : nil }
        return self < other ? .less : self == other ? .equal : .greater
    }
}
