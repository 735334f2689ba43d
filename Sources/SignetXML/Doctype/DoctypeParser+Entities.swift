extension DoctypeParser {
    /// Reads an entity declaration (XML 1.0 §4.2) after `<!ENTITY`.
    mutating func entity() throws(XMLError) {
        try countEntity()
        try space()
        let isParameter = cursor.skip("%")
        if isParameter { try space() }
        let name = try plainName("an entity")
        try space()
        if cursor.starts(with: "SYSTEM") || cursor.starts(with: "PUBLIC") {
            let isUnparsed = try externalEntity(isParameter: isParameter)
            if !isParameter {
                guard predefined(name) == nil else { throw wrongPredefined(name) }
                keep(isUnparsed ? .unparsed : .external, name)
            }
        } else {
            reserveTexts()
            let start = textEnd
            let isPredefined = isParameter ? nil : predefined(name)
            try entityValue()
            if let isPredefined, !self.text(from: start, standsFor: isPredefined) { throw wrongPredefined(name) }
            if isParameter { dropText(from: start) } else { keep(.internal(start..<textEnd), name) }
        }
        cursor.skipSpace()
        try expect(">")
    }

    /// Reads an external entity; returns whether it is unparsed.
    private mutating func externalEntity(isParameter: Bool) throws(XMLError) -> Bool {
        try externalID(allowsPublicOnly: false)
        guard cursor.skipSpace(), cursor.starts(with: "NDATA") else { return false }
        if isParameter { throw defect("a parameter entity is always text.") }
        _ = cursor.skip("NDATA")
        try space()
        _ = try plainName("a notation")
        return true
    }

    /// Appends the replacement text of an internal entity (§4.5): character references are resolved, others stay.
    private mutating func entityValue() throws(XMLError) {
        let literal = try literal()
        var value = MarkupCursor(
            bytes: UnsafeBufferPointer(rebasing: cursor.bytes[..<literal.upperBound]), position: literal.lowerBound)
        while let byte = value.peek() {
            let from = value.position
            switch byte {
            case UInt8(ascii: "%"):
                throw XMLError(
                    .malformed,
                    "“%” in the value of an entity must be written as “&#37;”; parameter entities have no "
                        + "place there (XML 1.0 §2.8).", offset: from)
            case UInt8(ascii: "&"):
                switch value.reference() {
                case nil:
                    throw XMLError(.malformed, "“&” begins no complete reference.", offset: from)
                case .character(let scalar):
                    guard let character = Unicode.Scalar(scalar), XMLCharacters.isCharacter(scalar) else {
                        throw .noCharacter(scalar, from)
                    }
                    append(text: character.utf8)
                case .predefined, .entity: append(text: value.slice(from..<value.position))
                }
            case 0x0D:
                value.position += value.peek(1) == 0x0A ? 2 : 1
                append(text: CollectionOfOne(0x0A))
            default:
                value.position += 1
                append(text: CollectionOfOne(byte))
            }
        }
    }

    // MARK: Predefined entities (§4.6)

    private func predefined(_ name: Range<Int>) -> UInt8? {
        let known: [(StaticString, UInt8)] = [
            ("amp", 0x26), ("lt", 0x3C), ("gt", 0x3E), ("quot", 0x22), ("apos", 0x27),
        ]
        return known.first { cursor.isName(name, $0.0) }?.1
    }

    private func wrongPredefined(_ name: Range<Int>) -> XMLError {
        let shown = String(decoding: cursor.slice(name), as: UTF8.self)
        return XMLError(
            .malformed, "“\(shown)” may be declared only as what it always is (XML 1.0 §4.6).", offset: name.lowerBound)
    }

    /// Whether a replacement text is a character reference to `character`, or the character itself where that is
    /// harmless.
    private func text(from start: Int, standsFor character: UInt8) -> Bool {
        declarations.texts.withUnsafeBufferPointer { texts in
            let isMarkup = character == UInt8(ascii: "<") || character == UInt8(ascii: "&")
            if !isMarkup && texts.count == start + 1 && texts[start] == character { return true }
            var cursor = MarkupCursor(bytes: texts, position: start)
            guard case .character(let scalar) = cursor.reference() else { return false }
            return scalar == character && cursor.isAtEnd
        }
    }
}
