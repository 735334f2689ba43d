/// Makes untrusted text safe to print on a terminal.
package enum TerminalText {
    /// The text in one line: control characters, and characters that reorder or hide text, are escaped like `\u{1B}`.
    package static func line(_ text: some StringProtocol) -> String {
        escaped(text) { $0 == "\n" || $0 == "\t" ? " " : nil }
    }

    /// The same with line breaks and tabs kept, for text that has its own layout.
    package static func block(_ text: some StringProtocol) -> String {
        escaped(text) { $0 == "\n" || $0 == "\t" ? String($0) : nil }
    }

    /// The same with every line but the first indented, so that no line of a service's text can look like one of
    /// Signet's own.
    ///
    /// - Parameter limit: how many characters (Unicode scalars) are kept; the number of removed ones is appended.
    package static func indented(_ text: some StringProtocol, limit: Int = 10_000) -> String {
        let scalars = text.unicodeScalars.prefix(limit)
        let isTruncated = scalars.endIndex != text.unicodeScalars.endIndex
        var result = ""
        var isBehindReturn = false
        for scalar in scalars {
            // A line break of two characters counts once.
            if isBehindReturn, scalar != "\n" { result += line("\r") }
            isBehindReturn = scalar == "\r"
            if scalar == "\n" { result += "\n    " } else if !isBehindReturn { result += block(String(scalar)) }
        }
        if isBehindReturn { result += line("\r") }
        return isTruncated ? "\(result)… (\(text.unicodeScalars.count - limit) more characters)" : result
    }

    /// Documentation as a sentence: runs of white space count as one space.
    package static func sentence(_ text: some StringProtocol) -> String {
        line(text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }

    /// JSON without unsafe characters in its strings: they are escaped like `\u001b`, which has the same meaning.
    package static func json(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            // Outside strings, JSON allows no other control characters.
            if scalar == "\n" || !isUnsafe(scalar) {
                result.append(scalar)
            } else {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16)
                    result.append(
                        contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".unicodeScalars)
                }
            }
        }
        return String(result)
    }

    private static func escaped(
        _ text: some StringProtocol, replacing: (Unicode.Scalar) -> String?
    ) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let replacement = replacing(scalar) {
                result += replacement
            } else if isUnsafe(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Whether a character can control a terminal, or display as something else or as nothing.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Joiners are parts of words and of emoji.
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        // So are variation selectors. The pattern of Braille without dots is blank, and no space.
        default:
            scalar == "\u{2800}"
                || scalar.properties.isDefaultIgnorableCodePoint && !scalar.properties.isVariationSelector
        }
    }
}
