/// Base64, hexadecimal and PEM without Foundation.
package enum Text {
    private static let digits = Array("0123456789abcdef".utf8)
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0F)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads hexadecimal digits, with or without colons between the bytes.
    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        var nibbles: [UInt8] = []
        for character in text.utf8 where character != UInt8(ascii: ":") {
            guard let digit = digits.firstIndex(of: (0x41...0x46).contains(character) ? character | 0x20 : character)
            else { return nil }
            nibbles.append(UInt8(digit))
        }
        guard nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// Base64 with padding (RFC 4648 §4).
    package static func base64(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for position in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * position)) & 0x3F
                text.append(position <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads Base64. Line ends and blanks are skipped; the result is nil for any other character outside the alphabet.
    package static func bytes(base64 text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var digits = 0
        var padding = 0
        for character in text {
            switch character {
            case 0x09, 0x0A, 0x0D, 0x20: continue
            case UInt8(ascii: "="): padding += 1
            default:
                guard padding == 0, let value = value(ofBase64: character) else { return nil }
                bits = bits << 6 | value
                digits += 1
                if digits.isMultiple(of: 4) {
                    result += [
                        UInt8(truncatingIfNeeded: bits >> 16), UInt8(truncatingIfNeeded: bits >> 8),
                        UInt8(truncatingIfNeeded: bits),
                    ]
                    bits = 0
                }
            }
            if padding > 2 { return nil }
        }
        guard (digits + padding).isMultiple(of: 4) else { return nil }
        // Bits that no byte uses must be zero; otherwise one value would have several encodings.
        switch digits % 4 {
        case 0: if padding > 0 { return nil }
        case 2 where bits & 0x0F == 0: result.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3 where bits & 0x03 == 0:
            result += [UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2)]
        default: return nil
        }
        return result
    }

    private static func value(ofBase64 character: UInt8) -> UInt32? {
        switch character {
        case 0x41...0x5A: UInt32(character - 0x41)
        case 0x61...0x7A: UInt32(character - 0x61 + 26)
        case 0x30...0x39: UInt32(character - 0x30 + 52)
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
