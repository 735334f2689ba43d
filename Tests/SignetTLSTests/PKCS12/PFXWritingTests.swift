import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// Files that the library wrote, read by openssl and by the library.
@Suite struct PFXWritingTests {
    @Test(arguments: ["secret", "", "Jäger 🔑"]) func opensslReadsWrittenFiles(password: String) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let root = try CertificateAuthority(commonName: "root")
        let identity = try root.issueIntermediate(commonName: "middle").issueClient(commonName: "device")
        try openssl.write(identity.pkcs12(password: password, label: "Zähler 🔌"), "a.p12")
        try openssl.write(password + "\n", "password")

        let text = try openssl("pkcs12 -in a.p12 -passin file:password -noenc -info")
        for subject in ["subject=CN = device", "subject=CN = middle", "subject=CN = root"] {
            #expect(text.contains(subject))
        }
        #expect(text.components(separatedBy: "friendlyName").count == 3)
        try openssl.write(text, "all.pem")
        try openssl.write(#require(identity.privateKey?.pkcs8), "key.der")
        #expect(try openssl("pkey -in all.pem") == openssl("pkey -inform DER -in key.der"))

        let read = try Identity(pkcs12: openssl.bytes("a.p12"), password: password)
        #expect(read == identity)
        #expect(read.chain == identity.chain)
        #expect(read.authorities == identity.authorities)
        #expect(read.label == "Zähler 🔌")
        #expect(read.privateKey?.pkcs8 == identity.privateKey?.pkcs8)
    }

    @Test func everyFileIsEncryptedDifferently() throws {
        let identity = try CertificateAuthority().issueClient()
        let files = try (0..<2).map { _ in try identity.pkcs12(password: "s", label: nil, iterations: 2) }
        #expect(files[0] != files[1])
        let key = try #require(identity.privateKey?.pkcs8)
        #expect(!files[0].contains(key))
    }
}

extension Array where Element == UInt8 {
    func contains(_ part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
