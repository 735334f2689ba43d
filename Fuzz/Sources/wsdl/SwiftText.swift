/// A check of Swift source for the effects of a wrongly escaped name or text: unterminated literals and comments,
/// unmatched brackets, and characters that Swift does not use.
enum SwiftText {
    static func defect(of text: String) -> String? {
        var open: [UInt8] = []
        let bytes = Array(text.utf8)
        var i = 0
        func at(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
        while i < bytes.count {
            let byte = bytes[i]
            switch byte {
            case UInt8(ascii: "/") where at(i + 1) == UInt8(ascii: "/"):
                while i < bytes.count, bytes[i] != UInt8(ascii: "\n") { i += 1 }
            case UInt8(ascii: "/") where at(i + 1) == UInt8(ascii: "*"): return "a block comment at \(i)"
            case UInt8(ascii: "\""):
                let isLong = at(i + 1) == byte && at(i + 2) == byte
                guard let end = end(of: bytes, from: i + (isLong ? 3 : 1), isLong) else {
                    return "a literal at \(i) does not end"
                }
                i = end
            case UInt8(ascii: "`"):
                var end = i + 1
                while end < bytes.count, isWord(bytes[end]) { end += 1 }
                guard end > i + 1, at(end) == byte else { return "a backtick at \(i)" }
                i = end
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): open.append(byte)
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                let opening: UInt8 = byte == UInt8(ascii: ")") ? UInt8(ascii: "(") : byte - 2
                guard open.popLast() == opening else { return "a bracket at \(i) closes nothing" }
            case UInt8(ascii: "#"):
                let rest = String(decoding: bytes[i...].prefix(10), as: UTF8.self)
                guard ["#if", "#else", "#endif"].contains(where: rest.hasPrefix) else { return "a sign at \(i)" }
            case 0x0A, 0x20: break
            default:
                guard byte > 0x20, byte != 0x7F, byte != UInt8(ascii: "\\"), byte != UInt8(ascii: "'"),
                    byte != UInt8(ascii: ";")
                else {
                    return "the character \(byte) at \(i)"
                }
            }
            i += 1
        }
        return open.isEmpty ? nil : "a bracket does not end"
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
            || (0x61...0x7A).contains(byte)
    }

    /// The last byte of a literal; nil when it does not end, or holds code.
    private static func end(of bytes: [UInt8], from start: Int, _ isLong: Bool) -> Int? {
        var i = start
        while i < bytes.count {
            switch bytes[i] {
            case UInt8(ascii: "\\"):
                guard i + 1 < bytes.count, bytes[i + 1] != UInt8(ascii: "(") else { return nil }
                i += 1
            case UInt8(ascii: "\""):
                guard isLong else { return i }
                if i + 2 < bytes.count, bytes[i + 1] == bytes[i], bytes[i + 2] == bytes[i] { return i + 2 }
            case 0x0A where !isLong: return nil
            default: break
            }
            i += 1
        }
        return nil
    }
}
