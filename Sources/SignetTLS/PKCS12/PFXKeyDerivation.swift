import Crypto

/// The key derivation of PKCS#12 (RFC 7292 appendix B.2).
enum PFXKeyDerivation {
    /// The use of the derived bytes (appendix B.3).
    enum Purpose: UInt8 { case key = 1, vector, mac }

    /// - Parameter iterations: at least one. The caller has already counted them.
    static func derive<H: HashFunction>(
        _: H.Type, _ purpose: Purpose, password: [UInt8], salt: [UInt8], iterations: Int, byteCount: Int
    ) -> [UInt8] {
        let size = H.blockByteCount
        let diversifier = [UInt8](repeating: purpose.rawValue, count: size)
        var input = filled(salt, toMultipleOf: size) + filled(password, toMultipleOf: size)
        var result: [UInt8] = []
        while true {
            var hash = H()
            hash.update(data: diversifier)
            hash.update(data: input)
            var digest = hash.finalize()
            for _ in 1..<max(iterations, 1) {
                digest = H.hash(data: Array(digest))
            }
            result += Array(digest)
            if result.count >= byteCount { return Array(result.prefix(byteCount)) }
            add(Array(digest), toBlocksOf: &input, size: size)
        }
    }

    /// Copies of `bytes` in sequence, cut at the end of a block.
    private static func filled(_ bytes: [UInt8], toMultipleOf size: Int) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + size - 1) / size * size
        return (0..<count).map { bytes[$0 % bytes.count] }
    }

    /// Adds the repeated digest and one to each block; all of them are big-endian numbers.
    private static func add(_ digest: [UInt8], toBlocksOf input: inout [UInt8], size: Int) {
        for start in stride(from: 0, to: input.count, by: size) {
            var carry = 1
            for place in (0..<size).reversed() {
                carry += Int(input[start + place]) + Int(digest[place % digest.count])
                input[start + place] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
        }
    }
}
