/// A decimal number with an optional exponent, split into its parts (XML Schema Part 2 §3.2.4.1).
struct FloatingPointText {
    private(set) var isNegative = false
    /// The first nineteen significant digits.
    private(set) var mantissa: UInt64 = 0
    /// The power of ten of the mantissa's last digit.
    private(set) var exponent = 0
    /// Whether a digit other than zero follows those of the mantissa.
    private(set) var isCut = false
    private let digits: Range<Int>

    /// Larger exponents are reduced to this. It is far above the length of any text, so that no mantissa compensates
    /// for it.
    private static let largestExponent = 1 << 50

    /// Parses a text; nil for a text of another form. Special values are not read here.
    @inline(__always) init?(_ bytes: Span<UInt8>) {
        let count = bytes.count
        var i = 0
        if count > 0, bytes[0] == UInt8(ascii: "-") || bytes[0] == UInt8(ascii: "+") {
            isNegative = bytes[0] == UInt8(ascii: "-")
            i = 1
        }
        let first = i
        var hasDigit = false
        var hasPoint = false
        while i < count {
            let digit = bytes[i] &- 0x30
            if digit <= 9 {
                hasDigit = true
                if mantissa < 1_000_000_000_000_000_000 {
                    mantissa = mantissa &* 10 &+ UInt64(digit)
                    if hasPoint { exponent &-= 1 }
                } else {
                    if digit != 0 { isCut = true }
                    if !hasPoint { exponent &+= 1 }
                }
            } else if bytes[i] == UInt8(ascii: "."), !hasPoint {
                hasPoint = true
            } else {
                break
            }
            i &+= 1
        }
        digits = first..<i
        guard hasDigit else { return nil }
        guard i < count else { return }
        guard bytes[i] | 0x20 == UInt8(ascii: "e") else { return nil }
        i &+= 1
        var isExponentNegative = false
        if i < count, bytes[i] == UInt8(ascii: "-") || bytes[i] == UInt8(ascii: "+") {
            isExponentNegative = bytes[i] == UInt8(ascii: "-")
            i &+= 1
        }
        guard i < count else { return nil }
        var power = 0
        while i < count {
            let digit = bytes[i] &- 0x30
            guard digit <= 9 else { return nil }
            if power < Self.largestExponent { power = power &* 10 &+ Int(digit) }
            i &+= 1
        }
        exponent &+= isExponentNegative ? 0 &- power : power
    }

    /// The nearest value, ties to even (Part 2 §3.2.5).
    ///
    /// If the mantissa and the power of ten are both exact, one operation computes the value; otherwise the standard
    /// library does.
    @inline(__always) func value<T: BinaryFloatingPoint & LosslessStringConvertible>(
        _ bytes: Span<UInt8>, largestPower: Int, as type: T.Type = T.self
    ) -> T? {
        if mantissa >> UInt64(T.significandBitCount + 1) == 0, !isCut, abs(exponent) <= largestPower {
            let power = T(Self.powers[abs(exponent)])
            let magnitude = exponent < 0 ? T(mantissa) / power : T(mantissa) * power
            return isNegative ? -magnitude : magnitude
        }
        return T(bytes.count <= Self.mostDigits ? bytes.string : bounded(bytes))
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20,
        1e21, 1e22,
    ]

    /// The digits that decide how a number is rounded. No number half way between two values of `Double` has more than
    /// 768: of the following digits it matters only whether they are all zero.
    private static let mostDigits = 800

    /// The same number with a limited number of digits, so that its length costs nothing.
    private func bounded(_ bytes: Span<UInt8>) -> String {
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        var exponent = exponent
        if !isCut {
            text += String(mantissa).utf8
        } else {
            var taken = 0
            var isRestZero = true
            for i in digits where bytes[i] != UInt8(ascii: ".") && (taken > 0 || bytes[i] != 0x30) {
                taken += 1
                if taken <= Self.mostDigits {
                    text.append(bytes[i])
                    // The exponent belongs to the nineteenth digit.
                    if taken > 19 { exponent -= 1 }
                } else if bytes[i] != 0x30 {
                    isRestZero = false
                    break
                }
            }
            if !isRestZero {
                text.append(0x31)
                exponent -= 1
            }
        }
        text += "e\(min(max(exponent, -9999), 9999))".utf8
        return String(decoding: text, as: UTF8.self)
    }
}
