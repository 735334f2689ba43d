import SignetSOAP
import SignetSignature
import SignetTLS

/// How the request and the answer of one attempt are signed and encrypted.
struct MessageProtection: Sendable {
    var signature: SignatureProfile?
    var encryption: EncryptionProfile?
    var answers: SignaturePolicy?
    var requiresConfirmation = false

    /// Whether neither a UsernameToken nor its digest in a signature can be read on the way.
    var hidesToken: Bool {
        guard let encryption, encryption.parts.contains(.usernameToken) else { return false }
        return encryption.encryptsSignature || signature?.parts.contains(.usernameToken) != true
    }
}

extension SecurityHeader {
    /// What the program has set, completed by what the policies of the WSDL demand.
    func protection(for attempt: CallAttempt) throws(WSSecurityError) -> MessageProtection {
        var protection = MessageProtection(
            signature: signature, encryption: encryption, answers: answers, requiresConfirmation: requiresConfirmation)
        if signature == nil, let holder = issuedTokens?.holder {
            var profile = try SignatureProfile(holder)
            // Otherwise the message could be moved under another assertion of the same key.
            if issuedTokens?.pending[attempt.number]?.token.assertion != nil { profile.parts.insert(.signingToken) }
            protection.signature = profile
        }
        // A header block for another node has nothing to do with what the service demands.
        guard demanded != nil || SOAPRole.isFor(role, []) else { return protection }
        let demands = demands(on: attempt)
        if signature == nil, issuedTokens?.holder == nil,
            let demand = demands.first(where: { $0.asymmetricBinding == nil })
        {
            throw WSSecurityError(
                .cannotSign,
                "The WSDL demands \(demand) for the operation \(attempt.operation) at \(attempt.endpoint), which Signet does not do. Nothing was sent: set signature of the SecurityHeader, and encryption if it is demanded, or name the demand in uncheckedRequirements."
            )
        }
        guard let binding = demands.asymmetricBinding else { return protection }
        let demand = BindingDemand(
            binding: binding, identity: demanded?.identity, recipient: demanded?.recipient, allowsSHA1: allowsSHA1,
            subject: "The WSDL demands \(binding) for the operation \(attempt.operation) at \(attempt.endpoint)")
        if protection.signature == nil { protection.signature = try demand.signature() }
        if protection.encryption == nil { protection.encryption = try demand.encryption() }
        // A program that signs by its own settings also says itself what the answers must have.
        guard signature == nil, !attempt.isOneWay,
            !binding.answer.signed.isDisjoint(with: [.body, .attachments]) || !binding.answer.encrypted.isEmpty
        else {
            return protection
        }
        protection.answers = try demand.answers(answers)
        if binding.confirmsSignature, protection.signature != nil { protection.requiresConfirmation = true }
        return protection
    }

    /// What the WSDL demands about the protection of the messages of a call.
    func demands(on attempt: CallAttempt) -> [ServiceRequirement] {
        (demanded?.requirements(of: attempt) ?? attempt.requirements)
            .filter { $0.isAboutMessages && !attempt.uncheckedRequirements.contains($0) }
    }
}

/// An `sp:AsymmetricBinding` that applies to a call, and what the program gives for it.
private struct BindingDemand {
    var binding: AsymmetricBinding
    var identity: Identity?
    var recipient: EncodedCertificate?
    var allowsSHA1: Bool
    /// The beginning of its errors.
    var subject: String

    func signature() throws(WSSecurityError) -> SignatureProfile? {
        guard !binding.request.signed.isEmpty else { return nil }
        guard let identity else {
            throw missing("an identity, or set its signature, or name the demand in uncheckedRequirements")
        }
        var profile = try SignatureProfile(identity)
        let key = KeyPair(of: identity)
        guard let algorithm = key.documentAlgorithms.first(where: { $0.hash == .sha256 }) else {
            throw WSSecurityError(
                .cannotSign,
                "\(subject), for which the key of “\(identity.leaf.subject)” (\(key.kind)) has no algorithm. Nothing was sent: give an identity with RSA, or ECDSA and SHA-256."
            )
        }
        if binding.suite.usesSHA1 {
            guard allowsSHA1 else {
                throw weak("signs with SHA-1: set allowsSHA1 of the SecurityHeader (signet: --wss-sha1)")
            }
            profile.algorithm = .insecureRSASHA1
            profile.digest = .insecureSHA1
        } else {
            profile.algorithm = XMLSignatureAlgorithm(algorithm)
        }
        profile.reference = binding.client
        profile.parts = binding.request.signed
        profile.usesTokenTransform = binding.usesTokenTransform
        profile.areHeaderBlocksOptional = true
        return profile
    }

    func encryption() throws(WSSecurityError) -> EncryptionProfile? {
        guard !binding.request.encrypted.isEmpty else { return nil }
        guard let recipient else {
            throw missing("the service's certificate in encryptingFor, or set its encryption")
        }
        var profile = try EncryptionProfile(for: recipient)
        profile.content = binding.suite.content
        profile.encryptsSignature = false
        profile.parts = binding.request.encrypted
        profile.reference = binding.service
        return profile
    }

    func answers(_ given: SignaturePolicy?) throws(WSSecurityError) -> SignaturePolicy {
        guard var answers = given else { throw missing("answers, which says who signs them") }
        // The policies say whether answers have a Timestamp.
        answers.signed.remove(.timestamp)
        answers.signed.formUnion(binding.answer.signed.intersection([.body, .timestamp, .attachments]))
        answers.signedIfPresent = binding.answer.signed.filter { $0.isGroup || $0.isHeaderBlock }
        guard !binding.suite.usesSHA1 || answers.acceptsSHA1 else {
            throw weak("has answers signed with SHA-1: set acceptsSHA1 of the answers (signet: --wss-sha1)")
        }
        guard binding.answer.encrypted.contains(.body) else { return answers }
        guard var decryption = answers.decryption ?? identity.map({ DecryptionPolicy([$0]) }) else {
            throw missing("an identity, whose key decrypts the answers")
        }
        decryption.encrypted.insert(.body)
        guard decryption.acceptsCBC else {
            throw weak(
                "has answers encrypted with CBC: give the answers a decryption with acceptsCBC (signet: --wss-cbc)")
        }
        answers.decryption = decryption
        return answers
    }

    private func missing(_ what: String) -> WSSecurityError {
        WSSecurityError(.missingCredentials, "\(subject). Nothing was sent: give SecurityHeader(for:) \(what).")
    }

    private func weak(_ what: String) -> WSSecurityError {
        WSSecurityError(.weakAlgorithm, "\(subject), which \(what). Nothing was sent.")
    }
}

extension AsymmetricBinding.AlgorithmSuite {
    fileprivate var content: ContentEncryption {
        switch self {
        case .basic256, .basic256Sha256: .aes256CBC
        case .basic192, .basic192Sha256: .aes192CBC
        case .basic128, .basic128Sha256: .aes128CBC
        }
    }
}
