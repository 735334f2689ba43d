import Foundation
import Signet

#if canImport(Security)
import Security
#endif

// The code of the article ClientCertificates.

private func findIdentities(
    _ service: inout ServiceConfiguration, identity: Identity, identities: any IdentityStore, folder: String
) {
    service.identity = .fixed(identity)  // always this one
    service.identity = .stored("device", in: identities)  // looked up again for each call
    service.identity = IdentitySource(description: "the files in \(folder)") {  // any other place
        let certificates = try [UInt8](contentsOfFile: "\(folder)/tls.crt")
        let key = try [UInt8](contentsOfFile: "\(folder)/tls.key")
        return try Identity(pem: certificates, privateKey: key)
    }
}

private func requestCertificate(_ send: ([UInt8]) async throws -> [UInt8]) async throws -> Identity {
    let key = try KeyPair.generate(.p256)  // or KeyPair(token.key(label: "device")) for a SigningKey
    let request = try await CertificateSigningRequest(
        subject: SubjectName("CN=device 7, O=Bank"), purposes: [.client], key: key)
    let answer = try await send(request.pem)  // your way to the authority; request.der has the same in DER
    let identity = try key.identity(certificates: CertificateBundle(pem: answer).certificates)
    return identity
}

private func check(_ identity: Identity) {
    let now = Int64(Date().timeIntervalSince1970)  // Foundation's Date
    for problem in identity.problems(at: now, for: .client) { print(problem) }
}

#if canImport(Security)
private func useTheKeychain(
    _ service: inout ServiceConfiguration, persistentReference: Data, secIdentity: SecIdentity, enclaveKey: SecKey,
    own: EncodedCertificate
) throws {
    let issuing = try CertificateBundle(pem: .init(contentsOfFile: "issuers.pem")).certificates  // [EncodedCertificate]
    service.identity = .keychain(issuers: issuing) { $0.issuer == "CN=Devices, O=Example" }
    service.identity = .keychain(reference: Array(persistentReference))
    service.identity = .fixed(try Identity(secIdentity: secIdentity, issuers: issuing))  // found by the app itself
    service.identity = .fixed(try Identity(secKey: enclaveKey, certificates: [own] + issuing))  // in the Enclave
}
#endif
