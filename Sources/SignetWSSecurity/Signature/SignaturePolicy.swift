import Crypto
public import SignetSOAP
import SignetSignature
public import SignetTLS
import SignetXML

/// What must be signed in a message that arrives, and by whom (SOAP Message Security 1.1 §8).
///
/// One signature of an accepted signer must cover all that ``signed`` names. The message is then read from the bytes that this
/// signature covers, and from no others: what it does not cover is left out, unless ``unsigned`` names it.
///
/// A prefix that only a value uses, such as in `xsi:type`, is signed only when the signer has listed it (InclusiveNamespaces). If the
/// signer did not list it, reading the value fails.
public struct SignaturePolicy: Sendable {
    /// What the signature must cover; a message without one of these is refused, and so is one whose body is not signed. Only
    /// attachments may be absent: each that the message has must be signed. The default is the body, the Timestamp and the
    /// attachments. Without the Timestamp, an attacker can send an old message again.
    ///
    /// Attachments arrive as they were signed: texts have CR LF at the end of each line, XML is in its exclusive canonical form, and
    /// there are no names and locations, which no signature covers. The media types are as they arrived.
    public var signed: Set<MessagePart> = [.body, .timestamp, .attachments]
    /// What is read although the signature does not cover it; empty unless set. A message with attachments that neither this nor
    /// ``signed`` names is refused.
    public var unsigned: Set<MessagePart> = []
    /// How encrypted messages are decrypted; nil refuses them.
    public var decryption: DecryptionPolicy?
    /// How old the signed Timestamp of a message may be.
    public var freshness = Freshness()
    /// Whether SHA-1 is accepted (``/SignetSignature/XMLSignatureVerifier/acceptsSHA1``).
    public var acceptsSHA1: Bool {
        get { verifier.acceptsSHA1 }
        set { verifier.acceptsSHA1 = newValue }
    }
    /// The limits of the messages; raise them with those of the calls (`CallSettings.xmlLimits`) or of the service
    /// (`ServiceDispatcher.xmlLimits`).
    public var limits = XMLLimits()

    /// What must be signed where a message has it.
    var signedIfPresent: Set<MessagePart> = []
    private var verifier: XMLSignatureVerifier
    /// The assertions whose holders sign; nil when signers are known by their certificates.
    private(set) var assertions: SAMLPolicy?

    /// Accepts the certificates of authorities.
    ///
    /// - Parameters:
    ///   - policy: the authorities. The signers' certificates come with the messages. Nothing is looked up: where the policy
    ///     demands revocation (`hard`), no signer is accepted.
    ///   - accepts: whether a trusted path is that of an expected signer, whose certificate is the first: an authority issues
    ///     certificates to many.
    public init(trusting policy: TrustPolicy, accepts: @escaping @Sendable (CertificationPath) -> Bool) {
        verifier = XMLSignatureVerifier(trusting: policy, accepts: accepts)
    }

    /// Accepts these certificates, and no others. They need not come with the messages; each of them is tried for a message that
    /// names none of them.
    public init(signers: [EncodedCertificate]) { verifier = XMLSignatureVerifier(signers: signers) }

    /// Accepts the holders of the keys that accepted SAML assertions name (SAML Token Profile 1.1 §3.5.2). The assertion comes with the message, and the
    /// signature leads to it and covers it: ``signed`` has `signingToken` as well. Without that, a message can be moved under another assertion of the same
    /// key.
    public init(holdersOf assertions: SAMLPolicy) {
        self.init(signers: [])
        self.assertions = assertions
        signed.insert(.signingToken)
    }
}

extension SignaturePolicy {
    /// A message whose signature is accepted.
    struct Opened: Sendable {
        /// What is signed, as an envelope.
        var envelope: [UInt8]
        var attachments: [MessageAttachment]
        var signer: EncodedCertificate
        /// The verified assertion whose holder is the signer, with the ways in which he can confirm it; nil for another signer.
        var assertion: (SAMLAssertion, [SAMLAssertion.Confirmation])?
        /// The value of the signature.
        var value: [UInt8]
        /// The SHA-256 of the Timestamp, the Body and the attachments; it does not depend on the signature.
        var digest: [UInt8]
        /// Nil when the signature covers no Timestamp.
        var timestamp: ReceivedTimestamp?
        /// The action of WS-Addressing, if it is signed.
        var action: String?
        /// The values of the signatures that the message confirms.
        var confirmed: [[UInt8]]
        var wasEncrypted = false
    }

