package import SignetTLS
package import SignetXML

/// An `EncryptedData` as it was read (XML Encryption 1.1 §3.4).
package struct EncryptedContent: Sendable {
    /// Whether it stands for one element; otherwise, for what stands in an element.
    package var isElement: Bool
    package var method: ContentEncryption
    package var value: [UInt8]
    /// The key in its own KeyInfo; nil for a key that stands elsewhere.
    package var key: EncryptedKey?
    /// Where the start tag of the one `SecurityTokenReference` in KeyInfo begins; nil for none.
    package var tokenReference: Int?
    /// What each prefix stands for around the element.
    package var namespaces: [String: String]

    package static let name = XMLName(EncryptionParser.namespace, "EncryptedData")
}

/// An `EncryptedKey` as it was read (XML Encryption 1.1 §3.5.1).
package struct EncryptedKey: Sendable {
    enum Method: Sendable {
        case transport(OAEPHash)
        case agreement(EncryptedKeyAgreement, keySize: Int)
    }

    /// The value of its `Id`; nil for none.
    package var identifier: String?
    var method: Method
    var value: [UInt8]
    /// The certificates of X509Data.
    package var certificates: [EncodedCertificate]
    /// How X509Data names certificates that it does not bring.
    package var names: [CertificateName]
    /// Where the start tag of the one `SecurityTokenReference` in KeyInfo begins; nil for none.
    package var tokenReference: Int?
    /// The identifiers of the elements that are encrypted with this key.
    package var references: [String]

    package static let name = XMLName(EncryptionParser.namespace, "EncryptedKey")
    package static let maximumReferences = 16
}

/// What `AgreementMethod` has (XML Encryption 1.1 §5.6.4).
struct EncryptedKeyAgreement: Sendable {
    var curve: NamedCurve
    var point: [UInt8]
    var hash: SigningAlgorithm.Hash
    /// What the derivation hashes besides the secret.
    var information: [UInt8]
}

/// Reads elements of a document by their places, all of them in one pass.
package enum EncryptedElements {
    /// A list of what is encrypted, which stands by itself (XML Encryption 1.1 §3.6).
    package static let list = XMLName(EncryptionParser.namespace, "ReferenceList")

    package static func keys(
        of document: [UInt8], at offsets: [Int], limits: XMLLimits
    ) throws(EncryptionProblem) -> [EncryptedKey] {
        try read(document, offsets, limits) { reader, parser throws in try parser.key(&reader) }
    }

    package static func contents(
        of document: [UInt8], at offsets: [Int], limits: XMLLimits
    ) throws(EncryptionProblem) -> [EncryptedContent] {
        try read(document, offsets, limits) { reader, parser throws in try parser.content(&reader) }
    }

    /// The identifiers in lists of references that stand by themselves.
    package static func references(
        of document: [UInt8], at offsets: [Int], limits: XMLLimits
    ) throws(EncryptionProblem) -> [String] {
        try read(document, offsets, limits) { reader, parser throws in try parser.references(&reader) }.flatMap(\.self)
    }

    /// In the order of `offsets`.
    private static func read<Value>(
        _ document: [UInt8], _ offsets: [Int], _ limits: XMLLimits,
        _ body: (inout XMLReader, EncryptionParser) throws -> Value
    ) throws(EncryptionProblem) -> [Value] {
        guard !offsets.isEmpty else { return [] }
        do {
            var found: [Int: Value] = [:]
            let count = Set(offsets).count
            try XMLReader.read(document, limits: limits) { reader throws in
                while found.count < count, try reader.next() != .endOfDocument {
                    guard let offset = reader.startTagOffset, offsets.contains(offset), found[offset] == nil else {
                        continue
                    }
                    found[offset] = try body(&reader, EncryptionParser(offset: offset))
                }
            }
            return try offsets.map { offset in
                guard let value = found[offset] else {
                    throw EncryptionProblem(.malformed, "nothing encrypted stands at byte \(offset)")
                }
                return value
            }
        } catch let problem as EncryptionProblem { throw problem } catch {
            throw EncryptionProblem(.malformed, "what is encrypted cannot be read: \(error)")
        }
    }
}

/// Reads the elements.
private struct EncryptionParser: ExactParser {
    static let namespace = XMLNamespace("http://www.w3.org/2001/04/xmlenc#")
    static let namespace11 = XMLNamespace("http://www.w3.org/2009/xmlenc11#")
    static let signature11 = XMLNamespace("http://www.w3.org/2009/xmldsig11#")

