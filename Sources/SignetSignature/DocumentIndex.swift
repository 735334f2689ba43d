package import SignetXML

/// Where signatures and the elements that references can name are in a document.
package struct DocumentIndex: Sendable {
    package struct Element: Sendable, Hashable {
        package var namespaceURI: String
        package var localName: String
        /// From the start tag to the end tag.
        package var range: Range<Int>

        package init(namespaceURI: String, localName: String, range: Range<Int>) {
            self.namespaceURI = namespaceURI
            self.localName = localName
            self.range = range
        }
    }

    static let maximumSignatures = 16

    private(set) var root = Element(namespaceURI: "", localName: "", range: 0..<0)
    private(set) var signatures: [Int] = []
    package var isSigned: Bool { !signatures.isEmpty }
    /// The elements that have one of the wanted identifiers, or the wanted name.
    private var named: [String: [Element]] = [:]
    /// The first element with the wanted name, and how many there are.
    private(set) var expected: Element?
    private(set) var expectedCount = 0
    /// Whether places count in the document itself, not in its conversion from another encoding.
    package private(set) var isInPlace = true

    /// The attributes that identify an element: without a schema it is unknown which ones do, so that one value must not stand
    /// in two of them.
    private static let identifiers: [(name: String, namespace: XMLNamespace)] = [
        ("Id", .none), ("ID", .none), ("id", .none), ("AssertionID", .none), ("id", .xml),
        ("Id", XMLNamespace("http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd")),
    ]

    /// - Parameters:
    ///   - identifiers: the values that are looked for.
    ///   - name: the name of the elements that are looked for; nil for none.
    package init(
        of document: [UInt8], identifiers: Set<String> = [], name: XMLName? = nil, limits: XMLLimits
    ) throws(XMLSignatureError) {
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                try read(&reader, identifiers, name)
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
    }

    /// Where the signatures of a document are.
    ///
    /// - Throws: ``XMLSignatureError``; with `noSignature` for a document without one.
    init(signaturesOf document: [UInt8], name: XMLName? = nil, limits: XMLLimits) throws(XMLSignatureError) {
        try self.init(of: document, name: name, limits: limits)
        guard !signatures.isEmpty else {
            throw XMLSignatureError(.noSignature, "The document has no signature.")
        }
        guard signatures.count <= Self.maximumSignatures else {
            throw XMLSignatureError(
                .unsupported,
                "The document has \(signatures.count) signatures; \(Self.maximumSignatures) are the limit.")
        }
    }

    /// The one element with an identifier.
    package func element(identifier: String) throws(XMLSignatureError) -> Element {
        let found = named[identifier] ?? []
        guard let first = found.first, found.count == 1 else {
            throw XMLSignatureError(
                .wrongReference,
                "\(found.count) elements of the document have the identifier “\(identifier.prefix(200))”; it must be exactly one."
            )
        }
        return first
    }

    private mutating func read(
        _ reader: inout XMLReader, _ wanted: Set<String>, _ name: XMLName?
    ) throws(XMLError) {
        isInPlace = reader.isInPlace
        let signature = XMLName(SignatureElement.namespace, "Signature")
        /// The elements that were found and are still open.
        var open: [(depth: Int, element: Element, identifiers: Set<String>, isExpected: Bool)] = []
        while true {
            switch try reader.next() {
            case .startElement:
                guard let offset = reader.startTagOffset else { continue }
                if reader.isElement(signature) { signatures.append(offset) }
                let identifiers =
                    wanted.isEmpty
                    ? []
                    : Set(
                        Self.identifiers.compactMap { identifier in
                            reader.attribute(identifier.name, namespace: identifier.namespace)
                        }.filter(wanted.contains))
                var isExpected = false
                if let name, reader.isElement(name) {
                    expectedCount += 1
                    isExpected = expectedCount == 1
                }
                let depth = reader.openElements
                guard depth == 1 || isExpected || !identifiers.isEmpty else { continue }
                let element = Element(
                    namespaceURI: reader.namespaceURI, localName: reader.elementName, range: offset..<offset)
                open.append((depth, element, identifiers, isExpected))
            case .endElement:
                guard let last = open.last, last.depth > reader.openElements else { continue }
                open.removeLast()
                var element = last.element
                element.range = element.range.lowerBound..<reader.bytesRead
                if last.depth == 1 { root = element }
                for identifier in last.identifiers { named[identifier, default: []].append(element) }
                if last.isExpected { expected = element }
            case .text: continue
            case .endOfDocument: return
            }
        }
    }
}

extension XMLCanonicalization {
    /// The bytes that a reference covers (XML Signature 1.1 §4.4.3.3).
    ///
    /// - Parameters:
    ///   - element: nil for the whole document, which alone has what stands around the root element.
    ///   - omitted: where an enveloped signature begins; nil for none.
    package func content(
        of element: DocumentIndex.Element?, in document: [UInt8], omitting omitted: Int? = nil, limits: XMLLimits
    ) throws(XMLSignatureError) -> [UInt8] {
        do {
            guard let element else { return try canonicalForm(of: document, omitting: omitted, limits: limits) }
            return try canonicalForm(
                ofElementAt: element.range.lowerBound, of: document, omitting: omitted, limits: limits)
        } catch { throw XMLSignatureError(.unreadable, "The document has no canonical form: \(error)", cause: error) }
    }
}
