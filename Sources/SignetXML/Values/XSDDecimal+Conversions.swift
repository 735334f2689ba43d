extension FixedWidthInteger {
    /// The same number; nil when it has a fraction or does not fit.
    public init?(exactly value: XSDDecimal) {
        var text = value.description
        guard let number = text.withUTF8({ Self.integer($0.span) }) else { return nil }
        self = number
    }
}

extension XSDDecimal {
    /// The same number as an integer type; nil when it has a fraction or does not fit.
    public func integer<T: FixedWidthInteger>(as type: T.Type = T.self) -> T? { T(exactly: self) }

    /// The nearest `Double`, ties to even; infinite beyond its range. ``exactDouble`` shows whether it is the same
    /// number.
    public var doubleValue: Double {
        var text = description
        return text.withUTF8 { Double(lexical: $0.span) } ?? .nan
    }

    /// The same number as a `Double`; nil when there is none, as for `0.1`.
    public var exactDouble: Double? {
        let nearest = doubleValue
        return XSDDecimal(exactly: nearest) == self ? nearest : nil
    }

    /// Makes the exact number of a `Double`, with every digit: `0.1` has 55 after the point. Nil for infinities and
    /// `NaN`.
    public init?(exactly value: Double) {
        guard value.isFinite else { return nil }
        let bits = value.significandBitPattern
        let biased = Int(value.exponentBitPattern)
        // value = significand * 2^power; subnormal numbers lack the leading one.
        let significand = biased == 0 ? bits : bits | 1 << UInt64(Double.significandBitCount)
        let power = max(biased, 1) - 1075
        var digits = Digits(significand)
        // m / 2^k = m * 5^k / 10^k
        for _ in 0..<abs(power) { digits.multiply(by: power < 0 ? 5 : 2) }
        var text = digits.decimal
        if power < 0 {
            if text.count <= -power { text = Array(repeating: 0x30, count: 1 - power - text.count) + text }
            text.insert(UInt8(ascii: "."), at: text.count + power)
        }
        if value.sign == .minus { text.insert(UInt8(ascii: "-"), at: 0) }
        self.init(lexical: text.span)
    }

    /// A natural number of at most some hundred digits.
    private struct Digits {
        /// Nine decimal digits each, the lowest first.
        private var limbs: [UInt32] = []

        init(_ value: UInt64) {
            var rest = value
            repeat {
                limbs.append(UInt32(rest % 1_000_000_000))
                rest /= 1_000_000_000
            } while rest > 0
        }

        mutating func multiply(by factor: UInt64) {
            var carry: UInt64 = 0
            for i in limbs.indices {
                let product = UInt64(limbs[i]) * factor + carry
                limbs[i] = UInt32(product % 1_000_000_000)
                carry = product / 1_000_000_000
            }
            if carry > 0 { limbs.append(UInt32(carry)) }
        }

        /// ASCII digits, perhaps with zeros in front.
        var decimal: [UInt8] {
            var text: [UInt8] = []
            for limb in limbs {
                var rest = limb
                for _ in 0..<9 {
                    text.append(0x30 + UInt8(rest % 10))
                    rest /= 10
                }
            }
            return text.reversed()
        }
    }
}