    let offset: Int

    func content(_ reader: inout XMLReader) throws -> EncryptedContent {
        guard reader.isElement(EncryptedContent.name) else { throw unexpected(&reader, "EncryptedData") }
        // A comment could hide a part of a value from one reader and not from another.
        reader.refusesCommentsAndInstructions = true
        defer { reader.refusesCommentsAndInstructions = false }
        let type = reader.attribute("Type") ?? ""
        let namespaces = reader.namespacesAround
        guard [Self.namespace.uri + "Element", Self.namespace.uri + "Content"].contains(type) else {
            throw EncryptionProblem(
                .unsupported,
                "the EncryptedData at byte \(offset) has the Type “\(type.prefix(200))”, which is neither an element nor content"
            )
        }
        try child(&reader, xenc("EncryptionMethod"))
        let name = algorithm(&reader)
        guard let method = EncryptionAlgorithms.content.first(where: { $0.uri == name })?.method else {
            throw EncryptionAlgorithms.unknown("encryption", name)
        }
        while try reader.nextChild() {
            guard reader.isElement(xenc("KeySize")) else { throw unexpected(&reader, "the end of EncryptionMethod") }
            try reader.skipElement()
        }
        var result = EncryptedContent(
            isElement: type.hasSuffix("Element"), method: method, value: [], namespaces: namespaces)
        guard try reader.nextChild() else { throw problem("there is no CipherData") }
        if reader.isElement(ds("KeyInfo")) {
            while try reader.nextChild() {
                if reader.isElement(SignatureElement.tokenReferenceName) {
                    guard result.tokenReference == nil else { throw problem("there are two SecurityTokenReferences") }
                    result.tokenReference = reader.startTagOffset
                    try reader.skipElement()
                } else if reader.isElement(EncryptedKey.name) {
                    guard result.key == nil else { throw problem("there are two EncryptedKeys") }
                    result.key = try key(&reader)
                    reader.refusesCommentsAndInstructions = true
                } else {
                    try reader.skipElement()
                }
            }
            guard try reader.nextChild() else { throw problem("there is no CipherData") }
        }
        result.value = try cipherValue(&reader)
        while try reader.nextChild() {
            guard reader.isElement(xenc("EncryptionProperties")) else { throw unexpected(&reader, "the end") }
            try reader.skipElement()
        }
        return result
    }

    func key(_ reader: inout XMLReader) throws -> EncryptedKey {
        guard reader.isElement(EncryptedKey.name) else { throw unexpected(&reader, "EncryptedKey") }
        reader.refusesCommentsAndInstructions = true
        defer { reader.refusesCommentsAndInstructions = false }
        let identifier = reader.attribute("Id")
        try child(&reader, xenc("EncryptionMethod"))
        let name = algorithm(&reader)
        let wrap = EncryptionAlgorithms.wrap.first { $0.uri == name }
        let transport = wrap == nil ? try transport(&reader, name) : nil
        if wrap != nil, try reader.nextChild() { throw unexpected(&reader, "the end of EncryptionMethod") }
        var info = KeyInfo()
        guard try reader.nextChild() else { throw problem("there is no CipherData") }
        if reader.isElement(ds("KeyInfo")) {
            while try reader.nextChild() { try keyInfo(&reader, &info) }
            guard try reader.nextChild() else { throw problem("there is no CipherData") }
        }
        let method: EncryptedKey.Method
        switch (transport, wrap, info.agreement) {
        case (let hash?, nil, nil): method = .transport(hash)
        case (nil, let wrap?, let agreement?): method = .agreement(agreement, keySize: wrap.keySize)
        case (_, _?, nil):
            throw EncryptionProblem(.unsupported, "an EncryptedKey is wrapped with a key that the two sides share")
        default: throw problem("there is an AgreementMethod and no key wrap")
        }
        let value = try cipherValue(&reader)
        var references: [String] = []
        while try reader.nextChild() {
            if reader.isElement(EncryptedElements.list) {
                references += try self.references(&reader)
            } else if reader.isElement(xenc("CarriedKeyName")) || reader.isElement(xenc("EncryptionProperties")) {
                try reader.skipElement()
            } else {
                throw unexpected(&reader, "the end of EncryptedKey")
            }
        }
        return EncryptedKey(
            identifier: identifier, method: method, value: value, certificates: info.x509.certificates,
            names: info.x509.names, tokenReference: info.tokenReference, references: references)
    }

