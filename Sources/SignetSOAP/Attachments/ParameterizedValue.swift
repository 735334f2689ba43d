import HTTPTypes

/// The value of a field such as `Content-Type` or `Content-Disposition`: what it is, and parameters (RFC 2045 §5.1, RFC 2183 §2).
package struct ParameterizedValue: Sendable, Hashable {
    /// Media type or disposition, in lower case.
    package let essence: String
    /// Values by names in lower case.
    package let parameters: [String: String]

    /// Takes values with and without quotes, also those without that would need some, such as `start=<a@b>`.
    ///
    /// - Throws: ``AttachmentError`` with `malformedHeader` for a control character, a quotation that does not end, and a parameter
    ///   that is given twice with different values: who reads the first would see another message than who reads the last.
    package init(_ value: String) throws(AttachmentError) {
        if value.unicodeScalars.contains(where: \.isControl) {
            throw AttachmentError(.malformedHeader, "A field holds a control character.")
        }
        var rest = value.unicodeScalars[...]
        essence = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }.trimmed)).lowercased()
        rest = rest.drop { $0 != ";" }
        var found: [String: String] = [:]
        while !rest.isEmpty {
            rest = rest.dropFirst().drop { $0.isSpace }
            let name = String(String.UnicodeScalarView(rest.prefix { $0 != "=" && $0 != ";" }.trimmed)).lowercased()
            rest = rest.drop { $0 != "=" && $0 != ";" }
            guard rest.first == "=" else { continue }
            rest = rest.dropFirst().drop { $0.isSpace }
            let text: String
            if rest.first == "\"" {
                text = try Self.quotation(&rest)
                rest = rest.drop { $0 != ";" }
            } else {
                text = String(String.UnicodeScalarView(rest.prefix { $0 != ";" }.trimmed))
                rest = rest.drop { $0 != ";" }
            }
            if let other = found.updateValue(text, forKey: name), other != text {
                throw AttachmentError(
                    .malformedHeader, "The parameter “\(name.shown)” is given twice, with different values.")
            }
        }
        parameters = found
    }

    package subscript(_ name: String) -> String? { parameters[name] }

    /// Whether a text is a type and a subtype, with or without parameters, as one is sent (RFC 9110 §8.3.1).
    package static func isMediaType(_ text: String) -> Bool {
        guard text.isPrintableASCII, let value = try? Self(text) else { return false }
        let names = value.essence.split(separator: "/", omittingEmptySubsequences: false)
        // Names of fields are tokens too.
        return names.count == 2 && names.allSatisfy { HTTPField.Name(String($0)) != nil }
    }

    private static func quotation(_ rest: inout String.UnicodeScalarView.SubSequence) throws(AttachmentError) -> String
    {
        var text = String.UnicodeScalarView()
        rest = rest.dropFirst()
        while let next = rest.popFirst() {
            if next == "\"" { return String(text) }
            // Names of files come with single backslashes, which stand for themselves.
            if next == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                text.append(escaped)
                rest = rest.dropFirst()
            } else {
                text.append(next)
            }
        }
        throw AttachmentError(.malformedHeader, "A quoted parameter does not end.")
    }
}

extension Unicode.Scalar {
    /// Whether it could end a line or a string in somebody's hands; a tab may stand between words.
    var isControl: Bool { (value < 0x20 && value != 9) || (0x7F...0x9F).contains(value) }
    var isSpace: Bool { self == " " || self == "\t" }
}

extension String.UnicodeScalarView.SubSequence {
    /// Without spaces and tabs at either end.
    var trimmed: Self {
        var result = drop { $0.isSpace }
        while result.last?.isSpace == true { result.removeLast() }
        return result
    }
}

extension String {
    /// Whether every character is visible or a space, and of ASCII.
    var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// Fit for a message: not long, without control characters.
    var shown: String { shown(64) }

    /// A path is ours, and useless when it is cut.
    var shownPath: String { shown(4096) }

    private func shown(_ limit: Int) -> String {
        let text = String(String.UnicodeScalarView(unicodeScalars.prefix(limit).map { $0.isControl ? "?" : $0 }))
        return unicodeScalars.count > limit ? text + "…" : text
    }
}
