/// An old cipher on blocks of eight bytes. These ciphers no longer protect data; Signet has them to read files.
protocol BlockCipher64 {
    func encrypted(_ block: UInt64) -> UInt64
    func decrypted(_ block: UInt64) -> UInt64
}

extension BlockCipher64 {
    /// CBC mode with the padding of RFC 8018 §6.1.1; nil when the length or the padding is wrong.
    func decryptedCBC(_ bytes: ArraySlice<UInt8>, vector: ArraySlice<UInt8>) -> [UInt8]? {
        guard vector.count == 8, !bytes.isEmpty, bytes.count.isMultiple(of: 8) else { return nil }
        var previous = UInt64(bigEndian: vector)
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
            let block = UInt64(bigEndian: bytes[start..<start + 8])
            plain.append(bigEndian: decrypted(block) ^ previous)
            previous = block
        }
        guard let count = plain.last, (1...8).contains(count), plain.suffix(Int(count)).allSatisfy({ $0 == count })
        else { return nil }
        return plain.dropLast(Int(count))
    }

    /// - Parameter vector: eight bytes.
    func encryptedCBC(_ bytes: [UInt8], vector: [UInt8]) -> [UInt8] {
        let padding = 8 - bytes.count % 8
        let padded = bytes + [UInt8](repeating: UInt8(padding), count: padding)
        var previous = UInt64(bigEndian: vector[...])
        var result: [UInt8] = []
        result.reserveCapacity(padded.count)
        for start in stride(from: 0, to: padded.count, by: 8) {
            previous = encrypted(UInt64(bigEndian: padded[start..<start + 8]) ^ previous)
            result.append(bigEndian: previous)
        }
        return result
    }
}

extension UInt64 {
    /// Up to eight bytes, the most significant first.
    init(bigEndian bytes: ArraySlice<UInt8>) {
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }
}
