/// MD4 (RFC 1320). Only NTLM's hash of a password needs it. It protects nothing by itself.
enum MD4 {
    static func hash(_ message: [UInt8]) -> [UInt8] {
        var padded = message
        padded.append(0x80)
        padded.append(contentsOf: repeatElement(0, count: (120 - padded.count % 64) % 64))
        padded += (UInt64(message.count) << 3).littleEndianBytes
        var state: (UInt32, UInt32, UInt32, UInt32) = (0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476)
        for start in stride(from: 0, to: padded.count, by: 64) { take(padded[start..<start + 64], &state) }
        return [state.0, state.1, state.2, state.3].flatMap(\.littleEndianBytes)
    }

    /// §3.4: three rounds of sixteen steps.
    private static func take(_ block: ArraySlice<UInt8>, _ state: inout (UInt32, UInt32, UInt32, UInt32)) {
        var words: [UInt32] = []
        var rest = block
        while !rest.isEmpty {
            words.append(rest.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) })
            rest = rest.dropFirst(4)
        }
        var (a, b, c, d) = state
        func step(_ mixed: UInt32, _ word: Int, _ constant: UInt32, _ bits: UInt32) {
            let sum = a &+ mixed &+ words[word] &+ constant
            (a, b, c, d) = (d, sum << bits | sum >> (32 - bits), b, c)
        }
        for index in 0..<16 { step((b & c) | (~b & d), index, 0, [3, 7, 11, 19][index % 4]) }
        for index in 0..<16 {
            step((b & c) | (b & d) | (c & d), index % 4 * 4 + index / 4, 0x5A82_7999, [3, 5, 9, 13][index % 4])
        }
        for (index, word) in [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15].enumerated() {
            step(b ^ c ^ d, word, 0x6ED9_EBA1, [3, 9, 11, 15][index % 4])
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d)
    }
}

extension FixedWidthInteger {
    var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}