    /// Each of them costs a stranger's message several passes over it.
    private static let maximumSignatures = 3
    private static let maximumTimestampBytes = 4096
    /// Each of them costs a pass over the message.
    private static let maximumTokenReferences = 2
    /// The elements that have a meaning in the Security header block, and none elsewhere.
    private static let known = [
        SecurityName.binarySecurityToken, SecurityName.signature, SecurityName.timestamp, SecurityName.usernameToken,
        SecurityName.signatureConfirmation, EncryptedKey.name, EncryptedElements.list,
    ]

    /// - Parameters:
    ///   - roles: in which this node acts, besides those that every receiver has.
    ///   - now: since 1970.
    /// - Throws: ``SecurityDefect``.
    func open(_ message: SOAPMessage, roles: Set<SOAPRole> = [], now: Duration) throws -> Opened {
        let (bytes, attachments) = (message.envelope, message.attachments)
        let envelope = try SecuredEnvelope(bytes, roles: roles, limits: limits)
        guard envelope.security != nil else { throw SecurityDefect(.invalidSecurity, "no Security header block") }
        // What stands in the clear says so itself, before a key is used; afterwards, each defect looks the same to the sender.
        if decryption != nil,
            envelope.securityParts.contains(where: { $0.is(EncryptedKey.name) || $0.is(EncryptedElements.list) })
        {
            let parts = envelope.elements(of: .timestamp)
            // Nothing is known about the sender yet, so the work for him is small.
            guard parts.count <= 1, parts.allSatisfy({ $0.element.range.count <= Self.maximumTimestampBytes }) else {
                throw SecurityDefect(
                    .invalidSecurity,
                    "there is a second Timestamp, or one with more than \(Self.maximumTimestampBytes) bytes")
            }
            for part in parts { try Self.timestamp(part, of: bytes, limits)?.check(freshness, now: now) }
        }
        let decrypted = try DecryptedMessage(bytes, envelope, decryption, limits: limits)
        guard !decrypted.places.isEmpty else { return try open(bytes, envelope, attachments, roles, now) }
        do { return try open(decrypted, attachments, roles, now) } catch {
            try Self.rethrowOwn(error)
            let reason = decrypted.hasDecoy ? "a part cannot be decrypted" : SecurityDefect(of: error).reason
            throw SecurityDefect(.failedCheck, "the encrypted message is refused: \(reason)")
        }
    }

    private func open(
        _ decrypted: DecryptedMessage, _ attachments: [MessageAttachment], _ roles: Set<SOAPRole>, _ now: Duration
    ) throws -> Opened {
        let refusal = SecurityDefect(.failedCheck, "a part cannot be decrypted")
        guard !decrypted.hasDecoy || !decrypted.isAuthenticated else { throw refusal }
        guard let envelope = try? SecuredEnvelope(decrypted.envelope, roles: roles, limits: limits) else {
            guard !decrypted.isAuthenticated else { throw refusal }
            // Content that is well-formed by itself can be too deep for its place. The work must be the same all the same.
            let message = try decrypted.withDecoys()
            _ = try open(message, try SecuredEnvelope(message, roles: roles, limits: limits), attachments, roles, now)
            throw refusal
        }
        var opened = try open(decrypted.envelope, envelope, attachments, roles, now)
        guard !decrypted.hasDecoy else { throw refusal }
        opened.wasEncrypted = true
        return opened
    }

    /// Errors that say nothing about the message.
    private static func rethrowOwn(_ error: any Error) throws {
        if error is CancellationError || (error as? AttachmentError)?.code == .fileFailed { throw error }
    }

    private static func timestamp(
        _ part: SecuredEnvelope.Part, of bytes: [UInt8], _ limits: XMLLimits
    ) throws -> ReceivedTimestamp? {
        let content = try XMLCanonicalization(.exclusive10).content(of: part.element, in: bytes, limits: limits)
        let block = block([content])
        return try ReceivedSecurity(document: block, limits: limits).timestamp
    }

