public import SignetTLS
public import SignetXML

/// Signs elements of documents (XML Signature 1.1).
///
/// ```swift
/// let signer = try XMLSigner(identity)
/// let signed = try await signer.sign(document, covering: .root)
/// ```
///
/// The document stays as it is, byte for byte; a `Signature` is added. Keys sign where they are: in memory, in a smart card,
/// in a Secure Enclave.
public struct XMLSigner: Sendable {
    /// What is signed.
    public enum Content: Sendable, Hashable {
        /// The root element, with an empty reference.
        case root
        /// The element whose attribute `Id`, `ID`, `id`, `AssertionID`, `xml:id` or `wsu:Id` has this value.
        case element(id: String)
    }

    /// Where the signature goes.
    public enum Place: Sendable, Hashable {
        /// Into the signed element, as its last child.
        case inside
        /// After the signed element, as some services demand (Brazil's NF-e).
        case after
    }

    /// What KeyInfo has.
    public enum KeyInfo: Sendable, Hashable {
        /// The signer's certificate.
        case certificate
        /// The signer's certificate, and those that lead to its authority.
        case chain
        /// Nothing, for verifiers that know the signer.
        case nothing
    }

    private let identity: Identity
    private let key: KeyPair
    /// With which algorithm the key signs.
    public var algorithm: SigningAlgorithm
    /// The hash of the content. The default is SHA-256.
    public var digest = SigningAlgorithm.Hash.sha256
    /// How canonical forms are made. The default is exclusive canonicalization. It leaves declarations out that no name
    /// uses: list prefixes that only values use, such as in `xsi:type`, in its `inclusiveNamespaces`, for otherwise their
    /// meaning is not signed.
    public var canonicalization = XMLCanonicalization(.exclusive10)
    /// Where the signature goes. The default is inside.
    public var place = Place.inside
    /// What KeyInfo has. The default is the certificate.
    public var keyInfo = KeyInfo.certificate
    /// The prefix of the signature's elements; empty for a default namespace, which some services demand.
    public var prefix = "ds"
    /// The limits of the documents.
    public var limits = XMLLimits()

    /// - Parameter identity: whose key signs.
    /// - Throws: ``XMLSignatureError`` with `cannotSign` for a key that offers no algorithm.
    public init(_ identity: Identity) throws(XMLSignatureError) {
        self.identity = identity
        key = KeyPair(of: identity)
        guard let first = key.documentAlgorithms.first else {
            throw XMLSignatureError(
                .cannotSign, "The key of “\(identity.leaf.subject)” offers no algorithm for documents.")
        }
        algorithm = first
    }

    /// Adds a signature to a document. An earlier signature whose content the new one stands in is no longer valid.
    ///
    /// - Parameters:
    ///   - document: the document, in UTF-8.
    ///   - content: what is signed.
    /// - Returns: the document with the signature.
    /// - Throws: ``XMLSignatureError``.
    public func sign(_ document: [UInt8], covering content: Content) async throws(XMLSignatureError) -> [UInt8] {
        try check(content)
        let (index, element) = try element(content, of: document)
        guard index.isInPlace else {
            throw XMLSignatureError(.unsupported, "The document is not in UTF-8. Convert it first.")
        }
        let bytes = try canonicalization.content(of: content == .root ? nil : element, in: document, limits: limits)
        let digest = DigestMethod.strong(digest).digest(of: bytes)
        let gap = place == .inside ? Self.end(of: element.range, in: document) : Gap(at: element.range.upperBound)
        let text = text(reference: content, digest)
        let before = Array(document[..<gap.offset]) + gap.before + Array(text.start.utf8)
        let after = Array(text.end.utf8) + gap.after + Array(document[gap.rest...])
        // What stands around the signature can belong to the canonical form of its SignedInfo.
        let signedInfo = gap.offset + gap.before.count + text.signedInfo
        let signed = try canonicalization.content(
            of: DocumentIndex.Element(namespaceURI: "", localName: "", range: signedInfo..<signedInfo),
            in: before + after, limits: limits)
        let signature: [UInt8]
        do { signature = try await key.documentSignature(algorithm, over: signed) } catch {
            throw XMLSignatureError(
                .cannotSign, "The key of “\(identity.leaf.subject)” did not sign. \(error.message)", cause: error)
        }
        return before + Array(Text.base64(signature).utf8) + after
    }

