extension XSDFraction {
    /// The difference to a full second; nil for zero.
    var complement: XSDFraction? {
        if isZero { return nil }
        var further = furtherDigits
        guard let last = further.popLast() else { return XSDFraction(digits: Self.one - attoseconds) }
        // Each digit is subtracted from nine, the last one from ten.
        further = further.map { 0x69 &- $0 } + [0x6A &- last]
        return XSDFraction(digits: Self.one - 1 - attoseconds, further: further)
    }

    /// The sum of two fractions, and whether it exceeds a second.
    static func sum(_ left: Self, _ right: Self) -> (fraction: Self, carry: Bool) {
        let (a, b) = (left.furtherDigits, right.furtherDigits)
        var further = [UInt8](repeating: 0x30, count: max(a.count, b.count))
        var carry: UInt8 = 0
        for i in further.indices.reversed() {
            let digit = carry + (i < a.count ? a[i] &- 0x30 : 0) + (i < b.count ? b[i] &- 0x30 : 0)
            carry = digit > 9 ? 1 : 0
            further[i] = 0x30 + digit % 10
        }
        let whole = left.attoseconds + right.attoseconds + UInt64(carry)
        return (XSDFraction(digits: whole % Self.one, further: further), whole >= Self.one)
    }
}