    func references(_ reader: inout XMLReader) throws -> [String] {
        var identifiers: [String] = []
        while try reader.nextChild() {
            guard reader.isElement(xenc("DataReference")) else { throw unexpected(&reader, "DataReference") }
            let uri = reader.attribute("URI") ?? ""
            guard uri.hasPrefix("#"), uri.utf8.count > 1, !uri.contains("(") else {
                throw EncryptionProblem(
                    .unsupported,
                    "the reference “\(uri.prefix(200))” does not lead to an element of the document by its identifier, and nothing is fetched"
                )
            }
            identifiers.append(String(uri.dropFirst()))
            guard identifiers.count <= EncryptedKey.maximumReferences else {
                throw problem("there are more than \(EncryptedKey.maximumReferences) references")
            }
            try end(&reader, "DataReference")
        }
        return identifiers
    }

    // MARK: Keys

    /// Reads the rest of EncryptionMethod for RSAES-OAEP (§5.5.2).
    private func transport(_ reader: inout XMLReader, _ name: String) throws -> OAEPHash {
        guard name == EncryptionAlgorithms.oaep10 || name == EncryptionAlgorithms.oaep11 else {
            throw EncryptionAlgorithms.unknown("encryption of a key", name)
        }
        var digest = OAEPHash.sha1
        var mask = OAEPHash.sha1
        while try reader.nextChild() {
            let uri = algorithm(&reader)
            if reader.isElement(ds("DigestMethod")) {
                guard let hash = EncryptionAlgorithms.oaepDigest.first(where: { $0.uri == uri })?.hash else {
                    throw EncryptionAlgorithms.unknown("hash of RSA-OAEP", uri)
                }
                digest = hash
            } else if reader.isElement(XMLName(Self.namespace11, "MGF")), name == EncryptionAlgorithms.oaep11 {
                guard let hash = EncryptionAlgorithms.mask.first(where: { $0.uri == uri })?.hash else {
                    throw EncryptionAlgorithms.unknown("mask of RSA-OAEP", uri)
                }
                mask = hash
            } else if reader.isElement(xenc("KeySize")) {
                try reader.skipElement()
                continue
            } else if reader.isElement(xenc("OAEPparams")) {
                guard try reader.elementText().trimmedXMLSpace.isEmpty else {
                    throw EncryptionProblem(.unsupported, "an RSA-OAEP with a label is not supported")
                }
                continue
            } else {
                throw unexpected(&reader, "the end of EncryptionMethod")
            }
            try end(&reader, "an algorithm")
        }
        guard digest == mask else {
            throw EncryptionProblem(
                .unsupported, "an RSA-OAEP with SHA-1 and SHA-256 for its hash and its mask is not supported")
        }
        return digest
    }

    private struct KeyInfo {
        var x509 = X509Data()
        var tokenReference: Int?
        var agreement: EncryptedKeyAgreement?
    }

    private func keyInfo(_ reader: inout XMLReader, _ info: inout KeyInfo) throws {
        if reader.isElement(SignatureElement.tokenReferenceName) {
            guard info.tokenReference == nil else { throw problem("there are two SecurityTokenReferences") }
            info.tokenReference = reader.startTagOffset
            try reader.skipElement()
        } else if reader.isElement(SignatureElement.x509Data) {
            let data = try X509Data(&reader)
            info.x509.certificates += data.certificates
            info.x509.names += data.names
            guard info.x509.certificates.count + info.x509.names.count <= SignatureElement.maximumCertificates else {
                throw problem("there are more than \(SignatureElement.maximumCertificates) certificates")
            }
        } else if reader.isElement(xenc("AgreementMethod")) {
            guard info.agreement == nil else { throw problem("there are two AgreementMethods") }
            info.agreement = try agreement(&reader, &info)
        } else if reader.isElement(EncryptedKey.name) {
            throw EncryptionProblem(.unsupported, "an EncryptedKey is encrypted with another one")
        } else {
            // A KeyName says nothing to a receiver that knows certificates.
            try reader.skipElement()
        }
    }

