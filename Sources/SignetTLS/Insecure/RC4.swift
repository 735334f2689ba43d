/// RC4, to read PKCS#12 files that are older than AES.
struct RC4 {
    private var state = Array(UInt8.min...UInt8.max)
    private var i: UInt8 = 0
    private var j: UInt8 = 0

    /// - Parameter key: 1 to 256 bytes; the result is nil for any other length.
    init?(key: [UInt8]) {
        guard (1...256).contains(key.count) else { return nil }
        var j: UInt8 = 0
        for i in 0..<256 {
            j = j &+ state[i] &+ key[i % key.count]
            state.swapAt(i, Int(j))
        }
    }

    /// Encryption and decryption are the same.
    mutating func applied(to bytes: ArraySlice<UInt8>) -> [UInt8] {
        bytes.map { byte in
            i &+= 1
            j = j &+ state[Int(i)]
            state.swapAt(Int(i), Int(j))
            return byte ^ state[Int(state[Int(i)] &+ state[Int(j)])]
        }
    }
}
