import Foundation
import Signet
import SignetTesting
import TestSupport
import Testing

@testable import SignetDoctor

/// Connections that fail for reasons that are rare: the likeliest cause must come first.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoctorBreakageTests {
    private let files: IdentityFiles
    private let root: CertificateAuthority

    init() throws {
        files = try IdentityFiles()
        root = try CertificateAuthority(commonName: "Bank root")
    }

    /// `openssl s_server` that sends all certificates of an identity.
    private func serve(_ identity: Identity, _ options: String...) async throws -> OpenSSLServer {
        try await files.write(identity, as: "server")
        try files.write(Array(identity.chain.dropFirst()), as: "rest.pem")
        return try OpenSSLServer(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"]
                + (identity.chain.count > 1 ? ["-cert_chain", "rest.pem"] : [])
                + options.flatMap { $0.split(separator: " ").map(String.init) }, in: files.folder)
    }

    private func localhost(_ change: (inout CertificateProfile) -> Void = { _ in }) -> CertificateProfile {
        var profile = CertificateProfile.server
        profile.dnsNames = ["localhost"]
        change(&profile)
        return profile
    }

    private func authority(_ change: (inout CertificateProfile) -> Void) -> CertificateProfile {
        var profile = CertificateProfile.authority
        change(&profile)
        return profile
    }

    private func check(_ expected: String, at server: OpenSSLServer, showing identity: Identity? = nil) async throws {
        try await ExaminedSetup(
            expected: expected, url: "https://localhost:\(server.port)/soap", anchors: root.bundle, identity: identity
        ).check()
    }

    @Test func theServersCertificates() async throws {
        try await check(
            "server-certificate-not-yet-valid", at: try await serve(root.issueServer(localhost().notYetValid)))
        let expired = try root.issueIntermediate(commonName: "Bank issuing", .authority.expired)
        try await check("server-certificate-expired", at: try await serve(expired.issueServer(localhost())))
        let constrained = try root.issueIntermediate(
            commonName: "Bank issuing", authority { $0.permittedDomains = ["bank.example"] })
        try await check("server-certificate-rejected", at: try await serve(constrained.issueServer(localhost())))
        let short = try root.issueIntermediate(commonName: "Bank issuing", authority { $0.pathLength = 0 })
        let below = try short.issueIntermediate(commonName: "Bank below")
        try await check("server-certificate-rejected", at: try await serve(below.issueServer(localhost())))
        try await check(
            "server-certificate-rejected",
            at: try await serve(root.issueServer(localhost { $0.hasUnknownCriticalExtension = true })))
        try await check(
            "server-certificate-rejected", at: try await serve(root.issueServer(localhost { $0.purposes = [.client] })))
        // A wildcard stands for one label, not for none.
        try await check(
            "server-host-mismatch", at: try await serve(root.issueServer(localhost { $0.dnsNames = ["*.localhost"] })))
    }

    @Test func theClientsCertificates() async throws {
        try files.write(root.bundle.certificates, as: "clients.pem")
        let server = try await serve(
            root.issueServer(localhost()), "-Verify 3 -verify_return_error -CAfile clients.pem")
        try await check("identity-not-yet-valid", at: server, showing: try root.issueClient(.client.notYetValid))
        let expired = try root.issueIntermediate(commonName: "Bank issuing", .authority.expired)
        try await check("identity-expired", at: server, showing: try expired.issueClient())
        // Nothing is wrong with the identity alone, and the alert says no more than bad_certificate or unknown_ca.
        let short = try root.issueIntermediate(commonName: "Bank issuing", authority { $0.pathLength = 0 })
        let below = try short.issueIntermediate(commonName: "Bank below")
        try await check("certificate-refused", at: server, showing: try below.issueClient())
    }

    @Test func algorithms() async throws {
        let identity = try root.issueServer(localhost())
        for options in ["-tls1_3 -groups X448", "-tls1_2 -cipher ECDHE-ECDSA-CAMELLIA128-SHA256"] {
            try await check("no-common-cipher-suite", at: try await serve(identity, options))
        }
        let server = try await serve(identity)
        try await ExaminedSetup(expected: "tls-on-http-port", url: "http://localhost:\(server.port)/soap").check()
    }

    @Test func otherProtocols() async throws {
        try await BrokenPeers.run(["alert", "mail", "page", "forbidding", "closing"]) { ports async throws in
            func setup(
                _ expected: String, _ url: String, through proxy: String? = nil, scheme: String = "http"
            ) -> ExaminedSetup {
                ExaminedSetup(expected: expected, url: url, anchors: root.bundle) { connection in
                    guard let proxy else { return }
                    connection.proxy = .init(.init(try Proxy("\(scheme)://localhost:\(ports[proxy] ?? 0)")))
                }
            }
            try await setup("handshake-failed", "https://localhost:\(ports["alert"] ?? 0)/").check()
            try await setup("not-tls", "https://localhost:\(ports["mail"] ?? 0)/").check()
            for proxy in ["page", "closing"] {
                try await setup("proxy-refused", "https://service.example/", through: proxy).check()
            }
            // It closes before it has said anything of TLS.
            try await setup("proxy-tls-failed", "https://service.example/", through: "closing", scheme: "https").check()
            let refused = try await setup("proxy-refused", "https://service.example/", through: "forbidding").check()
            #expect(refused.diagnosis.mostLikely?.evidence.contains { $0.contains(" 403 ") } == true, "\(refused.text)")
        }
    }

    /// Six authorities stand between, and each names the place of the next one's certificate.
    /// The handshake is over when a request has gone out.
    @Test func theServerFailsAfterTheHandshake() async throws {
        try await files.write(try root.issueServer(localhost()), as: "server")
        try files.join(["server.pem", "server.key"], as: "both.pem")
        let roles = ["silent", "cutting"].map { "\($0):\(files.path("both.pem"))" }
        try await BrokenPeers.run(roles) { ports async throws in
            for (role, code) in zip(roles, ["answer-timed-out", "connection-closed"]) {
                let url = "https://localhost:\(ports[role] ?? 0)/"
                let report = try await ExaminedSetup(
                    expected: code, url: url, anchors: root.bundle, stepLimit: .seconds(3)
                ).check()
                let found = report.diagnosis.mostLikely
                #expect(
                    found?.evidence.contains { $0.contains("after the handshake, before a whole answer") } == true,
                    "\(report.text)")
                #expect(report.facts.probes.first?.handshake?.stage == .finished, "\(report.text)")
            }
        }
    }

    @Test func onlyFourMissingCertificatesAreLookedFor() async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let port = try Port.free()
        func place(_ name: String) -> String {
            "authorityInfoAccess=caIssuers;URI:http://127.0.0.1:\(port)/\(name).pem"
        }
        try openssl.makeRoot("a0", subject: "/O=Bank/CN=a0")
        for number in 1...6 {
            try openssl.issue(
                "a\(number)", by: "a\(number - 1)", "basicConstraints=critical,CA:TRUE\n\(place("a\(number - 1)"))")
        }
        try openssl.issue("leaf", by: "a6", "subjectAltName=DNS:localhost\n\(place("a6"))")
        let server = try OpenSSLServer(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "leaf.pem", "-key", "leaf.key"], in: openssl.folder)
        let command = PeerProcess.Command(
            program: "python3",
            arguments: ["-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", openssl.folder.path],
            port: port)
        try await PeerProcess.run(command) { () async throws in
            let report = try await ExaminedSetup(
                expected: "server-not-trusted", url: "https://localhost:\(server.port)/",
                anchors: try openssl.bundle("a0")
            ).check()
            #expect(
                report.facts.issuerLookups.compactMap(\.certificate?.subject) == ["CN=a6", "CN=a5", "CN=a4", "CN=a3"])
        }
    }

    /// The server leaves out an intermediate, whose certificate is where the server's names it.
    @Test func anIntermediateThatIsElsewhere() async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let port = try Port.free()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.issue(
            "middle", by: "root", "basicConstraints=critical,CA:TRUE", subject: "/O=Consortium/CN=issuing 4")
        try openssl("x509 -in middle.pem -outform DER -out issuing.crt")
        try openssl("crl2pkcs7 -nocrl -certfile middle.pem -outform DER -out issuing.p7c")
        let command = PeerProcess.Command(
            program: "python3",
            arguments: ["-m", "http.server", "\(port)", "--bind", "127.0.0.1", "--directory", openssl.folder.path],
            port: port)
        func examine(
            _ name: String, at file: String, anchors: String = "root", host: String = "localhost"
        ) async throws -> DoctorReport {
            try openssl.issue(
                name, by: "middle",
                """
                subjectAltName=DNS:localhost
                authorityInfoAccess=caIssuers;URI:http://127.0.0.1:\(port)/\(file)
                """)
            let server = try OpenSSLServer(
                ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(name).pem", "-key", "\(name).key"],
                in: openssl.folder)
            return try await ExaminedSetup(
                expected: nil, url: "https://\(host):\(server.port)/", anchors: try openssl.bundle(anchors)
            ).examine()
        }
        try await PeerProcess.run(command) { () async throws in
            for file in ["issuing.crt", "issuing.p7c"] {
                let found = try #require(try await examine("leaf", at: file).diagnosis.mostLikely)
                #expect(found.code == .serverChainIncomplete)
                let place =
                    "“CN=issuing 4, O=Consortium”, which the server does not send, was found at http://127.0.0.1:\(port)/\(file)."
                #expect(found.evidence.contains(place), "\(found.evidence)")
            }
            // PEM in the place of DER; what is too long, or elsewhere again, is not fetched.
            try openssl.write(try openssl.bytes("middle.pem"), "issuing.txt")
            let written = try await examine("written", at: "issuing.txt")
            #expect(written.diagnosis.mostLikely?.code == .serverChainIncomplete, "\(written.text)")
            try openssl.write([UInt8](repeating: 0x30, count: 70_000), "large.crt")
            let large = try await examine("large", at: "large.crt")
            #expect(large.diagnosis.mostLikely?.code == .serverNotTrusted, "\(large.text)")
            #expect(large.facts.issuerLookups.first?.problem?.contains("65536") == true, "\(large.facts.issuerLookups)")
            try FileManager.default.createDirectory(
                at: openssl.folder.appending(path: "moved"), withIntermediateDirectories: false)
            let moved = try await examine("elsewhere", at: "moved")
            #expect(moved.facts.issuerLookups.map(\.problem) == ["the answer has the status 301"])
            // The name is wrong too, which the client judges of a path to a known authority only.
            let misnamed = try await examine("misnamed", at: "issuing.crt", host: "127.0.0.1")
            #expect(misnamed.diagnosis.mostLikely?.code == .serverChainIncomplete, "\(misnamed.text)")
            // A server elsewhere cannot make the client ask something of this machine.
            let lookup = try MissingIssuers(
                of: try Endpoint("https://service.example/").origin, besides: ConnectionConfiguration(),
                timeLimit: .seconds(5))
            let (certificates, lookups) = try await lookup.lookUp(
                for: try CertificateBundle(pem: openssl.bytes("leaf.pem")).certificates)
            try await lookup.shutDown()
            #expect(certificates.isEmpty && lookups.count == 1)
            #expect(lookups.first?.problem?.contains("is of this machine") == true, "\(lookups)")
            // What is there does not lead to what the client trusts, or is not there.
            try openssl.makeRoot("other", subject: "/O=Stranger/CN=other authority")
            let stranger = try await examine("strange", at: "issuing.crt", anchors: "other")
            #expect(stranger.diagnosis.mostLikely?.code == .serverNotTrusted, "\(stranger.text)")
            let missing = try await examine("missing", at: "nothing.crt")
            #expect(missing.diagnosis.mostLikely?.code == .serverNotTrusted, "\(missing.text)")
            #expect(missing.text.contains("the answer has the status 404"), "\(missing.text)")
        }
    }
}
