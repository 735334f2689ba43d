/// Character classes of XML 1.0 §2.2 and §2.3, and the one pass that checks a whole document's bytes.
enum XMLCharacters {
    static let nameStart: UInt8 = 1
    static let name: UInt8 = 2
    static let space: UInt8 = 4

    /// The classes of the ASCII characters; ``isNameScalar(_:start:)`` classifies characters from 0x80 on.
    // Declared unsafe, but safe: the memory is never changed after it is made, nor released.
    nonisolated(unsafe) static let classes: UnsafePointer<UInt8> = {
        let classes = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for byte in UInt8.min...UInt8.max { (classes + Int(byte)).initialize(to: classOf(byte)) }
        return UnsafePointer(classes)
    }()

    private static func classOf(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"):
            nameStart | name
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): name
        case 0x20, 0x09, 0x0A, 0x0D: space
        default: 0
        }
    }

    /// Whether an ASCII byte may be in a name after its first character, except a colon.
    @inline(__always) static func isNameByte(_ byte: UInt8) -> Bool { classes[Int(byte)] & name != 0 }

    @inline(__always) static func isSpace(_ byte: UInt8) -> Bool {
        byte <= 0x20 && (byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09)
    }

    /// Whether a character beyond ASCII is NameStartChar or NameChar (XML 1.0 fifth edition, productions 4 and 4a).
    static func isNameScalar(_ scalar: UInt32, start: Bool) -> Bool {
        switch scalar {
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            return true
        case 0xB7, 0x300...0x36F, 0x203F...0x2040: return !start
        default: return false
        }
    }

    /// Whether a character is Char (production 2), for character references.
    static func isCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: return true
        default: return false
        }
    }

    /// The result of one pass over a document.
    struct Survey {
        /// The offset of the first byte that is not UTF-8 or not a character of XML.
        var defect: Int?
        /// Whether `]` occurs at all; if not, no text needs to be searched for `]]>`.
        var hasBracket = false
    }

    /// Checks once that all bytes are UTF-8 (RFC 3629) and only characters that XML allows.
    static func survey(_ start: UnsafePointer<UInt8>, _ count: Int) -> Survey {
        var result = Survey()
        var i = 0
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var brackets: UInt64 = 0
        var found = SIMD4<UInt64>.zero
        while i < count {
            // Most documents are long runs of ASCII: eight words at a time, with one question for all of them.
            while count &- i >= 64 {
                let place = UnsafeRawPointer(start + i)
                let words = place.loadUnaligned(as: SIMD4<UInt64>.self)
                let others = (place + 32).loadUnaligned(as: SIMD4<UInt64>.self)
                let spaces = SIMD4(repeating: ones &* 0x20)
                let suspects = (words &- spaces) | words | (others &- spaces) | others
                if (suspects[0] | suspects[1] | suspects[2] | suspects[3]) & highs != 0 { break }
                found |= marks(words) | marks(others)
                i &+= 64
            }
            while count &- i >= 8 {
                let word = UnsafeRawPointer(start + i).loadUnaligned(as: UInt64.self)
                // Set for bytes below 0x20 and bytes from 0x80 on; borrows can only add candidates, never hide one.
                if ((word &- (ones &* 0x20)) | word) & highs != 0 { break }
                let bracket = word ^ (ones &* 0x5D)
                brackets |= (bracket &- ones) & ~bracket & highs
                i &+= 8
            }
            guard i < count else { break }
            let stop = min(count, i &+ 8)
            while i < stop {
                let byte = start[i]
                if byte < 0x80 {
                    if byte < 0x20 && byte != 0x0A && byte != 0x0D && byte != 0x09 {
                        result.defect = i
                        return result
                    }
                    if byte == 0x5D { brackets = highs }
                    i &+= 1
                } else {
                    let length = sequence(start + i, count &- i)
                    if length == 0 {
                        result.defect = i
                        return result
                    }
                    i &+= length
                }
            }
        }
        result.hasBracket = (found[0] | found[1] | found[2] | found[3] | brackets) & highs != 0
        return result
    }

    /// The high bit of each byte that is `]`, and possibly of a byte after such a byte. Other bits have no meaning.
    @inline(__always) private static func marks(_ words: SIMD4<UInt64>) -> SIMD4<UInt64> {
        let others = words ^ SIMD4(repeating: 0x5D5D_5D5D_5D5D_5D5D)
        return (others &- SIMD4(repeating: 0x0101_0101_0101_0101)) & ~others
    }

    /// Describes the defect in the bytes at `p`, which ``survey(_:_:)`` has found.
    static func describe(_ p: UnsafePointer<UInt8>, _ available: Int) -> String {
        let isTail = available >= 3 && p[0] == 0xEF && p[1] == 0xBF && p[2] & 0xC0 == 0x80
        guard p[0] < 0x80 || isTail else {
            return "the byte 0x\(String(p[0], radix: 16)) is not valid UTF-8; if the document is in another encoding, "
                + "its declaration or its charset must say so."
        }
        let value = String(isTail ? scalar(p).value : UInt32(p[0]), radix: 16, uppercase: true)
        return "U+\(String(repeating: "0", count: 4 - value.count))\(value) is a character that XML does not allow."
    }

    /// The length of the valid multi-byte sequence at `p`, or zero. U+FFFE and U+FFFF are not characters of XML.
    @inline(__always) static func sequence(_ p: UnsafePointer<UInt8>, _ available: Int) -> Int {
        let lead = p[0]
        func isTail(_ index: Int) -> Bool { p[index] & 0xC0 == 0x80 }
        switch lead {
        case 0xC2...0xDF: return available >= 2 && isTail(1) ? 2 : 0
        case 0xE0...0xEF:
            guard available >= 3, isTail(1), isTail(2) else { return 0 }
            let second = p[1]
            if lead == 0xE0 && second < 0xA0 { return 0 }
            if lead == 0xED && second > 0x9F { return 0 }
            if lead == 0xEF && second == 0xBF && p[2] >= 0xBE { return 0 }
            return 3
        case 0xF0...0xF4:
            guard available >= 4, isTail(1), isTail(2), isTail(3) else { return 0 }
            if lead == 0xF0 && p[1] < 0x90 { return 0 }
            if lead == 0xF4 && p[1] > 0x8F { return 0 }
            return 4
        default: return 0
        }
    }

    /// Decodes the valid sequence at `p`.
    static func scalar(_ p: UnsafePointer<UInt8>) -> (value: UInt32, length: Int) {
        let lead = UInt32(p[0])
        switch lead {
        case 0..<0x80: return (lead, 1)
        case 0xC0..<0xE0: return ((lead & 0x1F) << 6 | UInt32(p[1] & 0x3F), 2)
        case 0xE0..<0xF0: return ((lead & 0x0F) << 12 | UInt32(p[1] & 0x3F) << 6 | UInt32(p[2] & 0x3F), 3)
        default:
            let head = (lead & 0x07) << 18 | UInt32(p[1] & 0x3F) << 12
            return (head | UInt32(p[2] & 0x3F) << 6 | UInt32(p[3] & 0x3F), 4)
        }
    }
}
