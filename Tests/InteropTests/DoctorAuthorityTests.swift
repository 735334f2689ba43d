import Foundation
import Signet
import SignetDoctor
import SignetTesting
import TestSupport
import Testing

/// Connections that fail because of authorities: lists of acceptable issuers, usages, revocation, algorithms, clocks. The
/// server is OpenSSL's; the likeliest cause must come first.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoctorAuthorityTests {
    private let openssl: OpenSSL

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.issue("server", by: "root", "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth")
        try openssl.issue("device", by: "root", "extendedKeyUsage=clientAuth")
    }

    @discardableResult
    private func check(
        _ expected: String?, at server: OpenSSLServer, showing identity: Identity? = nil,
        anchors: CertificateBundle? = nil,
        change: @escaping (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) async throws -> DoctorReport {
        try await ExaminedSetup(
            expected: expected, url: "https://localhost:\(server.port)/soap",
            anchors: try anchors ?? openssl.bundle("root"), identity: identity, change: change
        ).check()
    }

    // MARK: The list of acceptable issuers

    /// Writes many authorities, whose names have so many bytes together.
    private func writeAuthorities(_ bytes: Int, as name: String) throws {
        var certificates: [EncodedCertificate] = []
        let filling = String(repeating: "x", count: 100)
        for number in 0...bytes / 100 {
            certificates += try CertificateAuthority(commonName: "Stranger \(number) \(filling)").bundle.certificates
        }
        try openssl.write(CertificateBundle(certificates).pem, name)
    }

    @Test func theListIsTooLong() async throws {
        try writeAuthorities(14_000, as: "many.pem")
        for version in ["-tls1_2", "-tls1_3"] {
            let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile many.pem \(version)")
            let report = try await check("issuer-list-too-long", at: server, showing: try openssl.identity("device"))
            #expect(report.facts.probes.contains { ($0.handshake?.request?.authorities.count ?? 0) > 100 })
        }
    }

    /// The server takes certificates of an authority that its list does not name: clients that choose by the list are
    /// silent.
    @Test func theListNamesAnotherAuthority() async throws {
        try openssl.makeRoot("newer", subject: "/O=Bank/CN=newer authority")
        try openssl.write(try openssl.bytes("root.pem") + openssl.bytes("newer.pem"), "both.pem")
        let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile newer.pem -verifyCAfile both.pem")
        let report = try await ExaminedSetup(
            expected: "issuer-list-incomplete", url: "https://localhost:\(server.port)/soap",
            anchors: openssl.bundle("root"), identity: openssl.identity("device"), isServed: true
        ).check()
        #expect(report.text.contains("CN=newer authority"))
    }

    /// A root issued our certificate, which is all that the file of the identity has. Nothing is missing between.
    @Test func aRootIssuedOurCertificate() async throws {
        try openssl.makeRoot("plant", subject: "/O=Plant/CN=Plant authority")
        try openssl.issue("machine", by: "plant", "extendedKeyUsage=clientAuth")
        let anchors = try CertificateBundle(pem: openssl.bytes("root.pem") + openssl.bytes("plant.pem"))
        for version in ["-tls1_2", "-tls1_3"] {
            // Without -CAfile, the server sends no list of authorities.
            let server = try openssl.serve("-Verify 3 -verify_return_error -verifyCAfile root.pem \(version)")
            let report = try await check(
                "issuer-not-acceptable", at: server, showing: try openssl.identity("machine"), anchors: anchors)
            #expect(!report.text.contains("intermediates-not-sent"))
        }
    }

    @Test func theCertificateIsForAnotherEnvironment() async throws {
        try openssl.makeRoot("testing", subject: "/O=Acme/CN=Acme Test Root")
        try openssl.makeRoot("production", subject: "/O=Acme/CN=Acme Production Root")
        try openssl.issue("trial", by: "testing", "extendedKeyUsage=clientAuth")
        for version in ["-tls1_2", "-tls1_3"] {
            let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile production.pem \(version)")
            try await check("wrong-environment", at: server, showing: try openssl.identity("trial"))
        }
    }

    // MARK: Usages and algorithms

    @Test func anIntermediateMayNotVouchForClients() async throws {
        try openssl.issue(
            "web", by: "root", "basicConstraints=critical,CA:TRUE\nextendedKeyUsage=serverAuth",
            subject: "/O=Bank/CN=web authority")
        try openssl.issue("below", by: "web", "extendedKeyUsage=clientAuth")
        let identity = try Identity(
            pem: openssl.bytes("below.pem") + openssl.bytes("web.pem"), privateKey: openssl.bytes("below.key"))
        for version in ["-tls1_2", "-tls1_3"] {
            let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem \(version)")
            try await check("intermediate-not-for-clients", at: server, showing: identity)
        }
    }

    @Test func theServersCertificateIsWeak() async throws {
        let extensions = "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth"
        try openssl.issue("short", by: "root", extensions, key: "rsa:1024")
        try openssl.issue("old", by: "root", extensions, key: "rsa:2048", digest: "sha1")
        for name in ["short", "old"] {
            // OpenSSL itself refuses to show them.
            let server = try openssl.serve("-cipher DEFAULT@SECLEVEL=0", certificate: name)
            try await check("server-certificate-weak", at: server)
        }
    }

    @Test func ourCertificateIsWeak() async throws {
        try openssl.issue("old", by: "root", "extendedKeyUsage=clientAuth", key: "rsa:2048", digest: "sha1")
        let server = try openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem -auth_level 2")
        try await check("identity-weak", at: server, showing: try openssl.identity("old"))
    }

    // MARK: Revocation

    @Test func ourCertificateIsRevoked() async throws {
        let authority = try RevocationServer()
        try authority.issueServer("server")
        try authority.issue("device", "extendedKeyUsage=clientAuth", source: .ocspAndList)
        try authority.revoke("device")
        let identity = try Identity(
            pem: authority.openssl.bytes("device-chain.pem"), privateKey: authority.openssl.bytes("device.key"))
        let anchors = try authority.openssl.bundle("root")
        for options in [
            "-crl_check -CRL middle.crl -CRLform DER", "-tls1_2 -crl_check -CRL middle.crl -CRLform DER", "",
        ] {
            // A server that does not look it up takes the certificate, but the next one will not.
            let server = try authority.openssl.serve(
                "-cert_chain middle.pem -Verify 3 -verify_return_error -CAfile root.pem \(options)")
            try await check("identity-revoked", at: server, showing: identity, anchors: anchors)
        }
    }

    /// The server demands to know, and has no list.
    @Test func whetherOurCertificateIsRevokedCannotBeFoundOut() async throws {
        let authority = try RevocationServer()
        try authority.issueServer("server")
        let anchors = try authority.openssl.bundle("root")
        for source in [RevocationServer.Source.absentList, .absent, .failing] {
            try authority.issue("device", "extendedKeyUsage=clientAuth", source: source)
            let identity = try Identity(
                pem: authority.openssl.bytes("device-chain.pem"), privateKey: authority.openssl.bytes("device.key"))
            let server = try authority.openssl.serve(
                "-cert_chain middle.pem -Verify 3 -verify_return_error -CAfile root.pem -crl_check")
            try await check("identity-revocation-unreachable", at: server, showing: identity, anchors: anchors)
        }
    }

    /// The file of the identity has only our certificate; the client trusts the authority that issued it.
    @Test func theAuthorityIsKnownFromElsewhere() async throws {
        let authority = try RevocationServer()
        try authority.issueServer("server", by: "root")
        try authority.issue("device", by: "root", "extendedKeyUsage=clientAuth", source: .absentList)
        let server = try authority.openssl.serve("-Verify 3 -verify_return_error -CAfile root.pem -crl_check")
        try await check(
            "identity-revocation-unreachable", at: server, showing: try authority.openssl.identity("device"),
            anchors: try authority.openssl.bundle("root"))
    }

    @Test func theServersCertificateIsRevoked() async throws {
        let authority = try RevocationServer()
        try authority.issueServer("server")
        try authority.revoke("server")
        let anchors = try authority.openssl.bundle("root")
        let server = try authority.openssl.serve("-cert_chain middle.pem")
        for policy in [RevocationPolicy.off, .hard] {
            try await check("server-certificate-revoked", at: server, anchors: anchors) { $0.trust.revocation = policy }
        }
    }

    // MARK: Clocks

    /// The server's clock is two hours ahead, and our certificate has one hour left.
    @Test func theServersClockIsAhead() async throws {
        let root = try CertificateAuthority(commonName: "Bank root")
        try openssl.write(root.bundle.pem, "clients.pem")
        let now = Int64(Date().timeIntervalSince1970)
        var profile = CertificateProfile.client
        profile.notAfter = now + 3_600
        let identity = try root.issueClient(profile)
        for version in ["-tls1_2", "-tls1_3"] {
            let server = try openssl.serve(
                "-Verify 3 -verify_return_error -CAfile clients.pem -attime \(now + 7_200) \(version)")
            try await check("clock-wrong", at: server, showing: identity)
        }
    }
}
