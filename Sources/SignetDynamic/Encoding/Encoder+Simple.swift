import SignetSOAP
import SignetWSDL

extension Encoder {
    /// The text of a simple value, checked against its type.
    func text(of value: DynamicValue, _ shape: SimpleShape) throws(DynamicError) -> [XMLTree.Text] {
        switch shape.variety {
        case .list(let item): return try list(value, of: item, shape)
        case .union(let members): return try union(value, of: members, shape)
        case .atomic(let type):
            let text = try lexical(value, type, shape)
            try check(text, shape)
            if type.kind == .qualifiedName { return [.name(ElementKey.name(text) ?? QName("", text))] }
            return [.plain(text)]
        }
    }

    private func check(_ text: String, _ shape: SimpleShape) throws(DynamicError) {
        if let scalar = text.unicodeScalars.first(where: { !$0.isAllowedInXML }) {
            throw error(.invalidValue, "the character U+\(String(scalar.value, radix: 16)) cannot stand in XML.")
        }
        if let defect = shape.defect(of: text) { throw error(.invalidValue, "\(defect), not \(shown(text)).") }
    }

    /// A value for an error message: shortened, and hidden when its key names a secret.
    private func shown(_ text: String) -> String {
        if path.contains(where: SecretName.matches) { return "what is given" }
        let printable = String(text.prefix(40).map { $0.isNewline || $0 == "\u{1B}" ? " " : $0 })
        return "‘\(printable)\(text.count > 40 ? "…" : "")’"
    }

    private func lexical(
        _ value: DynamicValue, _ type: BuiltIn, _ shape: SimpleShape
    ) throws(DynamicError) -> String {
        switch (value, type.kind) {
        case (.string(let text), _): return text
        case (.bool(let flag), .boolean): return flag ? "true" : "false"
        case (.number(let digits), .number): return digits
        case (.number, .string):
            // As a number, `0815` would have become `815` before it arrived here: a text that looks like a number must
            // be given as a string.
            throw error(.invalidValue, "a string is expected (\(shape.name)); put the number into quotes.")
        default:
            let expected =
                switch type.kind {
                case .boolean: "true or false"
                case .number: "a number"
                case .string, .qualifiedName: "a string"
                }
            throw error(.invalidValue, "\(expected) is expected (\(shape.name)), not \(value.kind)\(hint(value)).")
        }
    }

    /// How to give a value without parts.
    private func hint(_ value: DynamicValue) -> String {
        guard case .object = value else { return "" }
        let what = path.count == 1 ? "the message is one value without parts" : "it has no parts"
        return ": \(what); give the value alone, or as ‘#text’ (with signet call: --set '#text=…')"
    }

    private func list(
        _ value: DynamicValue, of item: SimpleShape, _ shape: SimpleShape
    ) throws(DynamicError) -> [XMLTree.Text] {
        let items: [DynamicValue] =
            switch value {
            case .array(let items): items
            case .string(let text): text.xmlWords.map { .string($0) }
            default: [value]
            }
        var pieces: [XMLTree.Text] = []
        var whole: [String] = []
        for (index, value) in items.enumerated() {
            var inner = self
            inner.path.append("[\(index)]")
            let text = try inner.text(of: value, item)
            if index > 0 { pieces.append(.plain(" ")) }
            pieces += text
            whole += text.map { piece in
                switch piece {
                case .plain(let text): text
                case .name(let name): name.localName
                }
            }
        }
        try check(whole.joined(separator: " "), shape)
        return pieces
    }

    private func union(
        _ value: DynamicValue, of members: [SimpleShape], _ shape: SimpleShape
    ) throws(DynamicError) -> [XMLTree.Text] {
        for member in members {
            guard let pieces = try? text(of: value, member) else { continue }
            if case .plain(let text)? = pieces.first, pieces.count == 1 { try check(text, shape) }
            return pieces
        }
        throw error(.invalidValue, "a value of \(members.map(\.name).joined(separator: " or ")) is expected.")
    }
}

extension Unicode.Scalar {
    /// XML 1.0 §2.2.
    package var isAllowedInXML: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
