public import SignetSOAP
public import SignetSignature
public import SignetTLS
import SignetXML

/// How messages are encrypted for the owner of a certificate (SOAP Message Security 1.1 §9, XML Encryption 1.1).
///
/// ```swift
/// var security = SecurityHeader(lifetime: .seconds(300))
/// security.signature = try SignatureProfile(identity)
/// security.encryption = try EncryptionProfile(for: bank)
/// service.headerProviders = [security]
/// ```
///
/// A message is signed first, and encrypted then: only the receiver sees what is signed.
public struct EncryptionProfile: Sendable {
    /// What is encrypted: the content of the body, the UsernameToken, or both. The default is the body. A call whose message lacks a
    /// part that is named here, or whose profile names another one, ends with an error before anything is sent.
    public var parts: Set<MessagePart> = [.body]
    /// Whether the signature is encrypted as well, so that an attacker who guesses the content cannot compare the guess with its digest
    /// (Basic Security Profile 1.1 §19.4). The default is true. It does not go together with CBC, by which a signature could be changed.
    public var encryptsSignature = true
    /// How the content is encrypted. The default is AES-256-GCM.
    public var content = ContentEncryption.aes256GCM
    /// How the key of the content is encrypted. The default is RSA-OAEP for an RSA key, and ECDH-ES for a key on a curve.
    public var key: KeyEncryption
    /// How a message brings or names the certificate. The default is its thumbprint.
    public var reference = CertificateReference.thumbprint
    /// The limits of the messages. Messages that exceed them are not sent; raise them with those of the calls
    /// (`CallSettings.xmlLimits`) or of the service.
    public var limits = XMLLimits()

    /// Whose key decrypts the messages.
    public let recipient: EncodedCertificate

    /// - Parameter recipient: the certificate of the receiver. It is not judged: take it from a source that you trust.
    /// - Throws: ``WSSecurityError`` with `cannotEncrypt` for a certificate whose key only signs, or whose key usage forbids it.
    public init(for recipient: EncodedCertificate) throws(WSSecurityError) {
        self.recipient = recipient
        do { key = try XMLEncryptor(for: recipient, .aes256GCM).key } catch {
            throw WSSecurityError(.cannotEncrypt, "Messages cannot be encrypted: \(error.reason).")
        }
    }
}

extension EncryptionProfile {
    /// Refuses a message that would be sent in the clear in part.
    func check(_ message: SOAPMessage) throws(WSSecurityError) {
        guard message.attachments.isEmpty else {
            throw WSSecurityError(
                .cannotEncrypt,
                "The message has attachments, which cannot be encrypted: send binary values in the envelope, without attachments."
            )
        }
    }

    /// Encrypts parts of an envelope that has a Security header block.
    ///
    /// - Parameter role: that of the Security header block.
    func encrypt(_ envelope: [UInt8], role: SOAPRole?) throws(WSSecurityError) -> [UInt8] {
        do { return try encrypted(envelope, role) } catch let error as WSSecurityError { throw error } catch {
            let reason = (error as? EncryptionProblem)?.reason ?? (error as? SecurityDefect)?.reason ?? "\(error)"
            throw WSSecurityError(.cannotEncrypt, "The message cannot be encrypted: \(reason).", cause: error)
        }
    }

    private func encrypted(_ given: [UInt8], _ role: SOAPRole?) throws -> [UInt8] {
        let encryptor = try XMLEncryptor(for: recipient, content, key)
        let secret = encryptor.newKey()
        let keyIdentifier = SecurityName.newIdentifier("EncryptedKey")
        let keyInfo = """
            <wsse:SecurityTokenReference xmlns:wsse="\(SecurityName.extensions.uri)" \
            xmlns:wsse11="\(SecurityName.extensions11.uri)" wsse11:TokenType="\(SecurityName.encryptedKeyType)">\
            <wsse:Reference URI="#\(keyIdentifier)" ValueType="\(SecurityName.encryptedKeyType)"/></wsse:SecurityTokenReference>
            """
        let envelope = try SecuredEnvelope(signing: given, role: role, limits: limits)
        guard let security = envelope.security else {
            throw WSSecurityError(.cannotEncrypt, "The message has no Security header block for its key.")
        }
        var edits: [DocumentEdit] = []
        var identifiers: [String] = []
        for part in try wanted(envelope) {
            let identifier = SecurityName.newIdentifier("EncryptedData")
            let isElement = part.element != envelope.body.element
            let range = isElement ? part.element.range : given.contentRange(of: part)
            let data = try encryptor.encryptedData(
                Array(given[range]), isElement: isElement, with: secret, identifier: identifier, keyInfo: keyInfo)
            edits.append(isElement ? DocumentEdit(range, Array(data.utf8)) : given.edit(contentOf: part, range, data))
            identifiers.append(identifier)
        }
        let (name, token, _) = try reference.text(of: [recipient])
        let key = try encryptor.encryptedKey(
            secret, identifier: keyIdentifier, recipient: name, references: identifiers)
        // A receiver undoes first what stands first (§5).
        let begin = given.contentRange(of: security).lowerBound
        edits.append(given.edit(contentOf: security, begin..<begin, token + key))
        return try given.applying(edits).bytes
    }

    private func wanted(_ envelope: SecuredEnvelope) throws(WSSecurityError) -> [SecuredEnvelope.Part] {
        var found: [SecuredEnvelope.Part] = []
        for part in parts {
            guard part == .body || part == .usernameToken else {
                throw WSSecurityError(
                    .cannotEncrypt,
                    "\(part) cannot be encrypted: the profile of the encryption can name the Body and the UsernameToken."
                )
            }
            let elements = envelope.elements(of: part)
            guard !elements.isEmpty else {
                throw WSSecurityError(
                    .cannotEncrypt, "The message lacks \(part), which the profile of the encryption names.")
            }
            found += elements
        }
        guard !found.isEmpty else {
            throw WSSecurityError(.cannotEncrypt, "The profile of the encryption names nothing to encrypt.")
        }
        guard content.isAuthenticated || !encryptsSignature && !parts.contains(.usernameToken) else {
            throw WSSecurityError(
                .cannotEncrypt,
                "A signature and a UsernameToken are not encrypted with CBC: set encryptsSignature of the EncryptionProfile to false and leave the UsernameToken out, or choose GCM."
            )
        }
        if encryptsSignature {
            // A SignatureConfirmation repeats a signature.
            found += envelope.securityParts.filter {
                $0.is(SecurityName.signature) || $0.is(SecurityName.signatureConfirmation)
            }
        }
        return found
    }
}

extension [UInt8] {
    /// Replaces a range in the content of an element, which gets an end tag if it has none.
    fileprivate func edit(contentOf part: SecuredEnvelope.Part, _ range: Range<Int>, _ text: String) -> DocumentEdit {
        let end = DocumentGap(endOf: part.element.range, in: self)
        return end.before.isEmpty ? DocumentEdit(range, Array(text.utf8)) : DocumentEdit(end, Array(text.utf8))
    }
}
