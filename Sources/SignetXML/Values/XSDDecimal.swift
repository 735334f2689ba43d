/// An `xs:decimal` of any size and precision, exactly as received (XML Schema Part 2 §3.2.3).
///
/// Sums and products are exact; for anything else convert it to `Decimal`, `Double` or an integer. `Int(exactly:)` and
/// similar initializers return nil when the conversion is not exact.
public struct XSDDecimal: XSDValue, Comparable, LosslessStringConvertible, ExpressibleByIntegerLiteral {
    /// The number without superfluous zeros and without a plus sign, with a point only before a fraction: `-12.5`, `0`,
    /// `1000`. This text is written.
    public let description: String

    public static var typeName: String { "xs:decimal" }
    public static let zero: XSDDecimal = 0
    public static var _placeholder: XSDDecimal { zero }

    public init(integerLiteral value: Int) { description = String(value) }
    /// The same number, exactly, for integers of any width.
    public init(_ value: some FixedWidthInteger) { description = String(value) }

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
        let behindPoint = fraction < fractionEnd ? fractionEnd - fraction + 1 : 0
        let length = (isNegative && !isZero ? 1 : 0) + max(wholeEnd - first, 1) + behindPoint
        // Most numbers are written in the form in which they are kept. A digit is added only before a leading point;
        // otherwise characters are only omitted.
        if length == count, whole < wholeEnd {
            description = bytes.string
            return
        }
        description = String(unsafeUninitializedCapacity: length) { target in
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

    public func writeLexical(to writer: inout XMLWriter) { writer.ascii(description) }

    /// The number with a point and a digit on both sides of it, as XML Schema 1.0 requires: `1000.0` (§3.2.3.2).
    public var canonicalForm: String { isInteger ? description + ".0" : description }

    // MARK: Sign and digits

    /// The sign: -1, 0 or 1.
    public var signum: Int { description.utf8.first == UInt8(ascii: "-") ? -1 : description == "0" ? 0 : 1 }

    /// Whether there is no fraction.
    public var isInteger: Bool { !description.utf8.contains(UInt8(ascii: ".")) }

    /// The number of significant digits after the point, as the facet `fractionDigits` counts them (§4.3.12).
    public var fractionDigits: Int {
        guard let point = description.utf8.firstIndex(of: UInt8(ascii: ".")) else { return 0 }
        return description.utf8.distance(from: point, to: description.utf8.endIndex) - 1
    }

    /// The number of digits without leading zeros before the point, as the facet `totalDigits` counts them (§4.3.11): 2
    /// for `0.05`.
    public var totalDigits: Int {
        let digits = description.utf8.count { $0 &- 0x30 <= 9 }
        return digits > 1 && magnitude.utf8.first == 0x30 ? digits - 1 : digits
    }

    private var magnitude: Substring { signum < 0 ? description.dropFirst() : description[...] }

    // MARK: Order

    public static func < (left: Self, right: Self) -> Bool {
        let isNegative = left.signum < 0
        if isNegative != (right.signum < 0) { return isNegative }
        let (less, greater) = isNegative ? (right.magnitude, left.magnitude) : (left.magnitude, right.magnitude)
        return isLess(less.utf8, greater.utf8)
    }

    private static func isLess(_ a: Substring.UTF8View, _ b: Substring.UTF8View) -> Bool {
        let point = UInt8(ascii: ".")
        let (a, b) = (a.split(separator: point), b.split(separator: point))
        guard let wholeA = a.first, let wholeB = b.first else { return false }
        if wholeA.count != wholeB.count { return wholeA.count < wholeB.count }
        if !wholeA.elementsEqual(wholeB) { return wholeA.lexicographicallyPrecedes(wholeB) }
        return (a.count > 1 ? a[1] : a[0].prefix(0)).lexicographicallyPrecedes(b.count > 1 ? b[1] : b[0].prefix(0))
    }
}