    /// Opens a message without encrypted parts.
    private func open(
        _ bytes: [UInt8], _ envelope: SecuredEnvelope, _ attachments: [MessageAttachment], _ roles: Set<SOAPRole>,
        _ now: Duration
    ) throws -> Opened {
        let places = envelope.securityParts.filter { $0.is(SecurityName.signature) }.map(\.element.range.lowerBound)
        guard !places.isEmpty else {
            throw SecurityDefect(.invalidSecurity, "the Security header block has no Signature")
        }
        guard places.count <= Self.maximumSignatures else {
            throw SecurityDefect(.invalidSecurity, "more than \(Self.maximumSignatures) signatures")
        }
        if envelope.security?.mustUnderstand == true,
            let other = envelope.securityParts.first(where: { part in
                // What is encrypted for another receiver stays so.
                !part.is(EncryptedContent.name) && !isKnown(part)
            })
        {
            throw SecurityDefect(
                .unsupportedSecurityToken,
                "“\(other.element.localName.printable)” in the header block is not understood")
        }
        var problem: SecurityDefect?
        var candidates: [(SignatureElement, TokenReference)] = []
        for place in places {
            do {
                let signature = try SignatureElement(at: place, of: bytes, limits: limits)
                candidates.append((signature, try TokenReference(of: signature, in: bytes, limits: limits)))
            } catch { problem = problem ?? SecurityDefect(of: error) }
        }
        let identifiers = candidates.flatMap { signature, token in
            (signature.references.map(\.identifier) + [token.identifier, token.assertion]).compactMap(\.self)
        }
        let index: DocumentIndex
        do { index = try DocumentIndex(of: bytes, identifiers: Set(identifiers), limits: limits) } catch {
            throw SecurityDefect(of: error)
        }
        for (signature, token) in candidates {
            do { return try open(bytes, envelope, attachments, signature, token, index, roles, now) } catch {
                try Self.rethrowOwn(error)
                problem = problem ?? SecurityDefect(of: error)
            }
        }
        throw problem ?? SecurityDefect(.invalidSecurity, "no signature can be read")
    }

    private func open(
        _ bytes: [UInt8], _ envelope: SecuredEnvelope, _ attachments: [MessageAttachment],
        _ signature: SignatureElement, _ token: TokenReference, _ index: DocumentIndex, _ roles: Set<SOAPRole>,
        _ now: Duration
    ) throws -> Opened {
        let elements = try self.elements(of: signature, envelope, index, bytes)
        guard Set(elements).count == elements.count else {
            throw SecurityDefect(.invalidSecurity, "the signature covers an element twice")
        }
        // Anywhere else an element would be signed and not read, or another be read in its place.
        let parts =
            envelope.headerBlocks.filter { !isKnown($0) }
            .filter { $0.element != envelope.security?.element } + [envelope.body]
            + envelope.securityParts.filter(isKnown)
        for element in elements where !parts.contains(where: { $0.element == element }) {
            throw SecurityDefect(
                .failedCheck,
                "the signature covers “\(element.localName.printable)” at byte \(element.range.lowerBound), which is neither the Body nor a header block nor in the Security header block"
            )
        }
        func isSigned(_ part: SecuredEnvelope.Part) -> Bool { elements.contains(part.element) }
        for part in signed.sorted(by: { $0.description < $1.description }) where part != .attachments {
            let found =
                part == .signingToken
                ? try [token.part(in: envelope, index)].compactMap(\.self) : envelope.elements(of: part)
            guard !found.isEmpty else {
                throw SecurityDefect(.invalidSecurity, "the message has not \(part), which must be signed")
            }
            guard found.allSatisfy(isSigned) else { throw SecurityDefect(.failedCheck, "\(part) is not signed") }
        }
        for part in signedIfPresent.flatMap(envelope.elements(of:)) where part.isFor(roles) && !isSigned(part) {
            throw SecurityDefect(
                .failedCheck, "the header block “\(part.element.localName.printable)” is not signed")
        }
        var holder: Holder?
        if let assertions { holder = try self.holder(token, envelope, index, bytes, assertions, now) }
        // A signer whom the program knows needs no certificate in the message.
        let certificates =
            holder != nil
            ? []
            : verifier.knowsSigners
                ? (try? token.certificates(envelope, index)) ?? [] : try token.certificates(envelope, index)
        var verifier = verifier
        if let holder { verifier = verifier.accepting(holder.certificates) }
        verifier.limits = limits
        let finding = try verifier.verify(
            signature, certificates, namesSigner: true, elements, bytes, now.wholeSeconds)
        guard holder != nil || !signed.contains(.signingToken) || finding.signer == certificates.first else {
            throw SecurityDefect(.failedCheck, "the signed token is not that of the signer")
        }
        var contents: [Int: [UInt8]] = [:]
        for (element, content) in zip(elements, finding.contents) { contents[element.range.lowerBound] = content.bytes }
        // What is read although it is not signed.
        for part in unsigned.flatMap(envelope.elements(of:)) where contents[part.element.range.lowerBound] == nil {
            contents[part.element.range.lowerBound] = try XMLCanonicalization(.inclusive10)
                .content(of: part.element, in: bytes, limits: limits)
        }
        let security = Self.block(envelope, contents)
        let received = try ReceivedSecurity(document: security, limits: limits)
        if let timestamp = received.timestamp { try timestamp.check(freshness, now: now) }
        let confirmed = try envelope.securityParts.filter { $0.is(SecurityName.signatureConfirmation) && isSigned($0) }
            .compactMap { contents[$0.element.range.lowerBound] }.map { try Self.confirmed($0, limits) }
        let actions = try envelope.headerBlocks.filter { $0.isAction && isSigned($0) }
            .compactMap { contents[$0.element.range.lowerBound] }.map { try Self.text(of: $0, limits) }
        return Opened(
            envelope: try Self.envelope(envelope, contents, security, roles),
            attachments: try verified(attachments, by: signature), signer: finding.signer,
            assertion: holder.map { ($0.assertion, $0.confirmations) }, value: signature.value,
            digest: try digest(bytes, envelope, signature, elements, contents),
            timestamp: signed.contains(.timestamp) ? received.timestamp : nil,
            action: actions.count == 1 ? actions.first : nil, confirmed: confirmed)
    }

