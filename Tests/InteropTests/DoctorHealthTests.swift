import Foundation
import Signet
import SignetDoctor
import SignetTesting
import TestSupport
import Testing

/// Connections that work, each of another kind: no finding may stand above a notice.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoctorHealthTests {
    private let files: IdentityFiles
    private let openssl: OpenSSL

    init() throws {
        files = try IdentityFiles()
        openssl = try OpenSSL()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.issue("middle", by: "root", "basicConstraints=critical,CA:TRUE", subject: "/O=Bank/CN=middle")
        let use = "extendedKeyUsage=serverAuth"
        let localhost = "subjectAltName=DNS:localhost\n\(use)"
        try openssl.issue("rsa", by: "root", localhost, key: "rsa:2048")
        try openssl.issue("elliptic", by: "root", localhost)
        try openssl.issue("large", by: "root", localhost, key: "ec -pkeyopt ec_paramgen_curve:P-384")
        try openssl.issue("deep", by: "middle", localhost)
        try openssl.issue("literal", by: "root", "subjectAltName=IP:::1\n\(use)")
        try openssl.issue("wild", by: "root", "subjectAltName=DNS:*.service.example\n\(use)")
        try openssl.makeSelfSigned(
            "self", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:P-256", "-addext", "subjectAltName=DNS:localhost"])
        try openssl.makeRoot("myself")
        try openssl.issue("device", by: "root", "extendedKeyUsage=clientAuth")
        try openssl.issue("edwards", by: "root", "extendedKeyUsage=clientAuth", key: "ed25519")
        try openssl.issue("below", by: "middle", "extendedKeyUsage=clientAuth")
        try openssl.write(try openssl.bytes("deep.pem") + openssl.bytes("middle.pem"), "chain.pem")
        try openssl.write(try openssl.bytes("below.pem") + openssl.bytes("middle.pem"), "sent.pem")
        for name in try FileManager.default.contentsOfDirectory(atPath: openssl.folder.path) {
            guard name.hasSuffix(".pem") || name.hasSuffix(".key") else { continue }
            try Data(openssl.bytes(name)).write(to: files.folder.appending(path: name))
        }
    }

    /// A connection to a server below the root.
    private func setup(
        _ url: String, _ identity: String? = nil,
        change: @escaping (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) throws -> ExaminedSetup {
        ExaminedSetup(
            expected: nil, url: url, anchors: try openssl.bundle("root"),
            identity: try identity.map { try openssl.identity($0) }, change: change)
    }

    @Test func nginx() async throws {
        let names = ["LARGE", "CHAIN", "LITERAL", "SELF", "WILD"]
        let ports = Dictionary(uniqueKeysWithValues: try (["PORT"] + names).map { ($0, try Port.free()) })
        func url(_ name: String, _ path: String = "/soap", host: String = "localhost") -> String {
            "https://\(host):\(ports[name] ?? 0)\(path)"
        }
        let sent = try Identity(pem: openssl.bytes("sent.pem"), privateKey: openssl.bytes("below.key"))
        try await Nginx.run(
            "nginx-health.conf", ports.mapValues(String.init), in: files, port: ports["PORT"] ?? 0
        ) { () async throws in
            // An RSA and an ECDSA certificate.
            try await setup(url("PORT"), "device").check()
            // A service that takes POST only, and one that answers a GET with a fault.
            try await setup(url("PORT", "/post"), "device").check()
            try await setup(url("PORT", "/fault"), "device").check()
            // P-384 at the server, Ed25519 at the client, TLS 1.2.
            try await setup(url("LARGE"), "edwards").check()
            // Intermediates on both sides.
            var chain = try setup(url("CHAIN"))
            chain.identity = sent
            try await chain.check()
            try await setup(url("LITERAL", host: "[::1]")).check()
            // Self-signed on both sides, and a pin.
            let known = try openssl.bundle("self")
            let digests = [try #require(known.certificates.first?.publicKeySHA256), [UInt8](repeating: 1, count: 32)]
            var own = try setup(url("SELF"), "myself") {
                $0.trust = $0.trust.pinned(
                    to: digests.map { .publicKey(sha256: Data($0).base64EncodedString()) })
            }
            own.anchors = known
            try await own.check()
            // A name that only the proxy resolves, and a wildcard.
            let roles = ["tunnel", "welcoming"].map { "\($0):\(ports["WILD"] ?? 0)" }
            try await BrokenPeers.run(roles) { proxies async throws in
                for role in roles {
                    _ = try await setup(url("WILD", host: "api.service.example")) {
                        $0.proxy = .init(.init(try Proxy("http://localhost:\(proxies[role] ?? 0)")))
                    }.check()
                }
            }
        }
    }

    /// Apache asks after a request, and keeps enough of its content meanwhile.
    @Test func apache() async throws {
        try files.join(["elliptic.pem"], as: "server.pem")
        try files.join(["elliptic.key"], as: "server.key")
        try files.join(["root.pem"], as: "clients.pem")
        let port = try Port.free()
        let command = try Apache.command(files, port: port, version: "1.2", always: false, keeps: 1_000_000)
        try await PeerProcess.run(command) { () async throws in
            _ = try await setup("https://localhost:\(port)/late/", "device") {
                $0.allowsIdentityInRenegotiation = true
            }.check()
        }
    }

    /// The proxy speaks TLS, and so does the server behind it.
    @Test func squid() async throws {
        let proxies = try CertificateAuthority(commonName: "proxies")
        let server = try OpenSSLServer(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "rsa.pem", "-key", "rsa.key"], in: openssl.folder)
        try await ForwardProxy.run(authority: proxies) { proxy async throws in
            let report = try await setup("https://localhost:\(server.port)/") { connection in
                connection.proxy = .init(.init(try Proxy("https://localhost:\(proxy.securePort)")))
                connection.proxy.trust = .anchors(proxies.bundle)
                connection.proxy.authentication = .init(
                    credentials: .fixed(.account(user: "clerk", password: "way out")))
            }.check()
            #expect(report.facts.proxies.first?.handshake?.version == "TLS 1.3")
            #expect(report.text.contains("with the proxy: TLS 1.3"))
            #expect(report.sections.contains { $0.title == "The proxy's certificates" })
        }
    }

    /// An OCSP server answers for both certificates of the path.
    @Test func revocation() async throws {
        let authority = try RevocationServer()
        try authority.issueServer("server")
        let server = try OpenSSLServer(
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key",
                "-cert_chain", "middle.pem",
            ], in: authority.openssl.folder)
        let report = try await ExaminedSetup(
            expected: nil, url: "https://localhost:\(server.port)/", anchors: try authority.openssl.bundle("root")
        ) { $0.trust.revocation = .hard }.check()
        #expect(report.facts.revocations.count == 2 && report.facts.revocations.allSatisfy { $0.status == .good })
    }
}
