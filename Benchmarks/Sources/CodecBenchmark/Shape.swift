/// How a message is written: the same diary as different senders write it, or with other text.
///
/// All but the notes is the same in every shape. The bytes are made from what Signet writes, as text.
enum Shape: String, CaseIterable {
    /// As Signet writes it, without white space.
    case compact
    /// Every element on a line of its own, two blanks further in than its parent.
    case indented
    /// Other prefixes than those that Signet writes.
    case prefix
    /// A default namespace, which every entry declares again.
    case `default`
    /// The children of each entry in reverse order; those with the same name keep theirs.
    case order
    /// Notes of 51 characters, half of which are references.
    case escapes
    /// Notes in Greek.
    case nonascii

    func message(entries: Int) throws -> [UInt8] {
        let note: String
        switch self {
        case .escapes: note = String(repeating: "<\u{E4}&b>.", count: 8) + "\u{E4}\u{E4}c"
        case .nonascii:
            note =
                "\u{39C}\u{3B5}\u{3C4}\u{3C1}\u{3AE}\u{3B8}\u{3B7}\u{3BA}\u{3B5} \u{3BC}\u{3B5}\u{3C4}\u{3AC}"
                + " \u{3C4}\u{3BF} \u{3C0}\u{3C1}\u{3C9}\u{3B9}\u{3BD}\u{3CC} \u{3BA}\u{3B1}\u{3B9} \u{3C4}\u{3BF}\u{3BD}"
                + " \u{3C0}\u{3B5}\u{3C1}\u{3AF}\u{3C0}\u{3B1}\u{3C4}\u{3BF}"
        default: note = Sample.note
        }
        let text = String(
            decoding: try Sample.message.encode(Sample.response(entries: entries, note: note)), as: UTF8.self)
        return Array(written(text).utf8)
    }

    private func written(_ text: String) -> String {
        switch self {
        case .compact, .nonascii: text
        case .escapes: text.replacing("\u{E4}", with: "&#xE4;")
        case .prefix:
            text.replacing("<t:", with: "<ns1:").replacing("</t:", with: "</ns1:").replacing(
                "xmlns:t=", with: "xmlns:ns1="
            )
            .replacing("<soap:", with: "<SOAP-ENV:").replacing("</soap:", with: "</SOAP-ENV:")
            .replacing("xmlns:soap=", with: "xmlns:SOAP-ENV=")
        case .default:
            text.replacing(" xmlns:t=\"\(Self.types)\"", with: "")
                .replacing("<t:LogEntryQueryResponse", with: "<LogEntryQueryResponse xmlns=\"\(Self.types)\"")
                .replacing("<t:entry>", with: "<entry xmlns=\"\(Self.types)\">")
                .replacing("<t:entry ", with: "<entry xmlns=\"\(Self.types)\" ")
                .replacing("<t:", with: "<").replacing("</t:", with: "</")
        case .indented: Self.indented(text)
        case .order: Self.reversed(text)
        }
    }

    private static let types = "urn:signet:example:webease:types"

    /// Puts white space where an element holds elements.
    private static func indented(_ text: String) -> String {
        var result = ""
        var depth = 0
        var isAfterEnd = false
        for piece in text.split(separator: "<") {
            let isEnd = piece.hasPrefix("/")
            if isEnd { depth -= 1 }
            // An end tag that follows a start tag closes an element of text.
            if !result.isEmpty, !isEnd || isAfterEnd { result += "\n" + String(repeating: "  ", count: depth) }
            result += "<" + piece
            if !isEnd, !piece.hasPrefix("?"), !piece.hasSuffix("/>") { depth += 1 }
            isAfterEnd = isEnd || piece.hasSuffix("/>")
        }
        return result + "\n"
    }

    /// Turns round the children of every entry.
    private static func reversed(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "<t:entry") {
            let body = rest[start.upperBound...]
            guard let open = body.firstIndex(of: ">"), let end = body.firstRange(of: "</t:entry>") else { break }
            result += rest[...open]
            var runs: [(name: Substring, text: String)] = []
            for child in body[body.index(after: open)..<end.lowerBound].split(separator: "<t:") {
                let name = child.prefix { $0 != ">" }
                if runs.last?.name == name {
                    runs[runs.count - 1].text += "<t:" + child
                } else {
                    runs.append((name, "<t:" + child))
                }
            }
            for run in runs.reversed() { result += run.text }
            rest = rest[end.lowerBound...]
        }
        return result + rest
    }
}
