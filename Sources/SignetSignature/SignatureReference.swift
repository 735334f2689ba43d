package import SignetXML

/// What a reference of a new signature covers.
package struct SignatureReference: Sendable {
    /// The element; nil for the document.
    package var element: DocumentIndex.Element?
    /// By which identifier the reference names the element; nil for the root element.
    package var identifier: String?
    package var canonicalization: XMLCanonicalization
    /// Whether the signature stands in what it covers.
    package var isEnveloped: Bool
    /// What is signed beside the document, in place of an element; nil for an element.
    package var attachment: Attachment?
    /// Whether ``identifier`` is that of a `SecurityTokenReference` that leads to the element.
    package var isTokenReference = false

    package init(
        _ element: DocumentIndex.Element, identifier: String? = nil, _ canonicalization: XMLCanonicalization,
        isEnveloped: Bool = false
    ) {
        self.element = element
        self.identifier = identifier
        self.canonicalization = canonicalization
        self.isEnveloped = isEnveloped
    }

    /// An attachment of the message (SOAP Messages with Attachments Profile 1.1.1 §5.4).
    package struct Attachment: Sendable {
        /// The URL by which the message names it.
        package var url: String
        /// The hash of its content.
        package var digest: [UInt8]

        package init(url: String, digest: [UInt8]) {
            self.url = url
            self.digest = digest
        }
    }

    package init(_ attachment: Attachment) {
        self.init(nil, XMLCanonicalization(.exclusive10))
        self.attachment = attachment
    }

    private init(_ element: DocumentIndex.Element?, _ canonicalization: XMLCanonicalization) {
        self.element = element
        self.canonicalization = canonicalization
        isEnveloped = false
    }
}

/// A place in a document where something is put in.
package struct DocumentGap: Sendable {
    package var offset: Int
    /// What is written on both sides of the insertion.
    package var before: [UInt8] = []
    package var after: [UInt8] = []
    /// Where the document goes on.
    package var rest: Int

    package init(at offset: Int) {
        self.offset = offset
        rest = offset
    }

    /// The place of a whole document.
    init(replacing document: [UInt8]) {
        offset = 0
        rest = document.count
    }

    /// The place before the end tag of an element; one without content gets an end tag.
    package init(endOf range: Range<Int>, in document: [UInt8]) {
        let last = document[range].lastIndex(of: UInt8(ascii: "<")) ?? range.upperBound
        guard last == range.lowerBound else {
            self.init(at: last)
            return
        }
        let name = document[range].dropFirst().prefix { !" \t\r\n/>".utf8.contains($0) }
        // Up to “/>”.
        self.init(at: range.upperBound - 2)
        before = Array(">".utf8)
        after = Array("</".utf8) + name + Array(">".utf8)
        rest = range.upperBound
    }
}

extension [UInt8] {
    /// Makes the canonical form of an element one that also says when there is no default namespace, as STR-Transform has it (SOAP
    /// Message Security 1.1 §8.3).
    mutating func declareDefaultNamespace() {
        let name = prefix { !" >".utf8.contains($0) }
        // A canonical form has the default namespace first.
        guard !self[name.endIndex...].starts(with: " xmlns=\"".utf8) else { return }
        insert(contentsOf: Array<UInt8>(" xmlns=\"\"".utf8), at: name.endIndex)
    }
}
