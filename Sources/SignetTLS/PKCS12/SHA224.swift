import Crypto

/// SHA-224 (FIPS 180-4 §6.3), which swift-crypto does not have and some PKCS#12 files use for their MAC.
struct SHA224: HashFunction {
    struct Digest: Crypto.Digest {
        static let byteCount = 28
        private let bytes: [UInt8]

        fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

        func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
            unsafe try bytes.withUnsafeBytes(body)
        }
    }

    static let blockByteCount = 64
    private var state: SIMD8<UInt32> = [
        0xc105_9ed8, 0x367c_d507, 0x3070_dd17, 0xf70e_5939, 0xffc0_0b31, 0x6858_1511, 0x64f9_8fa7, 0xbefa_4fa4,
    ]
    /// Bytes that do not fill a block yet.
    private var pending: [UInt8] = []
    private var total: UInt64 = 0

    init() {}

    mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        total &+= UInt64(bufferPointer.count)
        unsafe pending += bufferPointer
        let whole = pending.count / 64 * 64
        for start in stride(from: 0, to: whole, by: 64) { mix(pending[start..<start + 64]) }
        pending.removeFirst(whole)
    }

    func finalize() -> Digest {
        var last = self
        last.pending.append(0x80)
        last.pending += [UInt8](repeating: 0, count: (120 - last.pending.count % 64) % 64)
        last.pending.append(bigEndian: total &* 8)
        unsafe last.update(bufferPointer: UnsafeRawBufferPointer(start: nil, count: 0))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for pair in 0..<4 {
            bytes.append(bigEndian: UInt64(last.state[2 * pair]) << 32 | UInt64(last.state[2 * pair + 1]))
        }
        return Digest(bytes.dropLast(4))
    }

    /// The compression function of §6.2.2.
    private mutating func mix(_ block: ArraySlice<UInt8>) {
        unsafe withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { words in
            var byte = block.makeIterator()
            for index in 0..<16 {
                var word: UInt32 = 0
                for _ in 0..<4 { word = word << 8 | UInt32(byte.next() ?? 0) }
                unsafe words.initializeElement(at: index, to: word)
            }
            for index in 16..<64 {
                let (early, late) = unsafe (words[index - 15], words[index - 2])
                let first = turned(early, 7) ^ turned(early, 18) ^ early >> 3
                let second = turned(late, 17) ^ turned(late, 19) ^ late >> 10
                unsafe words.initializeElement(at: index, to: words[index - 16] &+ first &+ words[index - 7] &+ second)
            }
            var (a, b, c, d) = (state[0], state[1], state[2], state[3])
            var (e, f, g, h) = (state[4], state[5], state[6], state[7])
            for index in 0..<64 {
                let first =
                    unsafe h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ (e & f ^ ~e & g)
                    &+ Self.constants[index] &+ words[index]
                let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
                (h, g, f, e) = (g, f, e, d &+ first)
                (d, c, b, a) = (c, b, a, first &+ second)
            }
            state &+= [a, b, c, d, e, f, g, h]
        }
    }

    private func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