    private func agreement(_ reader: inout XMLReader, _ info: inout KeyInfo) throws -> EncryptedKeyAgreement {
        let name = algorithm(&reader)
        guard name == EncryptionAlgorithms.agreement else {
            throw EncryptionAlgorithms.unknown("key agreement", name)
        }
        try child(&reader, XMLName(Self.namespace11, "KeyDerivationMethod"))
        let (hash, information) = try derivation(&reader)
        try child(&reader, xenc("OriginatorKeyInfo"))
        var originator: (NamedCurve, [UInt8])?
        while try reader.nextChild() {
            guard originator == nil, reader.isElement(ds("KeyValue")) else {
                try reader.skipElement()
                continue
            }
            originator = try publicKey(&reader)
        }
        guard let (curve, point) = originator else { throw problem("OriginatorKeyInfo has no KeyValue") }
        while try reader.nextChild() {
            guard reader.isElement(xenc("RecipientKeyInfo")) else { throw unexpected(&reader, "RecipientKeyInfo") }
            while try reader.nextChild() {
                guard !reader.isElement(xenc("AgreementMethod")) else { throw unexpected(&reader, "a certificate") }
                try keyInfo(&reader, &info)
            }
        }
        return EncryptedKeyAgreement(curve: curve, point: point, hash: hash, information: information)
    }

    /// Reads the rest of KeyValue with a key on a curve (XML Signature 1.1 §4.5.2.3).
    private func publicKey(_ reader: inout XMLReader) throws -> (NamedCurve, [UInt8]) {
        try child(&reader, XMLName(Self.signature11, "ECKeyValue"))
        try child(&reader, XMLName(Self.signature11, "NamedCurve"))
        let uri = reader.attribute("URI") ?? ""
        guard uri.hasPrefix("urn:oid:"), let curve = NamedCurve(rawValue: String(uri.dropFirst(8))) else {
            throw EncryptionAlgorithms.unknown("curve", uri)
        }
        try end(&reader, "NamedCurve")
        try child(&reader, XMLName(Self.signature11, "PublicKey"))
        let point = try base64(&reader, "PublicKey")
        for name in ["ECKeyValue", "KeyValue"] { try end(&reader, name) }
        return (curve, point)
    }

    /// Reads ConcatKDF (§5.4.1).
    private func derivation(_ reader: inout XMLReader) throws -> (SigningAlgorithm.Hash, [UInt8]) {
        let name = algorithm(&reader)
        guard name == EncryptionAlgorithms.derivation else {
            throw EncryptionAlgorithms.unknown("key derivation", name)
        }
        try child(&reader, XMLName(Self.namespace11, "ConcatKDFParams"))
        var information: [UInt8] = []
        for name in ["AlgorithmID", "PartyUInfo", "PartyVInfo", "SuppPubInfo", "SuppPrivInfo"] {
            guard let text = reader.attribute(name) else { continue }
            // Other programs write an empty value for an absent one.
            if text.isEmpty { continue }
            // The first byte says how many bits of padding follow.
            guard text.utf8.count <= 1024, let bytes = Text.bytes(hexadecimal: text), bytes.first == 0,
                !text.contains(":")
            else { throw problem("\(name) of ConcatKDFParams is not a number of whole bytes in hexadecimal digits") }
            information += bytes.dropFirst()
        }
        try child(&reader, ds("DigestMethod"))
        let uri = algorithm(&reader)
        guard case .strong(let hash)? = SignatureAlgorithms.digest.first(where: { $0.uri == uri })?.method else {
            throw EncryptionAlgorithms.unknown("hash of a key derivation", uri)
        }
        for name in ["DigestMethod", "ConcatKDFParams", "KeyDerivationMethod"] { try end(&reader, name) }
        return (hash, information)
    }

    // MARK: Parts

    private func cipherValue(_ reader: inout XMLReader) throws -> [UInt8] {
        guard reader.isElement(xenc("CipherData")) else { throw unexpected(&reader, "CipherData") }
        guard try reader.nextChild() else { throw problem("CipherData is empty") }
        guard reader.isElement(xenc("CipherValue")) else {
            throw EncryptionProblem(
                .unsupported, "“\(reader.elementName)” stands where CipherValue is expected, and nothing is fetched")
        }
        let value = try base64(&reader, "CipherValue")
        try end(&reader, "CipherData")
        return value
    }

    private func xenc(_ name: String) -> XMLName { XMLName(Self.namespace, name) }

    func problem(_ what: String) -> EncryptionProblem {
        EncryptionProblem(.malformed, "the encrypted element at byte \(offset) is malformed: \(what)")
    }
}
