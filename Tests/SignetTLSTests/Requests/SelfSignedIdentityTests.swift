import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// OpenSSL reads and verifies what a key signs for itself.
@Suite struct SelfSignedIdentityTests {
    private static let kinds: [KeyPair.Kind] = [.rsa(bits: 2048), .p256, .p384, .p521, .ed25519]

    @Test(arguments: kinds) func opensslVerifies(kind: KeyPair.Kind) async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let key = try KeyPair.generate(kind)
        let now = Int64(Date().timeIntervalSince1970)
        let identity = try await key.selfSignedIdentity(
            subject: SubjectName("CN=device 7, O=Bank"), alternativeNames: [.dns("device-7.example")],
            purposes: [.client], notBefore: now - 60, notAfter: now + 86_400, label: "device")
        #expect(key.kind == kind && KeyPair(of: identity).kind == kind)
        #expect(identity.leaf.subject == "CN=device 7, O=Bank" && identity.leaf.issuer == "CN=device 7, O=Bank")
        #expect(identity.leaf.notBefore == now - 60 && identity.leaf.notAfter == now + 86_400)
        #expect(identity.problems(at: now, for: .client).allSatisfy { $0.severity == .note })
        try openssl.write(CertificateBundle([identity.leaf]).pem, "own.pem")
        #expect(try openssl("verify -CAfile own.pem -purpose sslclient own.pem").contains("OK"))
        let text = try openssl("x509 -in own.pem -noout -text")
        for part in ["Version: 3", "CA:FALSE", "DNS:device-7.example", "TLS Web Client Authentication"] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    /// UTCTime ends with 2049 (RFC 5280 §4.1.2.5).
    @Test func validitiesOfAllTimes() async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let key = try KeyPair.generate(.p256)
        let cases: [(Int64, Int64, String)] = [
            (-631_152_000, 0, "Jan  1 00:00:00 1970 GMT"),
            (0, 2_524_607_999, "Dec 31 23:59:59 2049 GMT"), (0, 2_524_608_000, "Jan  1 00:00:00 2050 GMT"),
            (951_782_400, 253_402_300_799, "Dec 31 23:59:59 9999 GMT"),
        ]
        for (begin, end, text) in cases {
            let identity = try await key.selfSignedIdentity(
                subject: SubjectName(commonName: "x"), notBefore: begin, notAfter: end)
            #expect(identity.leaf.notBefore == begin && identity.leaf.notAfter == end)
            try openssl.write(CertificateBundle([identity.leaf]).pem, "own.pem")
            #expect(try openssl("x509 -in own.pem -noout -enddate").contains(text))
        }
        let bad: [(Int64, Int64)] = [(5, 5), (6, 5), (-631_152_001, 0), (0, 253_402_300_800), (.min, .max)]
        for (begin, end) in bad {
            await #expect(throws: IdentityError(.invalidRequest, "")) {
                try await key.selfSignedIdentity(
                    subject: SubjectName(commonName: "x"), notBefore: begin, notAfter: end)
            }
        }
    }

    /// Subject and alternative names stay as they are, in encodings that Signet itself does not write.
    @Test func aRenewalKeepsTheNames() async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeRoot("root", subject: "/O=Bänk/CN=device 7+UID=x")
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -keyout old.key -out old.pem",
            ["-subj", "/DC=example/O=B nk/CN=device 7", "-addext", "subjectAltName=critical,DNS:a.example,URI:urn:x:7"])
        let old = try #require(try CertificateBundle(pem: openssl.bytes("old.pem")).certificates.first)
        let request = try await CertificateSigningRequest(
            renewing: old, purposes: [.client], challengePassword: "again", key: .generate(.p256))
        try openssl.write(request.der, "request.der")
        let text = try openssl("req -in request.der -inform DER -verify -noout -text -subject")
        for part in [
            "X509v3 Subject Alternative Name: critical", "DNS:a.example, URI:urn:x:7", "DC = example, O = B nk",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        let name = try SubjectName("cn=DEVICE 7, o=b  nk, dc=Example")
        #expect(name.isSubject(of: old))
        #expect(try !SubjectName("CN=device 7, O=B nk").isSubject(of: old))
        let damaged = EncodedCertificate(der: [0x30, 0])
        #expect(!name.isSubject(of: damaged))
        await #expect(throws: IdentityError(.damaged, "")) {
            try await CertificateSigningRequest(renewing: damaged, key: .generate(.p256))
        }
    }

    @Test func whatAuthoritiesDemandIsRead() throws {
        func list(_ hexadecimal: String) throws -> [RequestAttribute] {
            try RequestAttribute.list(try #require(Text.bytes(hexadecimal: hexadecimal)))
        }
        #expect(try list("3000").isEmpty)
        let rsa = try list("3013" + "3011" + "06092a864886f70d010101" + "3104" + "02020800")
        #expect(rsa.map(\.number) == [2048] && rsa.map(\.type) == ["1.2.840.113549.1.1.1"])
        let curve = try list("3014" + "3012" + "06072a8648ce3d0201" + "3107" + "06052b81040022")
        #expect(curve.map(\.identifiers) == [["1.3.132.0.34"]])
        for bad in ["", "30", "0500", "30020500", "300406022a", "3003" + "310100"] {
            #expect(throws: (any Error).self) { try list(bad) }
        }
        let many = String(repeating: "06012a", count: 65)
        #expect(throws: (any Error).self) { try list("3081c3" + many) }
    }
}
