extension String {
    /// The text in a form that is safe in logs and messages: invisible characters, and those that change the look of
    /// other text, become U+FFFD, and a very long text is cut.
    package var printable: String { printable(limit: 128) }

    /// The same, cut after another number of characters.
    package func printable(limit: Int) -> String {
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(limit) { text.append(scalar.isPrintable ? scalar : "\u{FFFD}") }
        return String(text) + (unicodeScalars.count > limit ? "…" : "")
    }
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
