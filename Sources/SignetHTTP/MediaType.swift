/// The value of a `Content-Type` field, as far as SOAP needs it (RFC 9110 §8.3.1).
///
/// ``ParameterizedValue`` reads it. A value that is ambiguous has no type.
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case; empty when there is a ``defect``.
    package let essence: String
    /// The charset in lower case; nil when the value names none.
    package let charset: String?
    /// The action of SOAP 1.2 (RFC 3902 §2); nil when the value names none.
    package let action: String?
    /// Why the value cannot be read; nil when it can.
    package let defect: ParameterDefect?

    package init(_ value: String) {
        let length = value.utf8.count
        if let plain = Self.plain.first(where: {
            // Swift compares strings by canonical equivalence; text that only is equivalent to ASCII has more bytes.
            $0.spelling.utf8.count == length && $0.spelling == value
        }) {
            (essence, charset, action, defect) = (plain.essence, "utf-8", nil, nil)
            return
        }
        do throws(ParameterDefect) {
            let value = try ParameterizedValue(value)
            essence = value.essence
            charset = value["charset"].map(Self.charset)
            action = value["action"]
            defect = nil
        } catch {
            (essence, charset, action, defect) = ("", nil, nil, error)
        }
    }

    /// Whether services use this type for XML: text/xml, application/xml, application/soap+xml.
    package var isXML: Bool {
        essence == "text/xml" || essence == "application/xml"
            || essence.hasSuffix("+xml") && essence != "application/xhtml+xml"
    }

    /// Whether a message with this parameter `charset` is in UTF-8, as one without it may be.
    package static func isUTF8(_ charset: String?) -> Bool {
        charset.map { ["utf-8", "utf8"].contains($0.lowercased()) } ?? true
    }

    /// The values that most services send, in the most common spellings; each names UTF-8.
    private static let plain: [(spelling: String, essence: String)] = [
        ("text/xml; charset=utf-8", "text/xml"), ("text/xml;charset=utf-8", "text/xml"),
        ("text/xml; charset=UTF-8", "text/xml"), ("text/xml;charset=UTF-8", "text/xml"),
        ("application/soap+xml; charset=utf-8", "application/soap+xml"),
        ("application/soap+xml;charset=UTF-8", "application/soap+xml"),
    ]

    /// The name of a charset for a lookup: in lower case, and without the single quotes that some servers write instead
    /// of double ones.
    package static func charset(_ value: String) -> String {
        let quote = UInt8(ascii: "'")
        let bytes = value[...].utf8
        guard bytes.first == quote, bytes.dropFirst().last == quote else { return bytes.asciiLowercased }
        return bytes.dropFirst().dropLast().asciiLowercased
    }

    /// The value of a quoted string (RFC 9110 §5.6.4), or the token as it is.
    package static func unquoted(_ value: Substring) -> String {
        guard value.count > 1, value.first == "\"", value.last == "\"" else { return String(value) }
        var result = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                isEscaped = false
                result.append(character)
            }
        }
        return result
    }
}

extension StringProtocol {
    /// Without spaces and tabs at either end (RFC 9110 §5.6.3).
    var trimmedOptionalSpace: SubSequence {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
            return self[endIndex...]
        }
        return self[first...last]
    }
}
