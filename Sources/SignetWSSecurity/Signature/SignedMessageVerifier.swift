public import SignetCredentials
public import SignetSOAP
public import SignetSignature
import SignetTLS
import SignetXML

/// Accepts only requests that are signed, and if wanted encrypted, as a ``SignaturePolicy`` demands, are fresh and were not sent
/// before; signs and encrypts the answers if wanted.
///
/// ```swift
/// var verifier = SignedMessageVerifier(SignaturePolicy(trusting: customers) { $0.certificates.count > 1 })
/// verifier.signature = try SignatureProfile(identity)
/// let dispatcher = WebEase.dispatcher(Diary()).verified(by: verifier)
/// ```
///
/// A handler finds the signer in ``/SignetSOAP/PeerDescription/signerCertificate``. Add a ``UsernameTokenVerifier`` after this one
/// for requests that have a signed UsernameToken as well. Later verifiers get the rebuilt envelope, which has no Signature: use one
/// `SignedMessageVerifier` only.
///
/// The verifier treats two messages with the same Timestamp, the same Body and the same attachments as a replay. Nothing in them need name the service: services
/// that trust the same clients should share one replay cache, or demand a signed `wsa:To` (``/SignetSOAP/MessagePart/headerBlock(_:)``) and set
/// `addresses` of an `AddressingVerifier`.
public struct SignedMessageVerifier: Sendable {
    /// What must be signed, and by whom.
    public var policy: SignaturePolicy
    /// Signs the answers, and the faults of requests that were accepted; nil sends them unsigned. A request that is refused
    /// gets a fault without a signature.
    public var signature: SignatureProfile?
    /// How long after it is made a signed answer expires.
    public var lifetime = Duration.seconds(300)
    /// Whether answers confirm the verified signature of their request (SOAP Message Security 1.1 §8.5). Needs ``signature``.
    public var confirmsSignatures = false
    /// How the body and, with GCM, the signature of an answer are encrypted for the certificate that signed its request; nil sends them
    /// unencrypted. Needs ``signature``. A request whose certificate has a key that only signs is refused.
    public var answerEncryption: ContentEncryption?
    /// The cache of messages that were accepted. It has an effect on messages whose Timestamp the ``policy`` wants signed.
    public var replayCache: any ReplayCache
    /// Returns the current time, since 1970.
    var now: @Sendable () -> Duration = { .systemTime }

    /// - Parameters:
    ///   - policy: what must be signed, and by whom.
    ///   - replayCache: the cache of messages; by default, the one that this process shares.
    public init(_ policy: SignaturePolicy, replayCache: any ReplayCache = MemoryReplayCache.shared) {
        self.policy = policy
        self.replayCache = replayCache
    }
}

