import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML

/// How KeyInfo names the certificate of the signer (X.509 Certificate Token Profile 1.1 §3.2).
struct TokenReference: Sendable {
    /// The identifier of a token in the header; nil when the signer is named otherwise.
    private(set) var identifier: String?
    /// The identifier of a SAML assertion (SAML Token Profile 1.1 §3.4); nil when the signer is named otherwise.
    private(set) var assertion: String?
    /// The namespace of that assertion, which the type of the identifier tells.
    private(set) var assertionNamespace: String?
    /// The certificates in the reference itself.
    private var certificates: [EncodedCertificate] = []
    /// Other ways to name a certificate, which only tell which one of the known certificates it is.
    private(set) var names: [CertificateName] = []
    /// Why the reference leads to no certificate; nil when it does, or names a known one.
    private var problem: SecurityDefect?

    init(of signature: SignatureElement, in document: [UInt8], limits: XMLLimits) throws {
        try self.init(at: signature.tokenReference, in: document, limits: limits)
        if signature.tokenReference == nil { certificates = signature.certificates }
    }

    init(of key: EncryptedKey, in document: [UInt8], limits: XMLLimits) throws {
        try self.init(at: key.tokenReference, in: document, limits: limits)
        if key.tokenReference == nil { (certificates, names) = (key.certificates, key.names) }
    }

    /// - Parameter place: where the start tag begins; nil for a reference that is not there.
    init(at place: Int?, in document: [UInt8], limits: XMLLimits) throws {
        guard let place else { return }
        try XMLReader.read(document, limits: limits) { reader throws in
            while try reader.next() != .endOfDocument {
                guard reader.startTagOffset == place else { continue }
                do { try read(&reader) } catch { problem = SecurityDefect(of: error) }
                return
            }
        }
    }

    private mutating func read(_ reader: inout XMLReader) throws {
        guard try reader.nextChild() else {
            throw SecurityDefect(.invalidSecurity, "a SecurityTokenReference is empty")
        }
        if reader.isElement(SecurityName.reference) {
            let uri = reader.attribute("URI") ?? ""
            guard uri.hasPrefix("#"), uri.utf8.count > 1 else {
                throw SecurityDefect(
                    .securityTokenUnavailable, "the reference “\(uri.printable)” leads to no token in the message")
            }
            identifier = String(uri.dropFirst())
            try reader.skipElement()
        } else if reader.isElement(SecurityName.keyIdentifier) {
            let type = reader.attribute("ValueType")
            if let version = SAMLAssertion.Version.allCases.first(where: { $0.names.keyIdentifierType == type }) {
                let text = try reader.elementText().trimmedXMLSpace
                guard XMLName.isNCName(text) else {
                    throw SecurityDefect(.invalidSecurityToken, "a KeyIdentifier names no assertion")
                }
                (assertion, assertionNamespace) = (text, version.names.namespace.uri)
                guard try !reader.nextChild() else { throw Self.several }
                return
            }
            guard let bytes = Text.bytes(base64: try reader.elementText().utf8), !bytes.isEmpty else {
                throw SecurityDefect(.invalidSecurityToken, "a KeyIdentifier is not in Base64")
            }
            switch type {
            case CertificateToken.certificate: certificates = [EncodedCertificate(der: bytes)]
            case SecurityName.thumbprintType: names = [.thumbprint(bytes)]
            case SecurityName.subjectKeyIdentifierType: names = [.subjectKeyIdentifier(bytes)]
            default: break
            }
        } else if reader.isElement(SignatureElement.x509Data) {
            let data = try X509Data(&reader)
            (certificates, names) = (data.certificates, data.names)
        } else {
            throw SecurityDefect(
                .unsupportedSecurityToken,
                "a SecurityTokenReference with “\(reader.elementName.printable)” is not supported")
        }
        guard try !reader.nextChild() else { throw Self.several }
    }

    private static var several: SecurityDefect {
        SecurityDefect(.invalidSecurity, "a SecurityTokenReference names several tokens")
    }

    /// The token that the reference names; nil when it names none in the header.
    func part(in envelope: SecuredEnvelope, _ index: DocumentIndex) throws -> SecuredEnvelope.Part? {
        if let assertion {
            let element = try index.element(identifier: assertion)
            guard
                let token = envelope.securityParts.first(where: {
                    $0.element == element && $0.assertion == assertion && element.namespaceURI == assertionNamespace
                })
            else {
                throw SecurityDefect(
                    .securityTokenUnavailable,
                    "a reference leads to the assertion “\(assertion.printable)”, which is not there")
            }
            return token
        }
        guard let identifier else { return nil }
        let element = try index.element(identifier: identifier)
        guard let token = envelope.securityParts.first(where: { $0.element == element }), token.certificates != nil
        else {
            throw SecurityDefect(
                .securityTokenUnavailable, "a reference leads to “\(identifier.printable)”, which is no token")
        }
        return token
    }

    /// The token that the reference names; nil when it names none in the header.
    ///
    /// - Throws: ``SecurityDefect`` also for a reference that is malformed.
    func token(in envelope: SecuredEnvelope, _ index: DocumentIndex) throws -> SecuredEnvelope.Part? {
        if let problem { throw problem }
        return try part(in: envelope, index)
    }

    /// The certificates that came with the signature, the signer's first, and those of other tokens, which can lead to its
    /// authority.
    func certificates(_ envelope: SecuredEnvelope, _ index: DocumentIndex) throws -> [EncodedCertificate] {
        if let problem { throw problem }
        guard let token = try part(in: envelope, index) else { return certificates }
        guard let found = token.certificates, !found.isEmpty else {
            throw SecurityDefect(.unsupportedSecurityToken, "the token of the signature holds no certificate")
        }
        let others = envelope.securityParts.filter { $0.element != token.element }.flatMap { $0.certificates ?? [] }
        return Array((found + others).prefix(SignatureElement.maximumCertificates))
    }
}
