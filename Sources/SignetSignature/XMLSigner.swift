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
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Content: Sendable, Hashable {
        /// The root element, with an empty reference.
        case root
        /// The element whose attribute `Id`, `ID`, `id`, `AssertionID`, `xml:id` or `wsu:Id` has this value.
        case element(id: String)
    }

    /// Where the signature goes.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Place: Sendable, Hashable {
        /// Into the signed element, as its last child.
        case inside
        /// After the signed element, as some services demand (Brazil's NF-e).
        case after
        /// Into the one element with this name in the signed one, as its last child, as some services demand (Mexico's SAT).
        case within(XMLName)
    }

    /// What KeyInfo has.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum KeyInfo: Sendable, Hashable, CaseIterable {
        /// The signer's certificate.
        case certificate
        /// The signer's certificate, and those that lead to its authority.
        case chain
        /// The issuer and the serial number of the certificate (XML Signature 1.1 §4.5.4), for verifiers that have it. So have
        /// those of the following.
        case issuerSerial
        /// The subject key identifier of the certificate, an extension that not all certificates have.
        case subjectKeyIdentifier
        /// The public key (§4.5.2), which by itself proves nothing.
        case publicKey
        /// Nothing, for verifiers that know the signer.
        case nothing
    }

    private enum Holder: Sendable {
        case identity(Identity, KeyPair)
        case mldsa(MLDSAParameters, sign: @Sendable ([UInt8]) throws -> [UInt8])
    }

    private let holder: Holder
    /// With which algorithm the key signs.
    public var algorithm: XMLSignatureAlgorithm
    /// The hash of the content. The default is SHA-256.
    public var digest = XMLDigestAlgorithm.sha256
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
        let key = KeyPair(of: identity)
        holder = .identity(identity, key)
        guard let first = key.documentAlgorithms.first else {
            throw XMLSignatureError(
                .cannotSign, "The key of “\(identity.leaf.subject)” offers no algorithm for documents.")
        }
        algorithm = XMLSignatureAlgorithm(first)
    }

    /// Signs with a key of ML-DSA, which has no certificate: ``keyInfo`` is ``KeyInfo/nothing``. Experimental.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @_spi(Experimental) public init(_ key: MLDSAKey) {
        holder = .mldsa(key.parameters) { try key.signature(over: $0) }
        algorithm = XMLSignatureAlgorithm(method: .mldsa(key.parameters))
        keyInfo = .nothing
    }

    /// Adds a signature to a document. An earlier signature whose content the new one stands in is no longer valid.
    ///
    /// - Parameters:
    ///   - document: the document, in UTF-8.
    ///   - content: what is signed.
    /// - Returns: the document with the signature.
    /// - Throws: ``XMLSignatureError``.
    public func sign(_ document: [UInt8], covering content: Content) async throws(XMLSignatureError) -> [UInt8] {
        try await sign(document, covering: [content])
    }

    /// Adds one signature over several elements of a document.
    ///
    /// - Parameters:
    ///   - document: the document, in UTF-8.
    ///   - contents: what is signed, at most 32 of them. ``place`` is about the first.
    /// - Returns: the document with the signature.
    /// - Throws: ``XMLSignatureError``.
    public func sign(_ document: [UInt8], covering contents: [Content]) async throws(XMLSignatureError) -> [UInt8] {
        try check()
        guard (1...SignatureElement.maximumReferences).contains(contents.count) else {
            throw XMLSignatureError(
                .wrongReference,
                "A signature covers 1 to \(SignatureElement.maximumReferences) elements, and not \(contents.count).")
        }
        let (index, elements) = try self.elements(contents, of: document)
        guard index.isInPlace else {
            throw XMLSignatureError(.unsupported, "The document is not in UTF-8. Convert it first.")
        }
        let element = elements[0]
        let gap =
            switch place {
            case .inside: DocumentGap(endOf: element.range, in: document)
            case .after: DocumentGap(at: element.range.upperBound)
            case .within(let name):
                DocumentGap(endOf: try index.holder(name, in: element).range, in: document)
            }
        let references = zip(contents, elements).map { content, element in
            var reference = SignatureReference(element, canonicalization, isEnveloped: true)
            switch content {
            case .root: (reference.element, reference.identifier) = (nil, nil)
            case .element(let id): reference.identifier = id
            }
            return reference
        }
        return try await sign(references, keyInfo: try keyInfoText(), in: document, at: gap).document
    }

    /// Makes a signature that holds what it signs: the root element of a document, in an `Object` (XML Signature 1.1 §4.6).
    ///
    /// A verifier expects the `Object`: `.element(XMLName("http://www.w3.org/2000/09/xmldsig#", "Object"))`.
    ///
    /// - Parameters:
    ///   - document: the document, in UTF-8. Nothing of it is left out but what stands outside of the root element.
    ///   - id: the `Id` of the `Object`.
    /// - Returns: the signature, which is a document.
    /// - Throws: ``XMLSignatureError``; ``place`` must be ``Place/inside``, and ``prefix`` not empty, for otherwise the names of the
    ///   content would change.
    public func envelop(_ document: [UInt8], id: String) async throws(XMLSignatureError) -> [UInt8] {
        try check()
        guard XMLName.isNCName(id), id.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw XMLSignatureError(.wrongReference, "“\(id)” is no identifier of an element in ASCII.")
        }
        guard place == .inside, !prefix.isEmpty else {
            throw XMLSignatureError(
                .unsupported, "A signature that holds its content needs a prefix, and has no other place than inside.")
        }
        let root = try DocumentIndex(of: document, limits: limits)
        guard root.isInPlace else {
            throw XMLSignatureError(.unsupported, "The document is not in UTF-8. Convert it first.")
        }
        let start = Array("<\(q)Signature xmlns:\(prefix)=\"\(SignatureElement.namespace.uri)\">".utf8)
        let object =
            Array("<\(q)Object Id=\"\(id)\">".utf8) + document[root.root.range] + Array("</\(q)Object>".utf8)
        let holder = start + object + Array("</\(q)Signature>".utf8)
        let index = try DocumentIndex(of: holder, identifiers: [id], limits: limits)
        let reference = SignatureReference(try index.element(identifier: id), identifier: id, canonicalization)
        // The signature around the object takes the place of the holder.
        let whole = DocumentGap(replacing: holder)
        return try await sign(
            [reference], keyInfo: try keyInfoText(), in: holder, at: whole, holding: object
        ).document
    }

    /// Adds a signature with several references.
    ///
    /// - Parameters:
    ///   - references: what is signed.
    ///   - keyInfo: the content of KeyInfo; empty for none.
    ///   - gap: where the signature goes.
    ///   - object: an `Object` that the signature holds; empty for none.
    /// - Returns: the document with the signature, and the value of the signature.
    package func sign(
        _ references: [SignatureReference], keyInfo: String, in document: [UInt8], at gap: DocumentGap,
        holding object: [UInt8] = []
    ) async throws(XMLSignatureError) -> (document: [UInt8], value: [UInt8]) {
        try check()
        let digests = try references.map { (reference) throws(XMLSignatureError) in
            if let attachment = reference.attachment { return attachment.digest }
            var bytes = try reference.canonicalization.content(of: reference.element, in: document, limits: limits)
            if reference.isTokenReference { bytes.declareDefaultNamespace() }
            return digest.method.digest(of: bytes)
        }
        let text = text(references, digests, keyInfo: keyInfo)
        let before = Array(document[..<gap.offset]) + gap.before + Array(text.start.utf8)
        let end = object + Array("</\(q)Signature>".utf8) + gap.after
        let after = Array(text.end.utf8) + end + Array(document[gap.rest...])
        // What stands around the signature can belong to the canonical form of its SignedInfo.
        let signedInfo = gap.offset + gap.before.count + text.signedInfo
        let signed = try canonicalization.content(
            of: DocumentIndex.Element(namespaceURI: "", localName: "", range: signedInfo..<signedInfo),
            in: before + after, limits: limits)
        let signature: [UInt8]
        do {
            signature =
                switch holder {
                case .identity(_, let key):
                    if case .strong(let algorithm) = algorithm.method {
                        try await key.documentSignature(algorithm, over: signed)
                    } else {
                        try key.insecureSHA1Signature(over: signed)
                    }
                case .mldsa(_, let sign): try sign(signed)
                }
        } catch {
            let reason = (error as? SigningKeyError)?.message ?? "\(error)"
            throw XMLSignatureError(.cannotSign, "The key of \(owner) did not sign. \(reason)", cause: error)
        }
        return (before + Array(Text.base64(signature).utf8) + after, signature)
    }

    private func check() throws(XMLSignatureError) {
        // The document may have another encoding in which other characters have other bytes.
        guard prefix.isEmpty || XMLName.isNCName(prefix), prefix.utf8.allSatisfy({ $0 < 0x80 }),
            !prefix.lowercased().hasPrefix("xml")
        else {
            throw XMLSignatureError(.unsupported, "“\(prefix)” is no prefix of a namespace in ASCII.")
        }
        for prefix in canonicalization.inclusiveNamespaces
        where prefix != "#default" && (!XMLName.isNCName(prefix) || !prefix.utf8.allSatisfy { $0 < 0x80 }) {
            throw XMLSignatureError(
                .unsupported, "“\(prefix)” in the list of inclusive namespaces is no prefix in ASCII.")
        }
        let isPossible =
            switch (holder, algorithm.method) {
            case (.identity(_, let key), .strong(let algorithm)): key.documentAlgorithms.contains(algorithm)
            case (.identity, .rsaSHA1): true
            case (.mldsa(let parameters, _), .mldsa(let wanted)): parameters == wanted
            default: false
            }
        guard isPossible else {
            throw XMLSignatureError(.cannotSign, "The key of \(owner) does not sign with \(algorithm).")
        }
        guard !canonicalization.hasComments else {
            throw XMLSignatureError(
                .unsupported,
                "A signature over an element has no comments: leave hasComments of the canonicalization out.")
        }
    }

    /// Who signs, for errors.
    private var owner: String {
        switch holder {
        case .identity(let identity, _): "“\(identity.leaf.subject)”"
        case .mldsa(let parameters, _): "\(parameters)"
        }
    }

    private func elements(
        _ contents: [Content], of document: [UInt8]
    ) throws(XMLSignatureError) -> (DocumentIndex, [DocumentIndex.Element]) {
        var identifiers: Set<String> = []
        for case .element(let id) in contents {
            guard XMLName.isNCName(id) else {
                throw XMLSignatureError(.wrongReference, "“\(id)” is no identifier of an element.")
            }
            identifiers.insert(id)
        }
        let name: XMLName? = if case .within(let name) = place { name } else { nil }
        let index = try DocumentIndex(of: document, identifiers: identifiers, name: name, limits: limits)
        let elements = try contents.map { content throws(XMLSignatureError) in
            if case .element(let id) = content { try index.element(identifier: id) } else { index.root }
        }
        guard place != .after || elements.first != index.root else {
            throw XMLSignatureError(
                .unsupported,
                "No signature can stand after the root element. Place it inside, or sign an element inside.")
        }
        guard Set(elements).count == elements.count else {
            throw XMLSignatureError(.wrongReference, "The same element is named twice. Name each element to sign once.")
        }
        return (index, elements)
    }

    // MARK: Text

    /// The signature around its value, and where SignedInfo begins in it.
    private func text(
        _ references: [SignatureReference], _ digests: [[UInt8]], keyInfo: String
    ) -> (start: String, end: String, signedInfo: Int) {
        let declaration = prefix.isEmpty ? "xmlns" : "xmlns:" + prefix
        let opening = "<\(q)Signature \(declaration)=\"http://www.w3.org/2000/09/xmldsig#\">"
        let list = zip(references, digests).map { reference, value in
            let uri = reference.attachment?.url ?? reference.identifier.map { "#" + Self.ascii($0) } ?? ""
            let enveloped =
                reference.isEnveloped ? "<\(q)Transform Algorithm=\"\(SignatureAlgorithms.enveloped)\"/>" : ""
            let transform =
                reference.attachment != nil
                ? "<\(q)Transform Algorithm=\"\(SignatureAlgorithms.attachment)\"/>"
                : reference.isTokenReference
                    ? """
                    <\(q)Transform Algorithm="\(SignatureAlgorithms.token)"><wsse:TransformationParameters \
                    xmlns:wsse="\(SignatureElement.wsse.uri)">\(transformation("CanonicalizationMethod", reference.canonicalization))\
                    </wsse:TransformationParameters></\(q)Transform>
                    """ : transformation("Transform", reference.canonicalization)
            return """
                <\(q)Reference URI="\(uri)"><\(q)Transforms>\(enveloped)\(transform)</\(q)Transforms>\
                <\(q)DigestMethod Algorithm="\(SignatureAlgorithms.uri(digest.method))"/>\
                <\(q)DigestValue>\(Text.base64(value))</\(q)DigestValue></\(q)Reference>
                """
        }
        let start = """
            <\(q)SignedInfo>\(transformation("CanonicalizationMethod", canonicalization))\
            <\(q)SignatureMethod Algorithm="\(SignatureAlgorithms.uri(algorithm.method))"/>\
            \(list.joined())</\(q)SignedInfo><\(q)SignatureValue>
            """
        let key = keyInfo.isEmpty ? "" : "<\(q)KeyInfo>\(keyInfo)</\(q)KeyInfo>"
        return (opening + start, "</\(q)SignatureValue>\(key)", opening.utf8.count)
    }

    /// What stands before the names of the signature's elements.
    private var q: String { prefix.isEmpty ? "" : prefix + ":" }

    private func keyInfoText() throws(XMLSignatureError) -> String {
        if keyInfo == .nothing { return "" }
        guard case .identity(let identity, let key) = holder else {
            throw XMLSignatureError(.cannotSign, "The key of \(owner) has no certificate: set keyInfo to nothing.")
        }
        let leaf = identity.leaf
        func name(_ content: String?, _ what: String) throws(XMLSignatureError) -> String {
            guard let content else {
                throw XMLSignatureError(.cannotSign, "The certificate of “\(leaf.subject)” has no \(what).")
            }
            return "<\(q)X509Data>\(content)</\(q)X509Data>"
        }
        switch keyInfo {
        case .certificate: return try name(certificates([leaf]), "")
        case .chain: return try name(certificates(identity.chain), "")
        case .issuerSerial:
            let text = leaf.issuerSerial.map { issuer, number in
                """
                <\(q)X509IssuerSerial><\(q)X509IssuerName>\(Self.ascii(issuer))</\(q)X509IssuerName>\
                <\(q)X509SerialNumber>\(number)</\(q)X509SerialNumber></\(q)X509IssuerSerial>
                """
            }
            return try name(text, "issuer, or no serial number, that can be written")
        case .subjectKeyIdentifier:
            let text = leaf.subjectKeyIdentifier.map { "<\(q)X509SKI>\(Text.base64($0))</\(q)X509SKI>" }
            return try name(text, "subject key identifier")
        case .publicKey: return keyValue(key)
        case .nothing: return ""
        }
    }

    private func certificates(_ list: [EncodedCertificate]) -> String {
        list.map { "<\(q)X509Certificate>\(Text.base64($0.der))</\(q)X509Certificate>" }.joined()
    }

    /// XML Signature 1.1 §4.5.2, §4.5.10.
    private func keyValue(_ key: KeyPair) -> String {
        let dsig11 = "xmlns:dsig11=\"http://www.w3.org/2009/xmldsig11#\""
        switch key.publicKeyComponents {
        case .rsa(let modulus, let exponent):
            return """
                <\(q)KeyValue><\(q)RSAKeyValue><\(q)Modulus>\(Text.base64(modulus))</\(q)Modulus>\
                <\(q)Exponent>\(Text.base64(exponent))</\(q)Exponent></\(q)RSAKeyValue></\(q)KeyValue>
                """
        case .curve(let identifier, let point):
            return """
                <\(q)KeyValue><dsig11:ECKeyValue \(dsig11)><dsig11:NamedCurve URI="urn:oid:\(identifier)"/>\
                <dsig11:PublicKey>\(Text.base64(point))</dsig11:PublicKey></dsig11:ECKeyValue></\(q)KeyValue>
                """
        case .other:
            return
                "<dsig11:DEREncodedKeyValue \(dsig11)>\(Text.base64(key.publicKeyInfo))</dsig11:DEREncodedKeyValue>"
        }
    }

    /// Other characters as references, and those that are markup, for the document may have another encoding.
    private static func ascii(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.isASCII && !"&<>\"\t\r\n".unicodeScalars.contains(scalar) ? String(scalar) : "&#\(scalar.value);"
        }.joined()
    }

    private func transformation(_ element: String, _ form: XMLCanonicalization) -> String {
        let start = "<\(q)\(element) Algorithm=\"\(SignatureAlgorithms.uri(form.method))\""
        guard form.method == .exclusive10, !form.inclusiveNamespaces.isEmpty else { return start + "/>" }
        let list = form.inclusiveNamespaces.joined(separator: " ")
        return
            "\(start)><ec:InclusiveNamespaces xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"\(list)\"/></\(q)\(element)>"
    }
}

extension DocumentIndex {
    /// The one element with a name in another one, which gets the signature.
    fileprivate func holder(_ name: XMLName, in element: Element) throws(XMLSignatureError) -> Element {
        guard let found = expected, expectedCount == 1, element.range.contains(found.range.lowerBound) else {
            throw XMLSignatureError(
                .wrongReference,
                "The document has \(expectedCount) elements “\(name.localName)” for the signature; it must be one, in the signed element."
            )
        }
        return found
    }
}
