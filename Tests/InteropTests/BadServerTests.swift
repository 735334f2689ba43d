import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetNIOTransport
import SignetTLS
import SignetTesting
import Testing

/// What badssl.com shows to browsers, on loopback: OpenSSL's `s_server` with something wrong, called directly and
/// through squid. Each must be refused for the right reason.
@Suite(.serialized) struct BadServerTests {
    /// Certificates and keys of all cases in one folder.
    private struct Lab: Sendable {
        let files: IdentityFiles
        let root: CertificateAuthority
        let strange: CertificateAuthority

        init() async throws {
            files = try IdentityFiles()
            root = try CertificateAuthority(commonName: "Bad servers' root")
            strange = try CertificateAuthority(commonName: "Nobody's root")
            let middle = try root.issueIntermediate(commonName: "Bad servers' intermediate")
            let host = ["localhost"]
            for (name, identity) in [
                ("good", try root.issueServer(dnsNames: host)), ("chained", try middle.issueServer(dnsNames: host)),
                ("expired", try root.issueServer(dnsNames: host, .server.expired)),
                ("early", try root.issueServer(dnsNames: host, .server.notYetValid)),
                ("elsewhere", try root.issueServer(dnsNames: ["elsewhere.example"])),
                ("nameless", try root.issueServer(commonName: "localhost")),
                ("subjectless", try root.issueServer(ipAddresses: ["127.0.0.1"])),
                ("stranger", try strange.issueServer(dnsNames: host)),
            ] { try await files.write(identity, as: name) }
            try files.write([root.certificate, middle.certificate], as: "clients.pem")
            try files.write([], as: "none.pem")
            // What no honest tool issues any more.
            try await openssl(
                "req -x509 -newkey rsa:2048 -nodes -sha256 -days 9 -subj /CN=Old -keyout old.key -out old.pem")
            let san = "-addext subjectAltName=DNS:localhost"
            for (name, key, digest) in [
                ("sha1", "rsa:2048", "sha1"), ("small", "rsa:1024", "sha256"), ("rsa", "rsa:2048", "sha256"),
            ] {
                try await openssl(
                    "req -newkey \(key) -nodes -subj /CN=localhost \(san) -keyout \(name).key -out \(name).csr")
                try await openssl(
                    "x509 -req -in \(name).csr -CA old.pem -CAkey old.key -days 9 -\(digest) -copy_extensions copy -out \(name).pem"
                )
            }
            try await openssl(
                "req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=localhost \(san) -keyout self.key -out self.pem")
        }

        private func openssl(_ arguments: String) async throws {
            let result = try await PeerProcess.output(
                of: .init(
                    program: "openssl", arguments: arguments.split(separator: " ").map(String.init),
                    folder: files.folder))
            guard result.status == 0 else { throw PeerProcess.Failure(description: "openssl: \(result.error)") }
        }

        func bundle(_ name: String) throws -> CertificateBundle {
            try CertificateBundle(pem: Array(try Data(contentsOf: files.folder.appending(path: name))))
        }

        /// Anchors of all honest authorities, old ones included.
        func trust() throws -> TrustPolicy {
            .anchors(root.bundle).addingAnchors(try bundle("old.pem"))
        }
    }

    private struct Case: Sendable {
        let name: String
        var certificate = "good"
        var options = ""
        /// Whether the server sends what stands above its own certificate.
        var sendsChain = true
        /// The code of the expected error, or nothing.
        let expected: String?
        var host = "localhost"
        var identity: (@Sendable (Lab) throws -> Identity)?
        var tolerated: Set<IdentityProblem.Code> = []
        var isPinned = false
        /// What the message says too.
        var says = ""
        var allowsInsecureCipherSuites = false
    }

    private static let demanding = "-Verify 2 -verify_return_error -CAfile clients.pem"

