public import SignetSOAP
import SignetSignature
public import SignetTLS

/// Whose keys decrypt messages that arrive, and what must have been encrypted (SOAP Message Security 1.1 §9).
///
/// What an encrypted message says is read only when it is signed as well. Otherwise the error is always the same, so that a sender does
/// not learn from it what was encrypted.
public struct DecryptionPolicy: Sendable {
    /// Whose keys decrypt; they have to be in memory. A message says for which certificate it is encrypted.
    public var identities: [Identity]
    /// What is refused in the clear: the content of the body, the UsernameToken, or both. The default is the body; empty accepts
    /// messages in the clear as well.
    public var encrypted: Set<MessagePart> = [.body]
    /// Whether a signature in the clear is refused. The default accepts it.
    ///
    /// A sender whose signature is accepted can put his own one beside what another sender has encrypted for the same certificate, over
    /// what he guesses that it says: the message is accepted when the guess is right. What is encrypted with the same key as the
    /// content, he cannot replace. Set it where several senders are accepted, and all of them encrypt their signatures.
    public var requiresEncryptedSignature = false
    /// Whether content is accepted that is encrypted with CBC. Set it for services that know nothing else.
    ///
    /// CBC does not show changes. A sender whose signature is accepted can decrypt what others have encrypted for the same
    /// certificate, also with GCM, by sending changed copies of it and watching which of them are accepted.
    public var acceptsCBC = false

    /// - Parameter identities: whose keys decrypt.
    public init(_ identities: [Identity]) { self.identities = identities }
}

extension DecryptionPolicy {
    /// - Throws: ``WSSecurityError`` for settings that cannot take effect.
    func check() throws(WSSecurityError) {
        guard !identities.isEmpty else {
            throw WSSecurityError(.cannotDecrypt, "The DecryptionPolicy names no identity.")
        }
        for identity in identities where !KeyPair(of: identity).opensMessages {
            throw WSSecurityError(
                .cannotDecrypt,
                "The key of “\(identity.leaf.subject)”, which the DecryptionPolicy names, only signs, or is not in memory."
            )
        }
        for part in encrypted where part != .body && part != .usernameToken {
            throw WSSecurityError(
                .cannotDecrypt,
                "\(part) is not decrypted: encrypted of the DecryptionPolicy can name the Body and the UsernameToken.")
        }
    }

    /// Refuses an envelope with a part in the clear.
    ///
    /// - Parameter ranges: the encrypted elements that this program decrypts.
    func check(_ envelope: SecuredEnvelope, _ bytes: [UInt8], encrypted ranges: [Range<Int>]) throws(SecurityDefect) {
        if encrypted.contains(.usernameToken), !envelope.elements(of: .usernameToken).isEmpty {
            throw SecurityDefect(.failedCheck, "the UsernameToken is not encrypted")
        }
        if requiresEncryptedSignature, envelope.securityParts.contains(where: { $0.is(SecurityName.signature) }) {
            throw SecurityDefect(.failedCheck, "the signature is not encrypted")
        }
        guard encrypted.contains(.body) else { return }
        let content = bytes.contentRange(of: envelope.body)
        guard
            ranges.contains(where: { range in
                content.lowerBound <= range.lowerBound && range.upperBound <= content.upperBound
                    && (bytes[content.lowerBound..<range.lowerBound] + bytes[range.upperBound..<content.upperBound])
                        .allSatisfy { " \t\r\n".utf8.contains($0) }
            })
        else { throw SecurityDefect(.failedCheck, "the content of the Body is not encrypted") }
    }

    func check(_ content: EncryptedContent, isInBody: Bool) throws(EncryptionProblem) {
        guard !content.method.isAuthenticated else { return }
        guard acceptsCBC else {
            throw EncryptionProblem(
                .unsupported,
                "the message is encrypted with CBC, which does not show changes: use GCM, or set acceptsCBC of the DecryptionPolicy"
            )
        }
        guard isInBody else {
            throw EncryptionProblem(
                .unsupported,
                "a part of the Security header block is encrypted with CBC, by which it could be guessed: use GCM")
        }
    }
}

extension [UInt8] {
    /// What stands between the tags of an element; empty for one without an end tag.
    func contentRange(of part: SecuredEnvelope.Part) -> Range<Int> {
        let end = DocumentGap(endOf: part.element.range, in: self)
        return end.before.isEmpty
            ? part.contentStart..<Swift.max(part.contentStart, end.offset) : end.offset..<end.offset
    }
}
