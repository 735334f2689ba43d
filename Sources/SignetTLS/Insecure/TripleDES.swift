/// Triple DES (NIST SP 800-67) with two or three keys, to read files that are older than AES.
struct TripleDES: BlockCipher64 {
    private let first: DES, second: DES, third: DES

    /// - Parameter key: 16 or 24 bytes, whose parity bits are ignored; the result is nil for any other length.
    init?(key: [UInt8]) {
        guard key.count == 16 || key.count == 24 else { return nil }
        first = DES(key: UInt64(bigEndian: key[0..<8]))
        second = DES(key: UInt64(bigEndian: key[8..<16]))
        third = key.count == 24 ? DES(key: UInt64(bigEndian: key[16..<24])) : first
    }

    // Between the three rounds of DES, the final and the initial permutation cancel each other.
    func encrypted(_ block: UInt64) -> UInt64 {
        DES.finished(third.rounds(second.reversedRounds(first.rounds(DES.started(block)))))
    }

    func decrypted(_ block: UInt64) -> UInt64 {
        DES.finished(first.reversedRounds(second.rounds(third.reversedRounds(DES.started(block)))))
    }
}

/// The rounds of the Data Encryption Standard (FIPS PUB 46-3) and the permutations around them.
struct DES {
    private let keys: [UInt64]

    init(key: UInt64) {
        let chosen = Tables.permuted(key, of: 64, by: Tables.keyChoice)
        var (left, right) = (chosen >> 28, chosen & 0x0FFF_FFFF)
        var keys: [UInt64] = []
        for round in 0..<16 {
            let shift: UInt64 = [0, 1, 8, 15].contains(round) ? 1 : 2
            left = (left << shift | left >> (28 - shift)) & 0x0FFF_FFFF
            right = (right << shift | right >> (28 - shift)) & 0x0FFF_FFFF
            keys.append(Tables.permuted(left << 28 | right, of: 56, by: Tables.roundKeyChoice))
        }
        self.keys = keys
    }

    static func started(_ block: UInt64) -> UInt64 { Tables.permuted(block, of: 64, by: Tables.initial) }
    static func finished(_ block: UInt64) -> UInt64 { Tables.permuted(block, of: 64, by: Tables.final) }

    func rounds(_ block: UInt64) -> UInt64 { Self.rounds(block, keys) }
    func reversedRounds(_ block: UInt64) -> UInt64 { Self.rounds(block, keys.reversed()) }

    private static func rounds(_ block: UInt64, _ keys: some Sequence<UInt64>) -> UInt64 {
        var (left, right) = (UInt32(truncatingIfNeeded: block >> 32), UInt32(truncatingIfNeeded: block))
        for key in keys { (left, right) = (right, left ^ mixed(right, key)) }
        return UInt64(right) << 32 | UInt64(left)
    }

    /// The function f of §"The cipher function": expansion, key, substitution, permutation.
    private static func mixed(_ half: UInt32, _ key: UInt64) -> UInt32 {
        var result: UInt32 = 0
        for box in 0..<8 {
            // Each box takes six adjacent bits and shares the outer two with its neighbours.
            let turn = UInt32(4 * box + 5) & 31
            let bits = (half << turn | half >> ((32 - turn) & 31)) & 0x3F
            let index = Int(bits ^ UInt32(truncatingIfNeeded: key >> UInt64(42 - 6 * box)) & 0x3F)
            result |= Tables.substitutions[box << 6 | index]
        }
        return result
    }
}

extension DES {
    /// The tables of the standard, which counts bits from the left, starting with one.
    private enum Tables {
        static func permuted(_ value: UInt64, of width: Int, by table: [UInt8]) -> UInt64 {
            table.reduce(0) { $0 << 1 | value >> UInt64(width - Int($1)) & 1 }
        }

        static let initial: [UInt8] = [58, 60, 62, 64, 57, 59, 61, 63].flatMap { first in
            (0..<8).map { first - 8 * $0 }
        }
        static let final: [UInt8] = (0..<64).map { place in
            UInt8((initial.firstIndex(of: UInt8(place + 1)) ?? 0) + 1)
        }
        static let keyChoice: [UInt8] = [
            57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11, 3, 60, 52, 44, 36,
            63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5, 28, 20, 12, 4,
        ]
        static let roundKeyChoice: [UInt8] = [
            14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2,
            41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
        ]
        private static let permutation: [UInt8] = [
            16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10,
            2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
        ]
        /// S1 to S8, row by row, one hexadecimal digit for each entry.
        private static let boxes = [
            "e4d12fb83a6c59070f74e2d1a6cb953841e8d62bfc973a50fc8249175b3ea06d",
            "f18e6b34972dc05a3d47f28ec01a69b50e7ba4d158c6932fd8a13f42b67c05e9",
            "a09e63f51dc7b428d709346a285ecbf1d6498f30b12c5ae71ad069874fe3b52c",
            "7de3069a1285bc4fd8b56f03472c1ae9a690cb7df13e52843f06a1d8945bc72e",
            "2c417ab6853fd0e9eb2c47d150fa3986421bad78f9c5630eb8c71e2d6f09a453",
            "c1af92680d34e75baf427c9561de0b389ef528c3704a1db6432c95fabe17608d",
            "4b2ef08d3c975a61d0b7491ae35c2f8614bdc37eaf6805926bd814a7950fe23c",
            "d2846fb1a93e50c71fd8a374c56b0e927b419ce206adf35821e74a8dfc90356b",
        ]
        /// Every box followed by the permutation P, at index 64 × box.
        static let substitutions: [UInt32] = boxes.enumerated().flatMap { box, digits in
            let values = digits.utf8.map { UInt64($0 < 0x3A ? $0 - 0x30 : $0 - 0x57) }
            return (0..<64).map { index in
                // The outer bits choose the row, the inner ones the column.
                let row = (index >> 4 & 2) | (index & 1)
                let value = values[row << 4 | (index >> 1 & 15)] << UInt64(28 - 4 * box)
                return UInt32(truncatingIfNeeded: permuted(value, of: 32, by: permutation))
            }
        }
    }
}
