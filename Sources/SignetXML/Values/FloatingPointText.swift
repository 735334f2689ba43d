/// A decimal number with an optional exponent, taken apart (XML Schema Part 2 §3.2.4.1).
struct FloatingPointText {
    private(set) var isNegative = false
    /// The first nineteen significant digits.
    private(set) var mantissa: UInt64 = 0
    /// The power of ten of the mantissa's last digit.
    private(set) var exponent = 0
    /// Whether a digit other than zero stands behind those of the mantissa.
    private(set) var isCut = false
    private let digits: Range<Int>

    /// Exponents beyond this are taken for it; far above the length of any text, so that no mantissa brings one back.
    private static let largestExponent = 1 << 50

    /// Nil for a text of another form; special values are not read here.
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
    /// A mantissa and a power of ten that are both exact give it in one operation; the standard library decides the rest.
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

    /// Digits that decide what a number is rounded to. No number half way between two values of `Double` has more than 768: of
    /// what follows them it matters only whether it is zero.
    private static let mostDigits = 800

    /// The same number with so few digits that its length costs nothing.
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
