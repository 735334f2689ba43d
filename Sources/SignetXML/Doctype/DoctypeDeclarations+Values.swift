/// How the value of an attribute is to be rewritten.
struct AttributeValueForm {
    /// The quotation mark around the value.
    var quote: UInt8
    /// Whether spaces are trimmed and collapsed, because the type is not `CDATA`.
    var isTokenized: Bool
    /// Where in the document the value begins, for errors.
    var offset: Int
    /// Whether the value itself is in the replacement text of an entity.
    var isInsideEntity: Bool
}

extension DoctypeDeclarations {
    /// Appends the value of an attribute so that a reader without these declarations gets the normalised value (XML 1.0
    /// §3.3.3): references to entities are replaced, white space characters become spaces, all other references stay.
    func append(
        value literal: UnsafeBufferPointer<UInt8>, _ form: AttributeValueForm, limits: XMLLimits,
        budget: inout ExpansionBudget, to output: inout [UInt8]
    ) throws(XMLError) {
        try texts.withUnsafeBufferPointer { (texts) throws(XMLError) in
            let begin = output.count
            var frames = [EntityFrame(cursor: MarkupCursor(bytes: literal))]
            // Where the innermost reference begins that is in the document itself.
            var offset = form.offset
            while var frame = frames.popLast() {
                guard let byte = frame.cursor.peek() else { continue }
                let isLiteral = frames.isEmpty
                if isLiteral && !form.isInsideEntity { offset = form.offset + frame.cursor.position }
                let from = frame.cursor.position
                frame.cursor.position += 1
                switch byte {
                case UInt8(ascii: "<"):
                    throw XMLError(
                        .malformed, "“<” must not stand in an attribute's value, nor in the text of an entity there.",
                        offset: offset)
                case UInt8(ascii: "&"):
                    frame.cursor.position = from
                    switch frame.cursor.reference() {
                    case nil: throw XMLError(.malformed, "“&” begins no complete reference.", offset: offset)
                    case .character(let scalar):
                        guard XMLCharacters.isCharacter(scalar) else { throw .noCharacter(scalar, offset) }
                        if scalar == 0x20 && form.isTokenized {
                            appendSpace(form, from: begin, to: &output)
                        } else {
                            output.append(contentsOf: frame.cursor.slice(from..<frame.cursor.position))
                        }
                    case .predefined: output.append(contentsOf: frame.cursor.slice(from..<frame.cursor.position))
                    case .entity(let name):
                        frames.append(frame)
                        let text = try replacement(
                            for: frame.cursor.slice(name), inside: frames, inAttribute: true, limits: limits,
                            budget: &budget, at: offset)
                        let bytes = UnsafeBufferPointer(rebasing: texts[text])
                        frames.append(EntityFrame(cursor: MarkupCursor(bytes: bytes), text: text))
                        continue
                    }
                case 0x0D where isLiteral && !form.isInsideEntity && frame.cursor.peek() == 0x0A:
                    // Both bytes are one line end (§2.11); in a replacement text both are characters of their own.
                    break
                case 0x20, 0x09, 0x0A, 0x0D: appendSpace(form, from: begin, to: &output)
                case form.quote:
                    let escape = byte == UInt8(ascii: "\"") ? "&quot;" : "&apos;"
                    try budget.take(escape.utf8.count, at: offset)
                    output.append(contentsOf: escape.utf8)
                default: output.append(byte)
                }
                frames.append(frame)
            }
            if form.isTokenized && output.count > begin && output.last == 0x20 { output.removeLast() }
        }
    }

    private func appendSpace(_ form: AttributeValueForm, from begin: Int, to output: inout [UInt8]) {
        if form.isTokenized && (output.count == begin || output.last == 0x20) { return }
        output.append(0x20)
    }
}

extension XMLError {
    static func noCharacter(_ scalar: UInt32, _ offset: Int) -> XMLError {
        XMLError(
            .invalidCharacter,
            "a character reference names U+\(String(scalar, radix: 16, uppercase: true)), which XML does not allow.",
            offset: offset)
    }
}
