// Texts are split by scalars: an accent may begin a name or a word (XML 1.0 §2.3), and Swift's characters combine it
// with the space or the colon before it.

extension Unicode.Scalar {
    /// White space of XML (XML 1.0 §2.3).
    package var isXMLSpace: Bool { self == " " || self == "\n" || self == "\t" || self == "\r" }
}

extension String {
    /// The text without white space at either end.
    package var trimmedXMLSpace: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isXMLSpace }),
            let last = scalars.lastIndex(where: { !$0.isXMLSpace })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The words between white space.
    package var xmlWords: [String] { unicodeScalars.split(whereSeparator: \.isXMLSpace).map { String($0) } }

    /// The facet `whiteSpace` with the value `collapse` (XML Schema Part 2 §4.3.6).
    package var collapsedXMLSpace: String { XSDWhiteSpace.collapse.applied(to: self) }

    /// The parts of a qualified name (Namespaces in XML 1.0 §4). When nothing precedes the colon, the prefix is empty,
    /// and the local name is the whole text, which is not a valid name.
    package var qualifiedNameParts: (prefix: String, localName: String) {
        guard let colon = unicodeScalars.firstIndex(of: ":"), colon > startIndex else { return ("", self) }
        return (String(unicodeScalars[..<colon]), String(unicodeScalars[colon...].dropFirst()))
    }
}