extension SignedMessageVerifier: RequestVerifier {
    public var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }
    public var needsWholeMessages: Bool { true }

    public func open(
        _ message: SOAPMessage, from peer: inout PeerDescription, roles: Set<SOAPRole>
    ) async throws -> OpenedRequest {
        guard !confirmsSignatures || signature != nil else {
            throw WSSecurityError(
                .cannotSign, "confirmsSignatures of the SignedMessageVerifier has no effect without signature.")
        }
        guard signature?.parts.contains(.usernameToken) != true else {
            throw WSSecurityError(
                .cannotSign, "The signature of the SignedMessageVerifier names a UsernameToken, which no answer has.")
        }
        try policy.decryption?.check()
        guard answerEncryption == nil || signature != nil else {
            throw WSSecurityError(
                .cannotEncrypt,
                "answerEncryption of the SignedMessageVerifier needs signature: without it, a client cannot tell who has sent an answer."
            )
        }
        guard !confirmsSignatures || policy.decryption == nil || answerEncryption?.isAuthenticated == true else {
            throw WSSecurityError(
                .cannotEncrypt,
                "confirmsSignatures of the SignedMessageVerifier needs answerEncryption with GCM when requests are encrypted: otherwise an answer shows the signature of its request, from which the request could be guessed."
            )
        }
        let opened: SignaturePolicy.Opened
        do {
            let now = now()
            opened = try policy.open(message, roles: roles, now: now)
            // Only messages of accepted signers are remembered, so that strangers cannot fill the cache.
            if let timestamp = opened.timestamp {
                try await replayCache.refuse(
                    opened.digest, freshUntil: timestamp.created.moment + policy.freshness.maximumAge, now: now,
                    // To the sender, all that is wrong with an encrypted message looks the same.
                    SecurityDefect(
                        opened.wasEncrypted ? .failedCheck : .invalidSecurity, "the message was sent before"))
            }
        } catch let defect as SecurityDefect {
            throw defect.refusal
        }
        if let (assertion, confirmations) = opened.assertion {
            do {
                try await policy.assertions?.refuseReuse(of: assertion, confirmations, replayCache, now: now())
            } catch let defect as SecurityDefect { throw defect.refusal }
            assertion.describe(&peer)
        }
        peer.signerCertificate = opened.signer.der
        // An assertion binds the key, and no name in the certificate.
        peer.signerSubject = opened.assertion == nil ? opened.signer.subject : nil
        let read = SOAPMessage(opened.envelope, attachments: opened.attachments)
        guard let signature else { return OpenedRequest(read, action: opened.action) }
        let confirmed = confirmsSignatures ? opened.value : nil
        // Before the handler runs: it must not do work whose answer cannot be sent.
        let encryption = try answerEncryption.map { content in
            var encryption = try EncryptionProfile(for: opened.signer)
            encryption.content = content
            encryption.encryptsSignature = content.isAuthenticated
            encryption.limits = signature.limits
            return encryption
        }
        return OpenedRequest(read, action: opened.action) {
            try await protect($0, signature, confirming: confirmed, encryption)
        }
    }

    /// Refuses a request that the host did not pass to ``open(_:from:roles:)``.
    public func verify(_ context: inout OperationContext) async throws {
        guard context.peer.signerCertificate != nil else {
            throw SecurityDefect(.invalidSecurity, "the host did not pass the message as a whole").refusal
        }
    }

    // MARK: Answers

    /// Adds a signed Security header block to an answer.
    private func protect(
        _ message: SOAPMessage, _ signature: SignatureProfile, confirming value: [UInt8]?,
        _ encryption: EncryptionProfile?
    ) async throws -> SOAPMessage {
        try encryption?.check(message)
        var envelope = message.envelope
        let parts = try SecuredEnvelope(signing: envelope, role: nil, limits: signature.limits)
        guard parts.security == nil else {
            throw WSSecurityError(.cannotSign, "The answer has a Security header block already.")
        }
        let block = try block(confirming: value)
        if let header = parts.header {
            SignatureProfile.insert(block, at: DocumentGap(endOf: header, in: envelope), in: &envelope)
        } else {
            let begin = "<s:Header xmlns:s=\"\(parts.version.namespace.uri)\">"
            let header = Array(begin.utf8) + block + Array("</s:Header>".utf8)
            SignatureProfile.insert(header, at: DocumentGap(at: parts.body.element.range.lowerBound), in: &envelope)
        }
        var protected = message
        protected.envelope = envelope
        protected.envelope = try await signature.sign(protected, role: nil, confirms: value != nil).envelope
        if let encryption { protected.envelope = try encryption.encrypt(protected.envelope, role: nil) }
        return protected
    }

    private func block(confirming value: [UInt8]?) throws(WSSecurityError) -> [UInt8] {
        let now = now()
        guard let created = XSDDateTime.text(of: now, milliseconds: true),
            let expires = XSDDateTime.text(of: now + lifetime, milliseconds: true)
        else {
            throw WSSecurityError(.unwritable, "The time of the answer is not between 1970 and 9999: check the clock.")
        }
        do {
            return try XMLFragment { writer in
                writer.security { writer in
                    writer.timestamp(created: created, expires: expires)
                    if let value { writer.confirmation(of: value) }
                }
            }.bytes
        } catch {
            throw WSSecurityError(.unwritable, "The Security header block cannot be written: \(error)", cause: error)
        }
    }
}

extension SignedMessageVerifier: CustomStringConvertible {
    public var description: String { "a verifier of signed messages" }
}
