import ReferenceServices
import Signet

// The code of the article GettingStarted.

private func keep(_ file: [UInt8], password: String, in identities: any IdentityStore) async throws {
    let identity = try Identity(pkcs12: file, password: password)
    try await identities.store(identity, label: "device")
}

private func call(with identities: any IdentityStore, trusting authority: CertificateBundle) async throws {
    var service = try ServiceConfiguration("https://webease.example:8443/soap")
    service.identity = .stored("device", in: identities)
    service.trust = .anchors(authority)
    let webEase = WebEase.Client(service)
    let entries = try await webEase.logEntryQuery(.init(patientId: "4711")).entry
    print(entries.count)
}

private func keepInFolder(storePassword: String) async throws {
    let identities = try DirectoryIdentityStore(path: "/var/lib/app/identities", password: storePassword)
    let identity = try Identity(
        pem: .init(contentsOfFile: "client.crt"), privateKey: .init(contentsOfFile: "client.key"))
    try await identities.store(identity, label: "device")
}
