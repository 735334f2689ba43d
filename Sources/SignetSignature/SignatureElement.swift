package import SignetTLS
package import SignetXML

/// A `Signature` element as it was read (XML Signature 1.1 §4).
package struct SignatureElement: Sendable {
    /// A `Reference` to content that is signed.
    package struct Reference: Sendable {
        package var uri: String
        package var isEnveloped: Bool
        /// Whether it leads to a `SecurityTokenReference`, whose token is signed in its place.
        package var isTokenReference = false
        /// Whether it leads to the content of an attachment.
        package var isAttachment = false
        package var form: XMLCanonicalization
        package var digestMethod: DigestMethod
        package var digest: [UInt8]

        /// The identifier of the element; nil for a reference to something else.
        package var identifier: String? {
            guard uri.hasPrefix("#"), uri.utf8.count > 1, !uri.contains("(") else { return nil }
            return String(uri.dropFirst())
        }

        /// The element that the reference leads to by its identifier.
        package func element(in index: DocumentIndex) throws(XMLSignatureError) -> DocumentIndex.Element {
            guard !isAttachment else {
                throw XMLSignatureError(
                    .unsupported,
                    "The reference “\(uri.prefix(200))” signs an attachment, which is no part of the document: verify the message with a SignaturePolicy."
                )
            }
            guard let identifier else {
                throw XMLSignatureError(
                    .unsupported,
                    "The reference “\(uri.prefix(200))” does not lead to an element of the document by its identifier, and nothing is fetched."
                )
            }
            return try index.element(identifier: identifier)
        }
    }

    /// Where its start tag begins.
    package var offset: Int
    var signedInfo: DocumentIndex.Element
    var form: XMLCanonicalization
    var method: SignatureMethod
    package var references: [Reference]
    package var value: [UInt8]
    /// The certificates of X509Data.
    package var certificates: [EncodedCertificate]
    /// Where the start tag of the one `SecurityTokenReference` in KeyInfo begins (SOAP Message Security 1.1 §7); nil for
    /// none.
    package var tokenReference: Int?

    static let namespace = XMLNamespace("http://www.w3.org/2000/09/xmldsig#")
    static let exclusive = XMLNamespace("http://www.w3.org/2001/10/xml-exc-c14n#")
    package static let x509Data = XMLName(namespace, "X509Data")
    static let wsse = XMLNamespace("http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd")
    static let tokenReferenceName = XMLName(wsse, "SecurityTokenReference")
    package static let maximumReferences = 32
    /// The references that lead to elements.
    package var elementReferences: [Reference] { references.filter { !$0.isAttachment } }
    /// The longest list of prefixes, in bytes.
    package static let maximumListBytes = 4096
    package static let maximumCertificates = 10
}

extension SignatureElement {
    /// Reads the signature whose start tag begins at `offset`.
    package init(at offset: Int, of document: [UInt8], limits: XMLLimits) throws(XMLSignatureError) {
        do {
            self = try XMLReader.read(document, limits: limits) { reader throws in
                while try reader.next() != .endOfDocument {
                    guard reader.startTagOffset == offset else { continue }
                    return try SignatureParser(offset: offset).signature(&reader)
                }
                throw XMLSignatureError(.malformed, "There is no signature at byte \(offset) of the document.")
            }
        } catch let error as XMLSignatureError { throw error } catch {
            throw XMLSignatureError(.malformed, "The signature cannot be read: \(error)", cause: error)
        }
    }
}

/// Reads a `Signature`.
private struct SignatureParser: ExactParser {
    let offset: Int

    func signature(_ reader: inout XMLReader) throws -> SignatureElement {
        // A comment could hide a part of a value from one reader and not from another.
        reader.refusesCommentsAndInstructions = true
        try child(&reader, ds("SignedInfo"))
        let begin = reader.startTagOffset ?? 0
        try child(&reader, ds("CanonicalizationMethod"))
        let form = try canonicalization(&reader, algorithm(&reader), "canonicalization")
        try child(&reader, ds("SignatureMethod"))
        let name = algorithm(&reader)
        guard let method = SignatureAlgorithms.signature.first(where: { $0.uri == name })?.method else {
            throw SignatureAlgorithms.unknown("signature algorithm", name)
        }
        if try reader.nextChild() {
            throw problem("SignatureMethod has “\(reader.elementName)”, where no parameters are allowed")
        }
        var references: [SignatureElement.Reference] = []
        while try reader.nextChild() {
            guard reader.isElement(ds("Reference")) else { throw unexpected(&reader, "Reference") }
            guard references.count < SignatureElement.maximumReferences else {
                throw problem("SignedInfo has more than \(SignatureElement.maximumReferences) references")
            }
            references.append(try reference(&reader))
        }
        guard !references.isEmpty else { throw problem("SignedInfo has no Reference, so that nothing is signed") }
        let signedInfo = DocumentIndex.Element(
            namespaceURI: SignatureElement.namespace.uri, localName: "SignedInfo", range: begin..<reader.bytesRead)
        try child(&reader, ds("SignatureValue"))
        let value = try base64(&reader, "SignatureValue")
        var key = KeyInfo()
        var isKeyInfoAllowed = true
        while try reader.nextChild() {
            if isKeyInfoAllowed, reader.isElement(ds("KeyInfo")) {
                key = try keyInfo(&reader)
            } else if reader.isElement(ds("Object")) {
                // What is inside may have comments like any other content.
                reader.refusesCommentsAndInstructions = false
                try reader.skipElement()
                reader.refusesCommentsAndInstructions = true
            } else {
                throw unexpected(&reader, "Object")
            }
            isKeyInfoAllowed = false
        }
        return SignatureElement(
            offset: offset, signedInfo: signedInfo, form: form, method: method, references: references, value: value,
            certificates: key.certificates, tokenReference: key.tokenReference)
    }

