import ReferenceServices
import Signet
import SignetWSSecurity

// The code of the article SigningMessages.

private func configure(
    _ service: inout ServiceConfiguration, identity: Identity, authorities: CertificateBundle, registry: [UInt8]
) throws {
    var security = SecurityHeader(lifetime: .seconds(300))
    security.signature = try SignatureProfile(identity)
    security.answers = SignaturePolicy(trusting: .anchors(authorities)) { path in
        path.certificates.first?.publicKeySHA256 == registry
    }
    service.headerProviders = [AddressingHeader(), security]
}

private func host(_ diary: some WebEase.Service, identity: Identity, customers: CertificateBundle) throws
    -> ServiceDispatcher
{
    var verifier = SignedMessageVerifier(
        SignaturePolicy(trusting: .anchors(customers)) { $0.certificates.count > 1 })
    verifier.signature = try SignatureProfile(identity)  // answers and faults are signed, too
    let dispatcher = WebEase.dispatcher(diary).verified(by: verifier)
    return dispatcher
}

private func presets(_ identity: Identity, _ answers: SignaturePolicy) throws -> [SecurityHeader] {
    let dutch = try SecurityHeader.digikoppeling(identity, answers: answers, encryptingFor: nil)
    let mexican = try SecurityHeader.satAuthentication(identity)
    return [dutch, mexican]
}

private enum Ledger {
    enum Ports {
        static let ledgerPort = ServicePort(
            name: "Ledger", address: "https://localhost/", version: .soap11,
            requires: [
                .asymmetricBinding(
                    .init(.basic256Sha256, request: .init(signed: [.body]), answer: .init(signed: [.body])))
            ])
    }
}

private func meet(_ service: inout ServiceConfiguration, identity: Identity, bank: EncodedCertificate) throws {
    let port = Ledger.Ports.ledgerPort
    service.headerProviders = [
        SecurityHeader(for: port, identity: identity, answers: SignaturePolicy(signers: [bank]), encryptingFor: bank)
    ]
}

private func decrypting(_ identity: Identity, _ bank: EncodedCertificate) -> SignaturePolicy {
    var answers = SignaturePolicy(signers: [bank])
    answers.decryption = DecryptionPolicy([identity])
    answers.decryption?.acceptsCBC = true
    return answers
}