    private func isKnown(_ part: SecuredEnvelope.Part) -> Bool {
        Self.known.contains(where: part.is) || assertions != nil && part.assertion != nil
    }

    private struct Holder {
        var assertion: SAMLAssertion
        var confirmations: [SAMLAssertion.Confirmation]
        var certificates: [EncodedCertificate]
    }

    /// Who must have signed, by the one assertion of the message.
    private func holder(
        _ token: TokenReference, _ envelope: SecuredEnvelope, _ index: DocumentIndex, _ bytes: [UInt8],
        _ policy: SAMLPolicy, _ now: Duration
    ) throws -> Holder {
        let found = envelope.securityParts.filter {
            ReceivedSecurity.isAssertion($0.element.namespaceURI, $0.element.localName)
        }
        guard let part = found.first, found.count == 1 else {
            throw SecurityDefect(
                found.isEmpty ? .invalidSecurity : .invalidSecurityToken,
                "the Security header block has \(found.count) assertions, and must have one")
        }
        guard let identifier = token.assertion, part.assertion == identifier,
            part.element.namespaceURI == token.assertionNamespace,
            try index.element(identifier: identifier) == part.element
        else {
            throw SecurityDefect(.securityTokenUnavailable, "the signature does not lead to the assertion")
        }
        var policy = policy
        policy.limits = limits
        let (assertion, ways) = try policy.verified(part.element, in: bytes, by: .holderOfKey, now: now)
        return Holder(
            assertion: assertion, confirmations: ways, certificates: ways.compactMap(\.holder))
    }

    /// What the references of a signature lead to: elements, or by STR-Transform the tokens of `SecurityTokenReference`s (SOAP Message
    /// Security 1.1 §8.3).
    private func elements(
        of signature: SignatureElement, _ envelope: SecuredEnvelope, _ index: DocumentIndex, _ bytes: [UInt8]
    ) throws -> [DocumentIndex.Element] {
        let links = signature.elementReferences
        var elements = try links.map { try $0.element(in: index) }
        let places = elements.indices.filter { links[$0].isTokenReference }
        guard places.count <= Self.maximumTokenReferences else {
            throw SecurityDefect(
                .invalidSecurity, "more than \(Self.maximumTokenReferences) references by STR-Transform")
        }
        guard !places.isEmpty else { return elements }
        let references = try places.map { place in
            let element = elements[place]
            guard element.namespaceURI == SecurityName.extensions.uri, element.localName == "SecurityTokenReference"
            else {
                throw SecurityDefect(
                    .invalidSecurity, "a reference by STR-Transform leads to “\(element.localName.printable)”")
            }
            return try TokenReference(at: element.range.lowerBound, in: bytes, limits: limits)
        }
        let tokens = try DocumentIndex(
            of: bytes, identifiers: Set(references.flatMap { [$0.identifier, $0.assertion] }.compactMap(\.self)),
            limits: limits)
        for (place, reference) in zip(places, references) {
            guard let token = try reference.token(in: envelope, tokens) else {
                throw SecurityDefect(
                    .unsupportedSecurityToken, "a reference by STR-Transform leads to no token in the message")
            }
            elements[place] = token.element
        }
        return elements
    }

