extension Unicode.Scalar {
    /// Whether a reader could take the character for the end of a line or a string; a tab may stand between words.
    var isControl: Bool { (value < 0x20 && value != 9) || (0x7F...0x9F).contains(value) }
    var isSpace: Bool { self == " " || self == "\t" }
}

extension String.UnicodeScalarView.SubSequence {
    /// The text without spaces and tabs at either end.
    var trimmed: Self {
        var result = drop { $0.isSpace }
        while result.last?.isSpace == true { result.removeLast() }
        return result
    }
}

extension String {
    /// Whether every character is ASCII, and visible or a space.
    var isPrintableASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// The text for an error message: shortened, without control characters.
    var shown: String { shown(64) }

    /// A path for an error message. It comes from the program, and would be useless when shortened more.
    var shownPath: String { shown(4096) }

    private func shown(_ limit: Int) -> String {
        let text = String(String.UnicodeScalarView(unicodeScalars.prefix(limit).map { $0.isControl ? "?" : $0 }))
        return unicodeScalars.count > limit ? text + "…" : text
    }
}
