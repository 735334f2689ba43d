import SignetXML

/// What signatures cover.
extension SignatureExamination {
    /// The element that must be signed: the one with an identifier; otherwise the Body of an envelope, or the root element.
    package func expected(_ identifier: String?) throws(XMLSignatureError) -> DocumentIndex.Element {
        if let identifier {
            return try DocumentIndex(of: document, identifiers: [identifier], limits: limits)
                .element(identifier: identifier)
        }
        guard root.localName == "Envelope", Self.envelopes.contains(root.namespaceURI) else { return root }
        return try body()
    }

    /// The one Body that is a child of the envelope: others can stand elsewhere, signed or not.
    private func body() throws(XMLSignatureError) -> DocumentIndex.Element {
        let name = XMLName(XMLNamespace(root.namespaceURI), "Body")
        var bodies: [DocumentIndex.Element] = []
        var isOther = false
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                try reader.root()
                while try reader.nextChild() {
                    let start = reader.startTagOffset ?? 0
                    let isHeader = reader.isElement(XMLName(name.namespace, "Header")) && bodies.isEmpty
                    let isBody = reader.isElement(name)
                    isOther = isOther || !isHeader && !isBody
                    try reader.skipElement()
                    guard isBody else { continue }
                    bodies.append(
                        DocumentIndex.Element(
                            namespaceURI: root.namespaceURI, localName: "Body", range: start..<reader.bytesRead))
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
        guard let first = bodies.first, bodies.count == 1, !isOther else {
            throw XMLSignatureError(
                .wrongReference,
                "The envelope has \(bodies.count) elements “Body”\(isOther ? ", and others that have no place there" : ""); it must have a Header or none, and one Body."
            )
        }
        return first
    }

    private static let envelopes = [
        "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
    ]

    /// The elements in enveloped signatures that no signature covers: such a signature is left out of what it covers as a whole, with
    /// all that an attacker has put into it.
    package func elements(hiddenIn signatures: [Signature]) throws(XMLSignatureError) -> [DocumentIndex.Element] {
        func covers(_ signature: Signature, _ offset: Int) -> Bool {
            signature.references.contains { $0.element?.range.contains(offset) == true }
        }
        let enveloped = Set(
            signatures.filter { signature in
                covers(signature, signature.offset)
                    && !signatures.contains { $0.offset != signature.offset && covers($0, signature.offset) }
            }.map(\.offset))
        let covered = Set(signatures.flatMap(\.references).compactMap(\.element?.range.lowerBound))
        let own: Set = [
            SignatureElement.namespace.uri, SignatureElement.exclusive.uri, "http://www.w3.org/2009/xmldsig11#",
        ]
        var found: [DocumentIndex.Element] = []
        /// The number of open elements in the enveloped signature that is read.
        var depth: Int?
        try walk { (reader) throws(XMLError) in
            let start = reader.startTagOffset ?? 0
            if let open = depth, reader.openElements <= open { depth = nil }
            if depth == nil {
                if enveloped.contains(start) { depth = reader.openElements }
            } else if covered.contains(start) {
                try reader.skipElement()
            } else if !own.contains(reader.namespaceURI) {
                let (uri, name) = (reader.namespaceURI, reader.elementName)
                try reader.skipElement()
                found.append(
                    DocumentIndex.Element(namespaceURI: uri, localName: name, range: start..<reader.bytesRead))
            }
        }
        return found
    }

    /// The outermost elements that none of these signatures covers. Signatures, and elements around what is covered, are not among
    /// them.
    package func elements(outside signatures: [Signature]) throws(XMLSignatureError) -> [DocumentIndex.Element] {
        let signature = XMLName(SignatureElement.namespace, "Signature")
        let covered = Set(signatures.flatMap(\.references).compactMap(\.element?.range.lowerBound))
        var found: [DocumentIndex.Element] = []
        /// The open elements, how many were found before each, and whether something inside is covered.
        var open: [(element: DocumentIndex.Element, found: Int, isAround: Bool)] = []
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                while true {
                    switch try reader.next() {
                    case .startElement:
                        let start = reader.startTagOffset ?? 0
                        if covered.contains(start) {
                            for position in open.indices { open[position].isAround = true }
                            try reader.skipElement()
                        } else if reader.isElement(signature) {
                            try reader.skipElement()
                        } else {
                            let element = DocumentIndex.Element(
                                namespaceURI: reader.namespaceURI, localName: reader.elementName, range: start..<start)
                            open.append((element, found.count, false))
                        }
                    case .endElement:
                        guard var last = open.popLast(), !last.isAround else { continue }
                        last.element.range = last.element.range.lowerBound..<reader.bytesRead
                        found.removeLast(found.count - last.found)
                        found.append(last.element)
                    case .text: continue
                    case .endOfDocument: return
                    }
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
        return found
    }

    /// Reads the document, and calls `body` at each start tag.
    private func walk(_ body: (inout XMLReader) throws(XMLError) -> Void) throws(XMLSignatureError) {
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                while true {
                    switch try reader.next() {
                    case .startElement: try body(&reader)
                    case .endElement, .text: continue
                    case .endOfDocument: return
                    }
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
    }
}