    private func check(_ content: Content) throws(XMLSignatureError) {
        // The document may have another encoding in which other characters have other bytes.
        guard prefix.isEmpty || XMLName.isNCName(prefix), prefix.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw XMLSignatureError(.unsupported, "“\(prefix)” is no prefix of a namespace in ASCII.")
        }
        for prefix in canonicalization.inclusiveNamespaces
        where prefix != "#default" && (!XMLName.isNCName(prefix) || !prefix.utf8.allSatisfy { $0 < 0x80 }) {
            throw XMLSignatureError(
                .unsupported, "“\(prefix)” in the list of inclusive namespaces is no prefix in ASCII.")
        }
        guard key.documentAlgorithms.contains(algorithm) else {
            throw XMLSignatureError(
                .cannotSign, "The key of “\(identity.leaf.subject)” does not sign with \(algorithm).")
        }
        guard !canonicalization.hasComments else {
            throw XMLSignatureError(
                .unsupported,
                "A signature over an element has no comments: leave hasComments of the canonicalization out.")
        }
        if case .element(let id) = content, !XMLName.isNCName(id) {
            throw XMLSignatureError(.wrongReference, "“\(id)” is no identifier of an element.")
        }
    }

    private func element(
        _ content: Content, of document: [UInt8]
    ) throws(XMLSignatureError) -> (DocumentIndex, DocumentIndex.Element) {
        var identifiers: Set<String> = []
        if case .element(let id) = content { identifiers = [id] }
        let index = try DocumentIndex(of: document, identifiers: identifiers, limits: limits)
        let element = if case .element(let id) = content { try index.element(identifier: id) } else { index.root }
        guard place == .inside || element != index.root else {
            throw XMLSignatureError(
                .unsupported,
                "No signature can stand after the root element. Place it inside, or sign an element inside.")
        }
        return (index, element)
    }

    // MARK: Text

    /// A place in a document.
    private struct Gap {
        var offset: Int
        /// What is written on both sides of the insertion.
        var before: [UInt8] = []
        var after: [UInt8] = []
        /// Where the document goes on.
        var rest: Int

        init(at offset: Int) {
            self.offset = offset
            rest = offset
        }
    }

    /// The place before the end tag of an element; one without content gets an end tag.
    private static func end(of range: Range<Int>, in document: [UInt8]) -> Gap {
        let last = document[range].lastIndex(of: UInt8(ascii: "<")) ?? range.upperBound
        guard last == range.lowerBound else { return Gap(at: last) }
        let name = document[range].dropFirst().prefix { !" \t\r\n/>".utf8.contains($0) }
        // Up to “/>”.
        var gap = Gap(at: range.upperBound - 2)
        gap.before = Array(">".utf8)
        gap.after = Array("</".utf8) + name + Array(">".utf8)
        gap.rest = range.upperBound
        return gap
    }

    /// The signature around its value, and where SignedInfo begins in it.
    private func text(reference: Content, _ digest: [UInt8]) -> (start: String, end: String, signedInfo: Int) {
        let q = prefix.isEmpty ? "" : prefix + ":"
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix
        let uri = if case .element(let id) = reference { "#" + Self.ascii(id) } else { "" }
        let method = method(q, "CanonicalizationMethod")
        let opening = "<\(q)Signature \(declaration)=\"http://www.w3.org/2000/09/xmldsig#\">"
        let start = """
            <\(q)SignedInfo>\(method)\
            <\(q)SignatureMethod Algorithm="\(SignatureAlgorithms.uri(.strong(algorithm)))"/>\
            <\(q)Reference URI="\(uri)"><\(q)Transforms>\
            <\(q)Transform Algorithm="\(SignatureAlgorithms.enveloped)"/>\(self.method(q, "Transform"))\
            </\(q)Transforms><\(q)DigestMethod Algorithm="\(SignatureAlgorithms.uri(.strong(self.digest)))"/>\
            <\(q)DigestValue>\(Text.base64(digest))</\(q)DigestValue></\(q)Reference></\(q)SignedInfo>\
            <\(q)SignatureValue>
            """
        let certificates =
            switch keyInfo {
            case .certificate: [identity.leaf]
            case .chain: identity.chain
            case .nothing: [EncodedCertificate]()
            }
        var end = "</\(q)SignatureValue>"
        if !certificates.isEmpty {
            let list = certificates.map { "<\(q)X509Certificate>\(Text.base64($0.der))</\(q)X509Certificate>" }
            end += "<\(q)KeyInfo><\(q)X509Data>\(list.joined())</\(q)X509Data></\(q)KeyInfo>"
        }
        return (opening + start, end + "</\(q)Signature>", opening.utf8.count)
    }

    /// Other characters as references, for the document may have another encoding.
    private static func ascii(_ text: String) -> String {
        text.unicodeScalars.map { $0.isASCII ? String($0) : "&#\($0.value);" }.joined()
    }

    private func method(_ q: String, _ element: String) -> String {
        let start = "<\(q)\(element) Algorithm=\"\(SignatureAlgorithms.uri(canonicalization.method))\""
        let prefixes = canonicalization.inclusiveNamespaces
        guard canonicalization.method == .exclusive10, !prefixes.isEmpty else { return start + "/>" }
        let list = prefixes.joined(separator: " ")
        return
            "\(start)><ec:InclusiveNamespaces xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"\(list)\"/></\(q)\(element)>"
    }
}
