extension XMLValue where Self: FixedWidthInteger {
    /// Optional sign, decimal digits, leading zeros allowed (XML Schema Part 2 §3.3.13); out of range is not a value.
    public init?(lexical bytes: Span<UInt8>) {
        guard let value = Self.parse(bytes) else { return nil }
        self = value
    }

    @inline(__always) static func parse(_ bytes: Span<UInt8>) -> Self? {
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

    public func writeLexical(to writer: inout XMLWriter) { writer.decimal(self) }
    public static var _placeholder: Self { 0 }
}

extension Int8: XMLValue { public static var typeName: String { "xs:byte" } }
extension Int16: XMLValue { public static var typeName: String { "xs:short" } }
extension Int32: XMLValue { public static var typeName: String { "xs:int" } }
extension Int64: XMLValue { public static var typeName: String { "xs:long" } }
extension Int: XMLValue { public static var typeName: String { "xs:long" } }
extension UInt8: XMLValue { public static var typeName: String { "xs:unsignedByte" } }
extension UInt16: XMLValue { public static var typeName: String { "xs:unsignedShort" } }
extension UInt32: XMLValue { public static var typeName: String { "xs:unsignedInt" } }
extension UInt64: XMLValue { public static var typeName: String { "xs:unsignedLong" } }

extension XMLWriter {
    /// Writes an integer in its canonical form.
    mutating func decimal(_ value: some FixedWidthInteger) {
        reserve(40)
        var rest = value.magnitude
        if value < 0 {
            base[count] = UInt8(ascii: "-")
            count += 1
        }
        let first = count
        repeat {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
            base[count] = 0x30 &+ UInt8(truncatingIfNeeded: remainder)
            count += 1
            rest = quotient
        } while rest > 0
        var low = first
        var high = count - 1
        while low < high {
            (base[low], base[high]) = (base[high], base[low])
            low += 1
            high -= 1
        }
    }

    /// Writes a number with at least `width` digits.
    mutating func digits(_ value: Int, width: Int) {
        if width == 2, 0..<100 ~= value {
            raw(0x30 &+ UInt8(truncatingIfNeeded: value / 10))
            return raw(0x30 &+ UInt8(truncatingIfNeeded: value % 10))
        }
        if width == 4, 0..<10_000 ~= value {
            digits(value / 100, width: 2)
            return digits(value % 100, width: 2)
        }
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

extension Bool: XMLValue {
    public static var typeName: String { "xs:boolean" }
    public static var _placeholder: Bool { false }

    /// `true`, `false`, `1` or `0` (XML Schema Part 2 §3.2.2).
    public init?(lexical bytes: Span<UInt8>) {
        switch bytes.count {
        case 1 where bytes[0] == UInt8(ascii: "1"): self = true
        case 1 where bytes[0] == UInt8(ascii: "0"): self = false
        case 4 where bytes.equals("true"): self = true
        case 5 where bytes.equals("false"): self = false
        default: return nil
        }
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.raw(self ? "true" : "false") }
}

extension Span where Element == UInt8 {
    func equals(_ literal: StaticString) -> Bool {
        guard count == literal.utf8CodeUnitCount else { return false }
        for i in 0..<count where self[i] != literal.utf8Start[i] { return false }
        return true
    }

    var string: String { withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) } }
}

extension XMLValue where Self: BinaryFloatingPoint & LosslessStringConvertible {
    /// A decimal number with an optional exponent, `INF`, `-INF` or `NaN` (XML Schema Part 2 §3.2.4, §3.2.5).
    public init?(lexical bytes: Span<UInt8>) {
        if bytes.equals("INF") {
            self = .infinity
        } else if bytes.equals("-INF") {
            self = -.infinity
        } else if bytes.equals("NaN") {
            self = .nan
        } else {
            // The standard library also reads hexadecimal and “infinity”; only the schema's characters get there.
            var hasDigit = false
            for i in 0..<bytes.count {
                switch bytes[i] {
                case 0x30...0x39: hasDigit = true
                case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): break
                case UInt8(ascii: "e"), UInt8(ascii: "E"): guard hasDigit else { return nil }
                default: return nil
                }
            }
            guard hasDigit, let value = Self(bytes.string) else { return nil }
            self = value
        }
    }

    public func writeLexical(to writer: inout XMLWriter) {
        if isNaN {
            writer.raw("NaN")
        } else if isInfinite {
            writer.raw(self < 0 ? "-INF" : "INF")
        } else {
            writer.ascii(description)
        }
    }

    public static var _placeholder: Self { 0 }
}

extension Double: XMLValue { public static var typeName: String { "xs:double" } }
extension Float: XMLValue { public static var typeName: String { "xs:float" } }

extension String: XMLValue {
    public static var typeName: String { "xs:string" }
    public static var _placeholder: String { "" }
    public static var collapsesSpace: Bool { false }

    public init?(lexical bytes: Span<UInt8>) { self = bytes.string }
    public func writeLexical(to writer: inout XMLWriter) { writer.text(self) }
}
