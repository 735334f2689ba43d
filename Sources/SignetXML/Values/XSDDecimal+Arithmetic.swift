/// Sums, differences and products are exact, whatever the number of digits. There is no division, which would have to
/// round: convert to `Decimal` or `Double` for it.
extension XSDDecimal: AdditiveArithmetic {
    public static func + (left: Self, right: Self) -> Self { (ScaledDigits(left) + ScaledDigits(right)).decimal }
    public static func - (left: Self, right: Self) -> Self { left + -right }

    /// The work grows with the product of the numbers of digits.
    public static func * (left: Self, right: Self) -> Self { (ScaledDigits(left) * ScaledDigits(right)).decimal }
    /// The result has as many digits after the point as both factors together, without trailing zeros.
    public static func *= (left: inout Self, right: Self) { left = left * right }

    /// Zero stays zero: there is no negative zero.
    public static prefix func - (value: Self) -> Self {
        var digits = ScaledDigits(value)
        digits.isNegative.toggle()
        return digits.decimal
    }
}

/// A sum of numbers of one sign keeps the sign, so that it is of the same type; other results are any integer.
extension XSDBoundedInteger {
    /// The exact sum, which always belongs to the type: its numbers have one sign, or it has all numbers.
    public static func + (left: Self, right: Self) -> Self { Self(exactly: left.decimal + right.decimal) ?? left }
    /// The exact sum. Only `xs:integer` has a `-=` too: a difference may be out of the type.
    public static func += (left: inout Self, right: Self) { left = left + right }
    /// The result may be any integer, because `1 - 2` is not an `xs:positiveInteger`; `init(exactly:)` converts it back
    /// to the type if possible.
    public static func - (left: Self, right: Self) -> XSDInteger { .whole(left.decimal - right.decimal) }
    /// The work grows with the product of the numbers of digits.
    public static func * (left: Self, right: Self) -> XSDInteger { .whole(left.decimal * right.decimal) }
    /// The result may be any integer: the opposite of an `xs:positiveInteger` is negative.
    public static prefix func - (value: Self) -> XSDInteger { .whole(-value.decimal) }
}

extension XSDBoundedInteger where Bound == XSDAnyInteger {
    /// For `xs:integer` only: the difference in other types may be out of bounds.
    public static func -= (left: inout Self, right: Self) { left = left - right }
    /// For `xs:integer` only: the product of two numbers below zero is above it.
    public static func *= (left: inout Self, right: Self) { left = left * right }

    /// A number that is known to have no fraction.
    fileprivate static func whole(_ value: XSDDecimal) -> Self { Self(exactly: value) ?? 0 }
}

/// Comparison with numbers that need not be in the type: `quantity > 0` for an `xs:positiveInteger`.
extension XSDBoundedInteger {
    /// False, and not an error, for a number outside the type: `-1` in `xs:positiveInteger`.
    public static func == (left: Self, right: Int) -> Bool { left.decimal == XSDDecimal(right) }
    /// True also for a number outside the type.
    public static func != (left: Self, right: Int) -> Bool { left.decimal != XSDDecimal(right) }
    /// Exact, however many digits the number on the left has; nothing is converted to `Int`.
    public static func < (left: Self, right: Int) -> Bool { left.decimal < XSDDecimal(right) }
    /// As `count <= Int.max`, which says whether a number that is not negative fits an `Int`.
    public static func <= (left: Self, right: Int) -> Bool { left.decimal <= XSDDecimal(right) }
    /// As `count > 0`, which holds for each `xs:positiveInteger`.
    public static func > (left: Self, right: Int) -> Bool { left.decimal > XSDDecimal(right) }
    /// As `count >= 0`, which holds for each `xs:nonNegativeInteger`.
    public static func >= (left: Self, right: Int) -> Bool { left.decimal >= XSDDecimal(right) }
    public static func == (left: Int, right: Self) -> Bool { right == left }
    public static func != (left: Int, right: Self) -> Bool { right != left }
    public static func < (left: Int, right: Self) -> Bool { right > left }
    public static func <= (left: Int, right: Self) -> Bool { right >= left }
    public static func > (left: Int, right: Self) -> Bool { right < left }
    public static func >= (left: Int, right: Self) -> Bool { right <= left }
}

/// The digits of a decimal, the last one first, and the number of those after the point.
private struct ScaledDigits {
    var isNegative: Bool
    private var digits: [UInt8]
    private var scale: Int

    init(_ value: XSDDecimal) {
        isNegative = value.signum < 0
        scale = value.fractionDigits
        digits = value.description.utf8.reversed().compactMap { $0 &- 0x30 <= 9 ? $0 &- 0x30 : nil }
    }

    private init(_ digits: [UInt8], scale: Int, isNegative: Bool) {
        (self.digits, self.scale, self.isNegative) = (digits, scale, isNegative)
    }

    var decimal: XSDDecimal {
        var text: [UInt8] = isNegative ? [UInt8(ascii: "-")] : []
        let padded = digits + [UInt8](repeating: 0, count: max(0, scale + 1 - digits.count))
        for (place, digit) in padded.enumerated().reversed() {
            text.append(0x30 + digit)
            if place == scale, scale > 0 { text.append(UInt8(ascii: ".")) }
        }
        return XSDDecimal(lexical: text.span) ?? .zero
    }

    /// The same number with more digits after the point.
    private func scaled(to other: Int) -> [UInt8] { [UInt8](repeating: 0, count: max(0, other - scale)) + digits }

    static func + (left: Self, right: Self) -> Self {
        let scale = max(left.scale, right.scale)
        let (a, b) = (left.scaled(to: scale), right.scaled(to: scale))
        if left.isNegative == right.isNegative {
            return Self(sum(a, b), scale: scale, isNegative: left.isNegative)
        }
        return isLess(a, b)
            ? Self(difference(b, a), scale: scale, isNegative: right.isNegative)
            : Self(difference(a, b), scale: scale, isNegative: left.isNegative)
    }

    static func * (left: Self, right: Self) -> Self {
        var result = [UInt8](repeating: 0, count: left.digits.count + right.digits.count)
        for (i, a) in left.digits.enumerated() where a != 0 {
            var carry = 0
            for (j, b) in right.digits.enumerated() {
                let value = Int(result[i + j]) + Int(a) * Int(b) + carry
                result[i + j] = UInt8(value % 10)
                carry = value / 10
            }
            result[i + right.digits.count] = UInt8(carry)
        }
        return Self(result, scale: left.scale + right.scale, isNegative: left.isNegative != right.isNegative)
    }

    private static func digit(_ digits: [UInt8], _ place: Int) -> UInt8 { place < digits.count ? digits[place] : 0 }

    private static func sum(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var carry: UInt8 = 0
        for place in 0...max(a.count, b.count) {
            let value = digit(a, place) + digit(b, place) + carry
            result.append(value % 10)
            carry = value / 10
        }
        return result
    }

    /// The difference of a number and one that is not greater.
    private static func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var borrow: UInt8 = 0
        for place in a.indices {
            let value = 10 + a[place] - digit(b, place) - borrow
            result.append(value % 10)
            borrow = value < 10 ? 1 : 0
        }
        return result
    }

    private static func isLess(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        for place in (0..<max(a.count, b.count)).reversed() {
            let (left, right) = (digit(a, place), digit(b, place))
            if left != right { return left < right }
        }
        return false
    }
}
