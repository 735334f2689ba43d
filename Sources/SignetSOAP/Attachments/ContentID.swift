/// The identifier of a part, without the angle brackets around it, and its URL (RFC 2392).
package enum ContentID {
    /// Makes a unique identifier.
    package static func fresh() -> String {
        func digits(_ value: UInt64) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return "\(digits(.random(in: 0 ... .max)))\(digits(.random(in: 0 ... .max)))@signet"
    }

    /// The URL that names a part: `cid:` and the identifier, in which every character is percent-encoded that some
    /// readers of URLs give a special meaning.
    package static func url(_ id: String) -> String { "cid:" + encode(id, plain: "-._~@!$*") }

    /// Percent-encodes all but letters, digits and `plain`.
    package static func encode(_ text: String, plain: String = "-._~") -> String {
        var result = ""
        for byte in text.utf8 {
            if isAlphanumeric(byte) || plain.utf8.contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += byte < 16 ? "%0" : "%"
                result += String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// The identifiers that a URL may mean, the most likely first: some senders write the identifier unchanged, percent
    /// signs included. Empty for a URL of another scheme.
    package static func candidates(_ url: String) -> [String] {
        guard url.utf8.count > 4, url.prefix(4).lowercased() == "cid:" else { return [] }
        let written = String(url.dropFirst(4))
        guard let decoded = decode(written.utf8), decoded != written else { return [written] }
        return [decoded, written]
    }

    /// The text without `<` and `>` around it.
    package static func bare(_ text: String) -> String {
        let text = String(String.UnicodeScalarView(text.unicodeScalars[...].trimmed))
        return text.hasPrefix("<") && text.hasSuffix(">") && text.utf8.count > 1
            ? String(text.dropFirst().dropLast()) : text
    }

    /// Whether an identifier can stand between angle brackets in a field.
    package static func isUsable(_ id: String) -> Bool {
        !id.isEmpty && id.unicodeScalars.allSatisfy { !$0.isControl && !$0.isSpace && $0 != "<" && $0 != ">" }
    }

    package static func decode(_ text: some Sequence<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var next = text.makeIterator()
        while let byte = next.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = next.next()?.hexDigit, let low = next.next()?.hexDigit else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

extension UInt8 {
    /// The value of the character as a hexadecimal digit.
    var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
