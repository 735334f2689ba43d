import Foundation
import SignetTesting
import SwiftASN1
import TestSupport
import Testing

@testable import SignetTLS

@Suite struct KeyFileTests {
    @Test func recognisesEveryFormat() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let cases: [(command: String, format: KeyFile.Format, keys: Int, certificates: Int)] = [
            ("x509 -in leaf.pem -outform DER", .certificate, 0, 1), ("x509 -in leaf.pem", .pem, 0, 1),
            ("crl2pkcs7 -nocrl -certfile others.pem -outform DER", .pkcs7, 0, 2),
            ("crl2pkcs7 -nocrl -certfile others.pem", .pem, 0, 2),
            ("pkey -in leaf.key -outform DER", .privateKey, 1, 0),
            ("ec -in leaf.key -outform DER", .privateKey, 1, 0),
            ("ec -in leaf.key -aes128 -passout pass:s", .pem, 1, 0),
            ("ec -in leaf.key -des3 -passout pass:s", .pem, 1, 0),
            ("pkcs8 -topk8 -in leaf.key -passout pass:s", .pem, 1, 0),
            ("pkcs8 -topk8 -in leaf.key -passout pass:s -outform DER", .privateKey, 1, 0),
            ("pkcs12 -export -in leaf.pem -inkey leaf.key -passout pass:s", .pfx, 1, 1),
        ]
        for (command, format, keys, certificates) in cases {
            try openssl("\(command) -out a")
            let file = try KeyFile(openssl.bytes("a"), password: "s")
            #expect(file.format == format, "\(command)")
            #expect(file.keys.map(\.algorithm) == [String](repeating: "P-256", count: keys), "\(command)")
            #expect(file.certificates.count == certificates, "\(command)")
            #expect(file.protections.isEmpty == !command.contains("-passout"), "\(command): \(file.protections)")
            guard command.contains("-passout") else { continue }
            #expect(throws: IdentityError(.wrongPassword, "")) { try KeyFile(openssl.bytes("a"), password: "t") }
            #expect(throws: IdentityError(.passwordRequired, "")) { try KeyFile(openssl.bytes("a")) }
        }
        for bytes in [[], [0], [0x30, 0x00], Array("hello".utf8)] as [[UInt8]] {
            #expect(throws: IdentityError(.damaged, "")) { try KeyFile(bytes) }
        }
    }

    @Test func readsPKCS7OfIndefiniteLength() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        try openssl("crl2pkcs7 -nocrl -certfile others.pem -outform DER -out a")
        var content = try NodeReader(DER.parse(openssl.bytes("a")))
        let type = try content.next().encodedBytes
        let inner = try content.next().explicit()
        guard case .constructed(let fields) = inner.content else { throw PFXParts.Unexpected() }
        let end: [UInt8] = [0, 0]
        let loose =
            [0x30, 0x80] + type + [0xA0, 0x80, 0x30, 0x80] + fields.flatMap(\.encodedBytes) + end + end + end
        #expect(try CertificateBundle(pkcs7: loose).certificates.map(\.subject).sorted() == ["CN=middle", "CN=root"])
        try openssl("crl2pkcs7 -nocrl -outform DER -certfile leaf.key -out empty")
        #expect(throws: IdentityError(.noCertificate, "")) { try CertificateBundle(pkcs7: openssl.bytes("empty")) }
    }

    @Test func describesTheKeyThatTLSCannotUse() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("pss", algorithm: "rsa-pss", ["-pkeyopt", "rsa_keygen_bits:2048"])
        let file = try KeyFile(openssl.bytes("pss.key") + openssl.bytes("pss.pem"))
        #expect(file.keys.map(\.algorithm) == ["RSA-PSS 2048"])
        #expect(file.keys.first?.problem?.code == .unusableForTLS)
        #expect(throws: IdentityError(.unusableForTLS, "")) { try file.identities() }
    }

    @Test func tellsABrokenChainFromOneThatIsCompletedElsewhere() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeChain()
        let (key, leaf) = (try openssl.bytes("leaf.key"), try openssl.bytes("leaf.pem"))
        let right = try CertificateBundle(pem: openssl.bytes("middle.pem"))
        let alone = try KeyFile(key + leaf)
        #expect(try alone.identity().chain.count == 1)
        let completed = try alone.identity(completedBy: right)
        #expect(completed.chain.map(\.subject) == ["CN=leaf", "CN=middle"])
        #expect(completed.authorities.certificates.isEmpty)
        try openssl.makeSelfSigned("middle", algorithm: "rsa:2048")
        let broken = try KeyFile(key + leaf + openssl.bytes("middle.pem"))
        #expect(throws: IdentityError(.brokenChain, "")) { try broken.identities() }
        #expect(try broken.identity(completedBy: right).chain.count == 2)
    }

    @Test(arguments: [nil, "", "Jäger 🔑"] as [String?]) func writesPEM(password: String?) throws {
        let identity = try CertificateAuthority().issueIntermediate(commonName: "middle").issueClient()
        let pem = try identity.pem(password: password)
        let file = try KeyFile(pem, password: password)
        #expect(file.protections.isEmpty == (password == nil))
        let read = try file.identity()
        #expect(read.chain == identity.chain)
        #expect(read.authorities == identity.authorities)
        #expect(read.privateKey?.pkcs8 == identity.privateKey?.pkcs8)
    }

    @Test func choosesAnIdentityByItsLabel() throws {
        let authority = try CertificateAuthority()
        let files = try ["one", "two"].map {
            try authority.issueClient(commonName: $0).pkcs12(password: "secret", label: $0, iterations: 2)
        }
        let file = try KeyFile(PFXParts.joined(files), password: "secret")
        #expect(try file.identity(labelled: "two").leaf.subject == "CN=two")
        #expect(throws: IdentityError(.severalKeys, "")) { try file.identity(labelled: "three") }
    }

    /// Two million empty values would take half a gigabyte, were they read.
    @Test func refusesManyValuesBeforeTheyTakeMemory() throws {
        let length: [UInt8] = [0x30, 0x83, 0x3F, 0xFF, 0x00]
        let bomb = length + [UInt8](repeating: 0, count: 0x3F_FF00).enumerated().map { $0.offset % 2 == 0 ? 0x05 : 0 }
        #expect(throws: IdentityError(.tooLarge, "")) { try Identity(pkcs12: bomb, password: "") }
        let deep = (0..<200_000).map { $0.isMultiple(of: 2) ? 0x30 : 0x80 as UInt8 }
        #expect(throws: IdentityError.self) { try Identity(pkcs12: deep, password: "") }
    }
}