    private static let cases: [Case] = [
        Case(name: "good", expected: nil),
        Case(name: "expired", certificate: "expired", expected: "expired"),
        Case(name: "not yet valid", certificate: "early", expected: "notYetValid"),
        Case(name: "wrong host", certificate: "elsewhere", expected: "hostNameMismatch"),
        Case(name: "self-signed", certificate: "self", expected: "selfSigned"),
        Case(name: "untrusted root", certificate: "stranger", expected: "unknownAuthority"),
        Case(name: "pinned", expected: "pinMismatch", isPinned: true),
        Case(name: "a common name alone", certificate: "nameless", expected: "hostNameMismatch"),
        Case(name: "no common name", certificate: "subjectless", expected: nil, host: "127.0.0.1"),
        Case(name: "SHA-1", certificate: "sha1", options: "-cipher DEFAULT@SECLEVEL=0", expected: "weakAlgorithm"),
        Case(
            name: "RSA of 1,024 bits", certificate: "small", options: "-cipher DEFAULT@SECLEVEL=0",
            expected: "weakAlgorithm"),
        Case(name: "incomplete chain", certificate: "chained", sendsChain: false, expected: "unknownAuthority"),
        Case(name: "complete chain", certificate: "chained", expected: nil),
        Case(
            name: "TLS 1.0", options: "-tls1 -cipher ALL:@SECLEVEL=0", expected: "tlsHandshakeFailed",
            says: "protocol_version"),
        Case(
            name: "TLS 1.1", options: "-tls1_1 -cipher ALL:@SECLEVEL=0", expected: "tlsHandshakeFailed",
            says: "protocol_version"),
        Case(
            name: "finite-field groups", certificate: "rsa",
            options: "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", expected: "tlsHandshakeFailed",
            says: "handshake_failure"),
        Case(
            name: "no encryption", certificate: "rsa", options: "-tls1_2 -cipher ECDHE-RSA-NULL-SHA:@SECLEVEL=0",
            expected: "tlsHandshakeFailed", says: "handshake_failure"),
        Case(
            name: "CBC", certificate: "rsa", options: "-tls1_2 -cipher ECDHE-RSA-AES128-SHA:@SECLEVEL=0",
            expected: "tlsHandshakeFailed", says: "handshake_failure"),
        Case(
            name: "RSA key exchange", certificate: "rsa", options: "-tls1_2 -cipher AES128-SHA:@SECLEVEL=0",
            expected: "tlsHandshakeFailed", says: "--insecure-ciphers"),
        Case(
            name: "CBC, allowed", certificate: "rsa", options: "-tls1_2 -cipher ECDHE-RSA-AES128-SHA:@SECLEVEL=0",
            expected: nil, allowsInsecureCipherSuites: true),
        Case(
            name: "RSA key exchange, allowed", certificate: "rsa",
            options: "-tls1_2 -cipher AES128-SHA:@SECLEVEL=0", expected: nil, allowsInsecureCipherSuites: true),
        Case(
            name: "finite-field groups, with all that can be allowed", certificate: "rsa",
            options: "-tls1_2 -cipher DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0", expected: "tlsHandshakeFailed",
            says: "DHE cannot be offered", allowsInsecureCipherSuites: true),
        Case(
            name: "client certificate missing, TLS 1.2", options: "-tls1_2 \(demanding)",
            expected: "clientCertificateRequired"),
        Case(
            name: "client certificate missing, TLS 1.3", options: "-tls1_3 \(demanding)",
            expected: "clientCertificateRequired"),
        Case(
            name: "client certificate untrusted, TLS 1.2", options: "-tls1_2 \(demanding)",
            expected: "clientCertificateRefused", identity: { try $0.strange.issueClient() }, says: "unknown_ca"),
        Case(
            name: "client certificate untrusted, TLS 1.3", options: "-tls1_3 \(demanding)",
            expected: "clientCertificateRefused", identity: { try $0.strange.issueClient() }, says: "unknown_ca"),
        Case(
            name: "client certificate expired", options: demanding, expected: "unusableIdentity",
            identity: { try $0.root.issueClient(.client.expired) }),
        Case(
            name: "client certificate expired, shown all the same", options: demanding,
            expected: "clientCertificateRefused", identity: { try $0.root.issueClient(.client.expired) },
            tolerated: [.expired], says: "certificate_expired"),
        Case(
            name: "a server's certificate as the client's", options: demanding, expected: "unusableIdentity",
            identity: { try $0.root.issueServer(dnsNames: ["localhost"]) }),
        Case(
            name: "client certificate right", options: demanding, expected: nil, identity: { try $0.root.issueClient() }
        ),
    ]

    private func outcome(_ test: Case, _ lab: Lab, port: Int, proxy: ForwardProxy?) async throws -> (String?, String) {
        let endpoint = try Endpoint("https://\(test.host):\(port)/")
        var configuration = ConnectionConfiguration()
        configuration.trust = try lab.trust()
        if test.isPinned {
            configuration.trust = configuration.trust.pinned(
                to: [0, 1].map { .publicKey(sha256: Data(repeating: $0, count: 32).base64EncodedString()) })
        }
        if let identity = try test.identity?(lab) { configuration.identity = .fixed(identity) }
        configuration.toleratedIdentityProblems = test.tolerated
        configuration.allowsInsecureCipherSuites = test.allowsInsecureCipherSuites
        if let proxy {
            configuration.proxy = .init(.init(try Proxy("http://localhost:\(proxy.port)")))
            configuration.proxy.authentication = AuthenticationPolicy(
                credentials: .fixed(.account(user: "clerk", password: "way out")), allowsPlaintext: true)
        }
        do {
            let answer = try await NIOTransport.answer(to: ClientRequest(endpoint, method: .get), configuration)
            #expect(answer.report.connection.proxy != nil || proxy == nil)
            return (nil, "\(answer.status)")
        } catch let error as TrustError {
            return (error.code.description, error.message)
        } catch let error as TransportError {
            #expect(!error.mayHaveBeenProcessed, "\(test.name): \(error)")
            return (error.code.description, error.message)
        }
    }

    @Test func everyBadServerIsRefusedForTheRightReason() async throws {
        let lab = try await Lab()
        try await ForwardProxy.run(authority: lab.root) { proxy in
            for test in Self.cases {
                let port = try Port.free()
                var arguments = ["s_server", "-accept", "127.0.0.1:\(port)", "-www", "-quiet"]
                arguments += ["-cert", "\(test.certificate).pem", "-key", "\(test.certificate).key"]
                if test.sendsChain { arguments += ["-cert_chain", "\(test.certificate).pem"] }
                arguments += test.options.split(separator: " ").map(String.init)
                let server = PeerProcess.Command(
                    program: "openssl", arguments: arguments, folder: lab.files.folder, port: port)
                try await PeerProcess.run(server) {
                    for way in [nil, proxy] {
                        let (code, message) = try await outcome(test, lab, port: port, proxy: way)
                        let place = "\(test.name), \(way == nil ? "directly" : "through the proxy"): \(message)"
                        #expect(code == test.expected, "\(place)")
                        #expect(test.says.isEmpty || message.contains(test.says), "\(place)")
                    }
                }
            }
        }
    }
}
