/// Reads and rewrites content that was kept as it was written: in a segment there is no other way to its canonical
/// form.
extension XMLWriter {
    /// Writes the element whose start tag was read last, to its end, with more attributes.
    mutating func writeCanonically(
        _ reader: inout XMLReader, _ name: String, _ more: [(name: XMLName, value: String)]
    ) {
        var tag = canonicalTag(&reader)
        var scope = reader.namespacesInScope
        for (attribute, value) in more {
            let uri = attribute.namespace.uri
            let (prefix, _) = prefix(of: uri, among: scope)
            if !prefix.isEmpty { scope.append((String(decoding: prefix, as: UTF8.self), uri)) }
            let bytes = escaped(value, attribute.localName, of: "\(name)/")
            tag.attributes.append((prefix, Array(attribute.localName.utf8), uri, bytes))
        }
        open(tag)
        writeContentCanonically(&reader)
        close(tag.prefix, tag.localName)
    }

    /// Writes the content of the innermost element that the reader has opened, and reads its end tag.
    mutating func writeContentCanonically(_ reader: inout XMLReader) {
        var names: [(prefix: [UInt8], localName: [UInt8])] = []
        while let token = reader.advance() {
            switch token {
            case .startElement:
                let tag = canonicalTag(&reader)
                open(tag)
                names.append((tag.prefix, tag.localName))
            case .text:
                if let text = try? reader.currentText() { escape(text, isAttribute: false) }
            case .endElement:
                guard let name = names.popLast() else { return }
                close(name.prefix, name.localName)
            case .endOfDocument: return
            }
        }
        fail("what was kept as it was written cannot be read again.")
    }

    /// Writes the attributes of the start tag read last into the one that is being written.
    mutating func writeAttributes(_ reader: inout XMLReader) {
        for attribute in canonicalTag(&reader).attributes {
            raw(UInt8(ascii: " "))
            write(prefix: attribute.prefix, attribute.localName)
            raw("=\"")
            raw(attribute.value)
            raw(UInt8(ascii: "\""))
        }
    }

    private mutating func open(_ tag: CanonicalTag) {
        depth += 1
        tagStart = count
        render(tag)
        raw(UInt8(ascii: ">"))
    }

    private mutating func close(_ prefix: [UInt8], _ localName: [UInt8]) {
        raw("</")
        write(prefix: prefix, localName)
        raw(UInt8(ascii: ">"))
        leaveScope()
    }

    private mutating func escaped(_ value: String, _ attribute: String, of element: String = "") -> [UInt8] {
        let mark = count
        self.value(of: attribute, behind: element) { $0.escape(value, isAttribute: true) }
        return cut(from: mark)
    }

    /// Records which prefixes the values of a piece may use: every name before a colon in a text or an attribute's
    /// value.
    mutating func noteValues(_ reader: inout XMLReader) {
        // Declarations that the tag itself keeps for a value stay.
        valuePrefixes = Set(kept.map { Array($0.prefix.utf8) })
        var words: [UInt8] = []
        func note(_ attributes: [(namespaceURI: String, name: String, value: String)]) {
            for attribute in attributes { words += [UInt8(ascii: " ")] + attribute.value.utf8 }
            words.append(UInt8(ascii: " "))
        }
        note(reader.allAttributes())
        while let token = reader.advance() {
            switch token {
            // Pieces of one text belong together.
            case .text: words += ((try? reader.currentText()) ?? "").utf8
            case .startElement: note(reader.allAttributes())
            case .endElement: words.append(UInt8(ascii: " "))
            case .endOfDocument: break
            }
            if token == .endOfDocument { break }
        }
        var word = 0
        for (index, byte) in words.enumerated() {
            if byte == UInt8(ascii: ":") { valuePrefixes.insert(Array(words[word..<index])) }
            if byte < 0x80, !XMLCharacters.isNameByte(byte) { word = index + 1 }
        }
    }

    /// The declarations that stay in place although no name in the tag uses them, because values may use them.
    /// `xsi:type` may use the default namespace in the same way.
    func forValues(_ declarations: [XMLDeclaration]) -> [XMLDeclaration] {
        let prefixes = valuePrefixes
        return declarations.filter { $0.prefix.isEmpty || prefixes.contains(Array($0.prefix.utf8)) }
    }

    /// The start tag read last, with the declarations that values may need.
    private mutating func canonicalTag(_ reader: inout XMLReader) -> CanonicalTag {
        func bytes(_ start: UnsafePointer<UInt8>, _ count: Int) -> [UInt8] {
            Array(UnsafeBufferPointer(start: start, count: count))
        }
        guard let frame = reader.frames.last else {
            return CanonicalTag(prefix: [], localName: [], uri: "", attributes: [], kept: [])
        }
        let declarations = reader.bindings[frame.bindings...].map {
            XMLDeclaration(prefix: reader.string($0.prefix, $0.length), uri: reader.uri(of: $0.namespace))
        }
        var tag = CanonicalTag(
            prefix: bytes(frame.name, max(0, reader.localName - frame.name - 1)),
            localName: bytes(reader.localName, reader.localLength), uri: reader.namespaceURI, attributes: [],
            kept: forValues(declarations))
        let attributes = reader.attributes
        for attribute in attributes where !reader.isDeclaration(attribute) {
            let localName = bytes(attribute.localName, attribute.localLength)
            let value = escaped(reader.attributeValue(attribute), String(decoding: localName, as: UTF8.self))
            tag.attributes.append(
                (
                    bytes(attribute.name, attribute.prefixLength), localName,
                    attribute.prefixLength > 0 ? reader.uri(of: attribute.namespace) : "", value
                ))
        }
        return tag
    }
}
