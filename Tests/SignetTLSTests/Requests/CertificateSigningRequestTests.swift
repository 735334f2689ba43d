import Foundation
import SignetTesting
import SwiftASN1
import TestSupport
import Testing

@testable import SignetTLS

/// OpenSSL reads what is written, checks the signatures, and issues certificates.
@Suite struct CertificateSigningRequestTests {
    private let openssl: OpenSSL

    init() throws { openssl = try OpenSSL() }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: openssl.folder.appending(path: name))
    }

    private static let kinds: [KeyPair.Kind] = [.rsa(bits: 2048), .rsa(bits: 3072), .p256, .p384, .p521, .ed25519]

    @Test(arguments: kinds) func opensslChecksARequestAndIssuesFor(kind: KeyPair.Kind) async throws {
        defer { openssl.remove() }
        let key = try KeyPair.generate(kind)
        let request = try await CertificateSigningRequest(
            subject: SubjectName("CN=device 7, O=Bank"), purposes: [.client], key: key)
        try write(request.pem, "request.pem")
        let text = try openssl("req -in request.pem -verify -noout -subject -nameopt RFC2253 -text")
        #expect(text.contains("subject=CN=device 7,O=Bank"), "\(text)")
        #expect(text.contains("TLS Web Client Authentication"), "\(text)")
        try openssl.makeRoot("root", subject: "/CN=authority")
        try openssl("x509 -req -in request.pem -CA root.pem -CAkey root.key -CAcreateserial -days 1 -out device.pem")
        let identity = try key.identity(
            certificates: try CertificateBundle(pem: openssl.bytes("device.pem")).certificates, label: "device")
        #expect(identity.leaf.subject == "CN=device 7, O=Bank" && identity.label == "device")
        #expect(KeyPair(of: identity).publicKeyInfo == key.publicKeyInfo)
        // The identity is written and read as any other.
        let file = try identity.pem(password: nil)
        #expect(try KeyFile(file).identities().map(\.leaf) == [identity.leaf])
    }

    @Test func opensslReadsEachPartOfARequest() async throws {
        defer { openssl.remove() }
        let request = try await CertificateSigningRequest(
            subject: SubjectName(""),
            alternativeNames: [
                .dns("a.example"), .ip("192.0.2.7"), .ip("2001:db8::7"), .email("a@b.example"), .uri("urn:device:7"),
                .userPrincipalName("device7@corp.example"),
            ],
            purposes: [.server, .other("1.3.6.1.4.1.311.20.2.2")],
            extensions: [.init("2.5.29.15", isCritical: true, value: [3, 2, 7, 0x80])],
            challengePassword: "pass wörd", key: KeyPair.generate(.p256))
        try write(request.der, "request.der")
        let text = try openssl("req -in request.der -inform DER -verify -noout -text")
        for part in [
            "DNS:a.example", "IP Address:192.0.2.7", "IP Address:2001:DB8:0:0:0:0:0:7", "email:a@b.example",
            "URI:urn:device:7", "othername: UPN::device7@corp.example", "TLS Web Server Authentication",
            "Microsoft Smartcard Login", "X509v3 Key Usage: critical", "Digital Signature", "challengePassword",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
        #expect(!"\(request)".contains("wörd"))
    }

    @Test(arguments: SoftwareSigningKey.Kind.allCases)
    func aKeyInADeviceSigns(kind: SoftwareSigningKey.Kind) async throws {
        defer { openssl.remove() }
        let key = try SoftwareSigningKey(kind)
        let request = try await CertificateSigningRequest(
            subject: SubjectName(commonName: "token"), key: KeyPair(key))
        try write(request.pem, "request.pem")
        #expect(try openssl("req -in request.pem -verify -noout -subject").contains("token"))
    }

    /// A token may sign in one way only.
    @Test func aKeyThatSignsWithPSSOnlyIsUsed() async throws {
        defer { openssl.remove() }
        var key = try SoftwareSigningKey(.rsa2048)
        key.algorithms = [.rsaPSS(.sha256)]
        let request = try await CertificateSigningRequest(
            subject: SubjectName(commonName: "token"), key: KeyPair(key))
        try write(request.pem, "request.pem")
        let text = try openssl("req -in request.pem -verify -noout -text")
        #expect(text.contains("rsassaPss"), "\(text)")
        key.algorithms = [.rsaPSS(.sha512)]
        let other = try KeyPair(key)
        await #expect(throws: SigningKeyError(.unsupportedAlgorithm, "")) {
            try await CertificateSigningRequest(subject: SubjectName(commonName: "token"), key: other)
        }
    }

    @Test func whatCannotBeAskedForIsRefused() async throws {
        let key = try KeyPair.generate(.p256)
        let subject = try SubjectName(commonName: "a")
        for (names, purposes, extensions, password)
            in [
                ([.dns("exämple")], [], [], nil), ([.dns("")], [], [], nil), ([.ip("192.0.2.256")], [], [], nil),
                ([], [.other("1.2")], [], nil), ([], [], [.init("2.5.29.15", value: [3, 2])], nil),
                ([.dns("a")], [], [.init("2.5.29.17", value: [5, 0])], nil), ([], [], [], ""),
                ([], [], [], String(repeating: "x", count: 256)),
            ]
            as [(
                [CertificateSigningRequest.AlternativeName], [CertificateSigningRequest.Purpose],
                [CertificateSigningRequest.Extension], String?
            )]
        {
            await #expect(throws: IdentityError(.invalidRequest, "")) {
                try await CertificateSigningRequest(
                    subject: subject, alternativeNames: names, purposes: purposes, extensions: extensions,
                    challengePassword: password, key: key)
            }
        }
        for bits in [0, 1024, 2047, 2050, 4104, -1, Int.max] {
            #expect(throws: IdentityError(.invalidRequest, "")) { try KeyPair.generate(.rsa(bits: bits)) }
        }
    }

    @Test func nothingPrintsTheKey() throws {
        let key = try KeyPair.generate(.p256)
        #expect("\(key)" == "KeyPair(hidden)" && String(reflecting: key) == "KeyPair(hidden)")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test func certificatesForOtherKeysAreRefused() throws {
        let authority = try CertificateAuthority()
        let other = try authority.issueClient().leaf
        let key = try KeyPair.generate(.p256)
        #expect(throws: IdentityError(.noMatchingCertificate, "")) { try key.identity(certificates: [other]) }
        #expect(throws: IdentityError(.noCertificate, "")) { try key.identity(certificates: []) }
    }
}
