extension String {
    /// The text for logs and messages, which it cannot break out of: what is invisible, or changes how its surroundings
    /// look, becomes U+FFFD, and what is very long is cut.
    package var printable: String {
        let limit = 128
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
