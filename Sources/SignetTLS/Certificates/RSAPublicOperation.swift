/// `m^e mod n` with Montgomery's multiplication, for the forms of signatures that BoringSSL does not check. All its
/// numbers are public, so its time may depend on them.
struct RSAPublicOperation {
    /// The limit of the modulus. Larger keys bring no benefit here, and their cost grows with the square of their size.
    static let maximumBits = 4_096

    /// The number of bits of the modulus.
    let bits: Int
    /// The least significant limb first, as in all other numbers of this file.
    private let modulus: [UInt64]
    private let exponent: UInt64
    /// `-n⁻¹ mod 2⁶⁴`.
    private let inverse: UInt64

    /// - Parameters: both big-endian. The result is nil when they cannot be the numbers of an RSA key, or are too
    ///   large.
    init?(modulus bytes: some Collection<UInt8>, exponent: some Collection<UInt8>) {
        let digits = Array(bytes.drop { $0 == 0 })
        let short = exponent.drop { $0 == 0 }
        guard let first = digits.first, let last = digits.last, last & 1 == 1, short.count <= 5 else { return nil }
        bits = digits.count * 8 - first.leadingZeroBitCount
        self.exponent = short.reduce(0) { $0 << 8 | UInt64($1) }
        guard (512...Self.maximumBits).contains(bits), self.exponent >= 3, self.exponent & 1 == 1 else { return nil }
        modulus = Self.limbs(digits)
        // Newton's method: each step doubles the number of correct bits, beginning with three, since n·n is 1 modulo 8.
        let low = modulus[0]
        var inverse = low
        for _ in 0..<5 { inverse = inverse &* (2 &- low &* inverse) }
        self.inverse = 0 &- inverse
    }

    /// - Returns: As many bytes as the modulus has; nil when `signature` is not a number below it (RFC 8017 §5.2.2).
    func apply(to signature: ArraySlice<UInt8>) -> [UInt8]? {
        let size = (bits + 7) / 8
        guard signature.count == size else { return nil }
        let number = Self.limbs(Array(signature))
        guard number.count == modulus.count, !isAtLeastModulus(number) else { return nil }
        let base = product(number, square)
        var result = base
        for bit in (0..<(63 - exponent.leadingZeroBitCount)).reversed() {
            result = product(result, result)
            if exponent >> UInt64(bit) & 1 == 1 { result = product(result, base) }
        }
        let plain = product(result, [1] + [UInt64](repeating: 0, count: modulus.count - 1))
        return Array(
            plain.reversed().flatMap { limb in unsafe withUnsafeBytes(of: limb.bigEndian, Array.init) }.suffix(size))
    }

    /// `2^(2·64·limbs) mod n`, which converts a number into Montgomery's form.
    private var square: [UInt64] {
        let width = 64 * modulus.count
        // The highest power of two below n is doubled until it is 2^width mod n, which is one in Montgomery's form.
        var result = [UInt64](repeating: 0, count: modulus.count)
        result[modulus.count - 1] = 1 << UInt64((bits - 1) % 64)
        for _ in 0..<(width - bits + 1) { double(&result) }
        // From one, squaring and doubling lead to the power of two that is needed.
        for bit in (0..<(Int.bitWidth - width.leadingZeroBitCount)).reversed() {
            result = product(result, result)
            if width >> bit & 1 == 1 { double(&result) }
        }
        return result
    }

    private func double(_ number: inout [UInt64]) {
        var carry: UInt64 = 0
        for index in number.indices {
            let limb = number[index]
            number[index] = limb << 1 | carry
            carry = limb >> 63
        }
        if carry == 1 || isAtLeastModulus(number) { subtractModulus(from: &number) }
    }

    /// `a·b·2^(−64·limbs) mod n` (coarsely integrated operand scanning).
    private func product(_ a: [UInt64], _ b: [UInt64]) -> [UInt64] {
        var sum = [UInt64](repeating: 0, count: modulus.count + 2)
        for factor in b {
            Self.add(a, times: factor, to: &sum)
            Self.add(modulus, times: sum[0] &* inverse, to: &sum)
            sum.removeFirst()
            sum.append(0)
        }
        var result = Array(sum.prefix(modulus.count))
        if sum[modulus.count] != 0 || isAtLeastModulus(result) { subtractModulus(from: &result) }
        return result
    }

    /// `sum` has two limbs more than `a`.
    private static func add(_ a: [UInt64], times factor: UInt64, to sum: inout [UInt64]) {
        var carry: UInt64 = 0
        for (index, limb) in a.enumerated() {
            let (high, low) = limb.multipliedFullWidth(by: factor)
            let (first, overflow) = low.addingReportingOverflow(carry)
            let (second, again) = first.addingReportingOverflow(sum[index])
            sum[index] = second
            carry = high &+ (overflow ? 1 : 0) &+ (again ? 1 : 0)
        }
        let (last, overflow) = sum[a.count].addingReportingOverflow(carry)
        sum[a.count] = last
        sum[a.count + 1] &+= overflow ? 1 : 0
    }

    private func isAtLeastModulus(_ number: [UInt64]) -> Bool {
        var index = modulus.count
        while index > 0 {
            index -= 1
            if number[index] != modulus[index] { return number[index] > modulus[index] }
        }
        return true
    }

    private func subtractModulus(from number: inout [UInt64]) {
        var borrow: UInt64 = 0
        for (index, limb) in modulus.enumerated() {
            let (first, overflow) = number[index].subtractingReportingOverflow(limb)
            let (second, again) = first.subtractingReportingOverflow(borrow)
            number[index] = second
            borrow = overflow || again ? 1 : 0
        }
    }

    private static func limbs(_ bytes: [UInt8]) -> [UInt64] {
        stride(from: bytes.count, to: 0, by: -8).map { end in
            bytes[max(0, end - 8)..<end].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
