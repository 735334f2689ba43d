import Signet
import SignetSignature

// The code of the article SigningDocuments.

private func sign(_ document: [UInt8], with identity: Identity) async throws -> [UInt8] {
    let signer = try XMLSigner(identity)
    let signed = try await signer.sign(document, covering: .root)
    return signed
}

private func signPart(_ document: [UInt8], with identity: Identity) async throws -> [UInt8] {
    var signer = try XMLSigner(identity)
    signer.canonicalization = XMLCanonicalization(.inclusive10)
    signer.place = .after  // after the signed element, not inside
    signer.prefix = ""  // Signature in the default namespace
    signer.algorithm = .insecureRSASHA1  // only where a service still demands it
    signer.digest = .insecureSHA1
    let signed = try await signer.sign(document, covering: .element(id: "NFe35"))
    return signed
}

private func verify(_ document: [UInt8], authorities: CertificateBundle, taxOffice: [UInt8], at now: Int64) throws
    -> [UInt8]
{
    let verifier = XMLSignatureVerifier(trusting: .anchors(authorities)) { path in
        path.certificates.first?.publicKeySHA256 == taxOffice
    }
    let verified = try verifier.verify(document, covering: .root, at: now)
    let invoice = verified.content.bytes
    return invoice
}

private func knownSigner(_ certificate: EncodedCertificate) {
    let known = XMLSignatureVerifier(signers: [certificate])
    _ = known
}

private func signValue(_ invoice: some XMLFielded, as name: XMLName, with signer: XMLSigner) async throws -> XMLAny {
    let signed = try await signer.sign(invoice, as: name, covering: .element(id: "NFe35"))
    let message = XMLAny(children: [signed])
    return message
}
