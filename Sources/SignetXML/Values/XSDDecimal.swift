/// An `xs:decimal` or `xs:integer` of any size, exactly as received, in canonical form (XML Schema Part 2 §3.2.3).
///
/// Signet computes nothing with it; convert it to `Decimal`, `Double` or an integer to do that.
public struct XSDDecimal: XMLValue, Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// No superfluous zero, no plus sign, a point only before a fraction: `-12.5`, `0`, `1000`.
    public let canonical: String

    public static var typeName: String { "xs:decimal" }
    public static let zero: XSDDecimal = 0
    public static var _placeholder: XSDDecimal { zero }

    public init(integerLiteral value: Int) { canonical = String(value) }
    public init(_ value: some FixedWidthInteger) { canonical = String(value) }

    /// Reads a decimal such as `-12.50`; an exponent is not allowed.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ XSDDecimal(lexical: $0.span) }) else { return nil }
        self = value
    }

    public init?(lexical bytes: Span<UInt8>) {
        var i = 0
        let count = bytes.count
        var isNegative = false
        if count > 0, bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
            isNegative = bytes[0] == UInt8(ascii: "-")
            i = 1
        }
        let whole = i
        while i < count, bytes[i] &- 0x30 <= 9 { i += 1 }
        let wholeEnd = i
        var fraction = i
        var fractionEnd = i
        if i < count, bytes[i] == UInt8(ascii: ".") {
            i += 1
            fraction = i
            while i < count, bytes[i] &- 0x30 <= 9 { i += 1 }
            fractionEnd = i
        }
        guard i == count, wholeEnd - whole + fractionEnd - fraction > 0 else { return nil }
        var first = whole
        while first < wholeEnd, bytes[first] == 0x30 { first += 1 }
        while fractionEnd > fraction, bytes[fractionEnd - 1] == 0x30 { fractionEnd -= 1 }
        let isZero = first == wholeEnd && fraction == fractionEnd
        let length = (wholeEnd - first) + (fractionEnd - fraction) + 3
        canonical = String(unsafeUninitializedCapacity: length) { target in
            var n = 0
            func put(_ byte: UInt8) {
                target[n] = byte
                n += 1
            }
            if isNegative && !isZero { put(UInt8(ascii: "-")) }
            if first == wholeEnd { put(0x30) }
            for k in first..<wholeEnd { put(bytes[k]) }
            if fraction < fractionEnd {
                put(UInt8(ascii: "."))
                for k in fraction..<fractionEnd { put(bytes[k]) }
            }
            return n
        }
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.ascii(canonical) }
    public var description: String { canonical }

    /// The nearest `Double`.
    public var doubleValue: Double { Double(canonical) ?? .nan }

    /// The same number as an integer type; nil when it has a fraction or does not fit.
    public func integer<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? { T(canonical) }

    public static func < (left: Self, right: Self) -> Bool {
        let (a, b) = (left.parts, right.parts)
        if a.isNegative != b.isNegative { return a.isNegative }
        return a.isNegative ? isLess(b, a) : isLess(a, b)
    }

    private typealias Parts = (isNegative: Bool, whole: Substring, fraction: Substring)

    private var parts: Parts {
        let isNegative = canonical.hasPrefix("-")
        let halves = (isNegative ? canonical.dropFirst() : canonical[...]).split(separator: ".")
        return (isNegative, halves.first ?? "0", halves.count > 1 ? halves[1] : "")
    }

    private static func isLess(_ a: Parts, _ b: Parts) -> Bool {
        if a.whole.utf8.count != b.whole.utf8.count { return a.whole.utf8.count < b.whole.utf8.count }
        if a.whole != b.whole { return a.whole.utf8.lexicographicallyPrecedes(b.whole.utf8) }
        return a.fraction.utf8.lexicographicallyPrecedes(b.fraction.utf8)
    }
}
