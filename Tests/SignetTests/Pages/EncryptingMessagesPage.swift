import ReferenceServices
import Signet
import SignetWSSecurity

// The code of the article EncryptingMessages.

private func configure(
    _ service: inout ServiceConfiguration, identity: Identity, bank: EncodedCertificate
) throws {
    var security = SecurityHeader(lifetime: .seconds(300))
    security.signature = try SignatureProfile(identity)
    security.encryption = try EncryptionProfile(for: bank)
    var answers = SignaturePolicy(signers: [bank])
    answers.decryption = DecryptionPolicy([identity])
    security.answers = answers
    service.headerProviders = [AddressingHeader(), security]
}

private func host(_ diary: some WebEase.Service, identity: Identity, customers: CertificateBundle) throws
    -> ServiceDispatcher
{
    var policy = SignaturePolicy(trusting: .anchors(customers)) { $0.certificates.count > 1 }
    policy.decryption = DecryptionPolicy([identity])
    var verifier = SignedMessageVerifier(policy)
    verifier.signature = try SignatureProfile(identity)
    verifier.answerEncryption = .aes256GCM  // for the certificate that signed the request
    let dispatcher = WebEase.dispatcher(diary).verified(by: verifier)
    return dispatcher
}