    /// The hash of the Timestamp and the Body in one canonical form, whichever the signature has, and of the attachments.
    private func digest(
        _ bytes: [UInt8], _ envelope: SecuredEnvelope, _ signature: SignatureElement,
        _ elements: [DocumentIndex.Element], _ contents: [Int: [UInt8]]
    ) throws -> [UInt8] {
        let form = XMLCanonicalization(.exclusive10)
        var hash = SHA256()
        for part in envelope.elements(of: .timestamp) + [envelope.body] {
            let reference = elements.firstIndex(of: part.element).map { signature.elementReferences[$0] }
            let content =
                reference?.form == form ? contents[part.element.range.lowerBound] : nil
            hash.update(data: try content ?? form.content(of: part.element, in: bytes, limits: limits))
        }
        for reference in signature.references where reference.isAttachment {
            hash.update(data: reference.uri.utf8 + [0] + reference.digest)
        }
        return Array(hash.finalize())
    }

    /// The Security header block with what is read of it.
    private static func block(_ envelope: SecuredEnvelope, _ contents: [Int: [UInt8]]) -> [UInt8] {
        let parts = envelope.securityParts.filter { $0.is(SecurityName.timestamp) || $0.is(SecurityName.usernameToken) }
        return block(parts.compactMap { contents[$0.element.range.lowerBound] })
    }

    private static func block(_ parts: [[UInt8]]) -> [UInt8] {
        Array("<w:Security xmlns:w=\"\(SecurityName.extensions.uri)\">".utf8) + parts.joined()
            + Array("</w:Security>".utf8)
    }

    /// The envelope with what is read of it.
    private static func envelope(
        _ envelope: SecuredEnvelope, _ contents: [Int: [UInt8]], _ security: [UInt8],
        _ roles: Set<SOAPRole>
    ) throws(SecurityDefect) -> [UInt8] {
        // A prefix that no value inside has: one that is not signed stays without a meaning.
        let prefix = SecurityName.newIdentifier("e")
        var result = Array(
            "<\(prefix):Envelope xmlns:\(prefix)=\"\(envelope.version.namespace.uri)\"><\(prefix):Header>".utf8)
        result += security
        for block in envelope.headerBlocks where block.element != envelope.security?.element {
            if let content = contents[block.element.range.lowerBound] {
                result += content
            } else if block.mustUnderstand, block.isFor(roles) {
                throw SecurityDefect(
                    .failedCheck,
                    "the header block “\(block.element.localName.printable)” must be understood and is not signed: have it signed, or name it in unsigned"
                )
            }
        }
        result += Array("</\(prefix):Header>".utf8)
        guard let body = contents[envelope.body.element.range.lowerBound] else {
            throw SecurityDefect(.failedCheck, "the Body is not signed")
        }
        return result + body + Array("</\(prefix):Envelope>".utf8)
    }

    private static func text(of document: [UInt8], _ limits: XMLLimits) throws -> String {
        try XMLReader.read(document, limits: limits) { reader throws in
            try reader.root()
            return try reader.elementText().trimmedXMLSpace
        }
    }

    /// The value of a SignatureConfirmation (SOAP Message Security 1.1 §8.5).
    private static func confirmed(_ document: [UInt8], _ limits: XMLLimits) throws -> [UInt8] {
        try XMLReader.read(document, limits: limits) { reader throws in
            try reader.root()
            return reader.attribute("Value").flatMap { Text.bytes(base64: $0.utf8) } ?? []
        }
    }
}

extension SecurityDefect {
    /// What an error of a signature means for the sender.
    init(of error: any Error) {
        switch error {
        case let defect as SecurityDefect: self = defect
        case let error as XMLSignatureError:
            let code: SOAPFault.Code =
                switch error.code {
                case .unsupported, .tooWeak: .unsupportedAlgorithm
                case .untrustedSigner: .failedAuthentication
                case .malformed, .unreadable: .invalidSecurity
                default: .failedCheck
                }
            let text = error.message
            self.init(code, text.hasSuffix(".") ? String(text.dropLast()) : text)
        case let error as XMLError: self.init(.invalidSecurity, "the envelope cannot be read (\(error.code))")
        default: self.init(.invalidSecurity, "\(error)")
        }
    }
}
