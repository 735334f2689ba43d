/// The value of a `Content-Type` field, as far as SOAP needs it (RFC 9110 §8.3.1).
package struct MediaType: Sendable, Hashable {
    /// Type and subtype in lower case.
    package let essence: String
    /// The charset in lower case; nil when none is named.
    package let charset: String?
    /// The action of SOAP 1.2 (RFC 3902 §2); nil when none is named.
    package let action: String?

    package init(_ value: String) {
        let parts = Self.split(value)
        essence = (parts.first ?? "").lowercased()
        func parameter(_ name: String) -> String? {
            parts.dropFirst().lazy.compactMap { part -> String? in
                guard let equals = part.firstIndex(of: "="), part[..<equals].lowercased() == name else { return nil }
                return Self.unquoted(part[part.index(after: equals)...])
            }.first
        }
        charset = parameter("charset").map(Self.charset)
        action = parameter("action")
    }

    /// A charset as it is looked up: in lower case, and without the single quotes that some servers write in the place of double ones.
    package static func charset(_ value: String) -> String {
        let quote: Character = "'"
        guard value.count > 1, value.first == quote, value.last == quote else { return value.lowercased() }
        return value.dropFirst().dropLast().lowercased()
    }

    /// The parts between semicolons, without white space around them. A semicolon in a quoted string is none.
    private static func split(_ value: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isEscaped = false
        for character in value.unicodeScalars {
            if character == ";", !isQuoted {
                parts.append("")
                continue
            }
            if isEscaped {
                isEscaped = false
            } else if character == "\\", isQuoted {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            }
            parts[parts.count - 1].unicodeScalars.append(character)
        }
        return parts.map { String($0.trimmedOptionalSpace) }
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
