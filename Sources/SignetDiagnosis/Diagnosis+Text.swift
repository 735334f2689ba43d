extension Diagnosis {
    /// The diagnosis for a terminal of 80 columns, in plain characters without colour. It ends with the most likely
    /// cause.
    public var text: String {
        guard !findings.isEmpty else { return "Nothing was found that makes calls fail." }
        var lines: [String] = []
        for (position, finding) in findings.enumerated() {
            if position > 0 { lines.append("") }
            lines += TextBlock.lines(
                "\(finding.severity.rawValue.uppercased())  \(finding.title)", indent: 0, hanging: 2)
            lines += TextBlock.lines("Who has to act: \(finding.party.text) [\(finding.code)]", indent: 2)
            for evidence in finding.evidence { lines += TextBlock.lines("- \(evidence)", indent: 2, hanging: 4) }
            lines += TextBlock.lines("Why: \(finding.cause)", indent: 2, hanging: 4)
            lines += TextBlock.lines("Next: \(finding.nextStep)", indent: 2, hanging: 4)
            for other in finding.alternatives {
                lines += TextBlock.lines("Or \(other.code): \(other.difference)", indent: 2, hanging: 4)
            }
        }
        lines.append("")
        if let mostLikely {
            lines += TextBlock.lines("Most likely: \(mostLikely.title)", indent: 0, hanging: 2)
        } else {
            lines.append("Nothing was found that makes calls fail.")
        }
        return lines.joined(separator: "\n")
    }
}

extension Diagnosis.Finding.Party {
    /// Who it is, in words.
    package var text: String {
        switch self {
        case .us: "you, on the client's side"
        case .them: "the operator of the server"
        case .network: "the operator of the network between"
        case .either: "you or the operator of the server"
        }
    }
}

/// Breaks text into lines.
package enum TextBlock {
    static let width = 80

    /// - Parameters:
    ///   - indent: the blanks before the first line.
    ///   - hanging: those before the others; as many as before the first when nil.
    package static func lines(_ text: String, indent: Int, hanging: Int? = nil) -> [String] {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: hanging ?? indent)
                isEmpty = true
            }
            line += isEmpty ? String(word) : " \(word)"
            isEmpty = false
        }
        return lines + [line]
    }
}