    private func reference(_ reader: inout XMLReader) throws -> SignatureElement.Reference {
        guard let uri = reader.attribute("URI") else {
            throw problem("a Reference has no URI, so that it is unknown what is signed")
        }
        var isEnveloped = false
        var isTokenReference = false
        var isAttachment = false
        var form: XMLCanonicalization?
        guard try reader.nextChild() else { throw problem("a Reference is empty") }
        if reader.isElement(ds("Transforms")) {
            while try reader.nextChild() {
                guard reader.isElement(ds("Transform")) else { throw unexpected(&reader, "Transform") }
                let name = algorithm(&reader)
                if name == SignatureAlgorithms.enveloped, !isEnveloped, form == nil, !isAttachment {
                    isEnveloped = true
                    try end(&reader, "Transform")
                } else if name == SignatureAlgorithms.token, !isEnveloped, form == nil, !isAttachment {
                    isTokenReference = true
                    let parameters = XMLName(SignatureElement.wsse, "TransformationParameters")
                    try child(&reader, parameters)
                    try child(&reader, ds("CanonicalizationMethod"))
                    form = try canonicalization(&reader, algorithm(&reader), "canonicalization")
                    try end(&reader, parameters.localName)
                    try end(&reader, "Transform")
                } else if name == SignatureAlgorithms.attachment, !isEnveloped, form == nil, !isAttachment {
                    guard uri.utf8.starts(with: "cid:".utf8) else {
                        throw problem("a Reference for an attachment leads to “\(uri.prefix(200))”")
                    }
                    isAttachment = true
                    try end(&reader, "Transform")
                } else {
                    guard form == nil, !isAttachment else {
                        throw problem("a transform follows one that must be the last, or stands there twice")
                    }
                    form = try canonicalization(&reader, name, "transform")
                }
            }
            guard try reader.nextChild() else { throw problem("a Reference has no DigestMethod") }
        }
        guard reader.isElement(ds("DigestMethod")) else { throw unexpected(&reader, "DigestMethod") }
        let name = algorithm(&reader)
        guard let method = SignatureAlgorithms.digest.first(where: { $0.uri == name })?.method else {
            throw SignatureAlgorithms.unknown("digest", name)
        }
        try end(&reader, "DigestMethod")
        try child(&reader, ds("DigestValue"))
        let digest = try base64(&reader, "DigestValue")
        try end(&reader, "Reference")
        // What no transform makes into bytes has the inclusive form (§4.4.3.2).
        return SignatureElement.Reference(
            uri: uri, isEnveloped: isEnveloped, isTokenReference: isTokenReference, isAttachment: isAttachment,
            form: form ?? XMLCanonicalization(.inclusive10), digestMethod: method,
            digest: digest)
    }

    /// Reads the rest of an element that names a canonicalization.
    private func canonicalization(
        _ reader: inout XMLReader, _ name: String, _ what: String
    ) throws -> XMLCanonicalization {
        guard let method = SignatureAlgorithms.canonicalization.first(where: { $0.uri == name })?.method else {
            throw SignatureAlgorithms.unknown(what, name)
        }
        // A reference to an element of the document has no comments, whatever the method (§4.4.3.3); SignedInfo has none.
        var form = XMLCanonicalization(method)
        var hasList = false
        while try reader.nextChild() {
            guard method == .exclusive10, !hasList,
                reader.isElement(XMLName(SignatureElement.exclusive, "InclusiveNamespaces"))
            else { throw unexpected(&reader, "the end of \(what)") }
            hasList = true
            let list = reader.attribute("PrefixList") ?? ""
            guard list.utf8.count <= SignatureElement.maximumListBytes else {
                throw problem("the PrefixList has more than \(SignatureElement.maximumListBytes) bytes")
            }
            form.inclusiveNamespaces = list.split { " \t\r\n".contains($0) }.map(String.init)
            try end(&reader, "InclusiveNamespaces")
        }
        return form
    }

    private struct KeyInfo {
        var certificates: [EncodedCertificate] = []
        var tokenReference: Int?
    }

    /// Reads KeyInfo; other ways to name a key only help to find one that is trusted otherwise.
    private func keyInfo(_ reader: inout XMLReader) throws -> KeyInfo {
        var key = KeyInfo()
        while try reader.nextChild() {
            if reader.isElement(SignatureElement.tokenReferenceName) {
                guard key.tokenReference == nil else { throw problem("KeyInfo has two SecurityTokenReferences") }
                key.tokenReference = reader.startTagOffset
            }
            guard reader.isElement(SignatureElement.x509Data) else {
                try reader.skipElement()
                continue
            }
            key.certificates += try X509Data(&reader).certificates
            guard key.certificates.count <= SignatureElement.maximumCertificates else {
                throw problem("KeyInfo has more than \(SignatureElement.maximumCertificates) certificates")
            }
        }
        return key
    }

    func problem(_ what: String) -> XMLSignatureError {
        XMLSignatureError(.malformed, "The signature at byte \(offset) of the document is malformed: \(what).")
    }
}
