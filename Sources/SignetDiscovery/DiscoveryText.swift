/// Rules for texts that devices send.
enum DiscoveryText {
    /// The greatest length of an endpoint address, an address, a scope or a type in bytes.
    static let longest = 2_048
}

extension StringProtocol {
    /// Whether the text is not empty, and free of white space and of characters that are blank, control a terminal or
    /// hide text.
    var isOneWord: Bool {
        !isEmpty
            && unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .surrogate, .privateUse, .unassigned, .spaceSeparator, .lineSeparator,
                    .paragraphSeparator:
                    false
                // The pattern of Braille without dots is blank, and no space.
                default: scalar != "\u{2800}" && !scalar.properties.isDefaultIgnorableCodePoint
                }
            }
    }
}

extension String {
    /// Whether the text is one word that is not longer than a device's texts may be.
    var isUsableWord: Bool { isOneWord && utf8.count <= DiscoveryText.longest }

    /// The text for an error message: invisible characters become U+FFFD, and a long text is cut.
    var printable: String {
        var text = UnicodeScalarView()
        for scalar in unicodeScalars.prefix(200) {
            text.append(scalar == " " || String(scalar).isOneWord ? scalar : "\u{FFFD}")
        }
        return String(text) + (unicodeScalars.count > 200 ? "…" : "")
    }
}
