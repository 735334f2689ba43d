import SignetAuthentication
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Each error of a proxy names the proxy, and says what can be done about it.
@Suite(.timeLimit(.minutes(5))) struct HopTests {
    private func failure(
        _ url: String, proxy: String, _ change: (inout TransportSetup) -> Void = { _ in }
    ) async throws -> String {
        var text = ""
        try await withTransport(
            url,
            {
                $0.proxy = .init(.init(try Proxy(proxy)))
                change(&$0)
            }
        ) { transport async throws in
            let error = await #expect(throws: (any Error).self) { try await transport.call(url) }
            text = error.map { "\($0)" } ?? ""
        }
        return text
    }

    @Test(arguments: ["http://origin.example/x", "https://origin.example/x"])
    func theErrorNamesAnUntrustedProxy(url: String) async throws {
        let peer = try Peer(identity: try CertificateAuthority().issueServer(dnsNames: ["localhost"]))
        let proxy = "https://localhost:\(peer.port)"
        let strange = try CertificateAuthority(commonName: "Others")
        let text = try await failure(url, proxy: proxy) { $0.proxy.trust = .anchors(strange.bundle) }
        #expect(text.contains("The proxy \(proxy) is not trusted") && text.contains("--proxy-ca"), "\(text)")
    }

    @Test(arguments: ["http://origin.example/x", "https://origin.example/x"])
    func theErrorNamesAProxyWithoutAChallenge(url: String) async throws {
        let server = try ScriptedServer([
            [[.read, .send("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n"), .stall]]
        ])
        let port = try #require(server.ports.first)
        let text = try await failure(url, proxy: "http://127.0.0.1:\(port)") {
            $0.proxy.authentication = .init(
                credentials: .fixed(.account(user: "u", password: "p")), allowsPlaintext: true)
        }
        #expect(
            text.contains("The proxy") && text.contains("127.0.0.1:\(port)") && !text.contains("The server"), "\(text)")
    }

    @Test func theErrorQuotesTheRetryAfterOfAProxy() async throws {
        let server = try ScriptedServer([
            [[.read, .send("HTTP/1.1 503 No\r\nRetry-After: 10\r\nContent-Length: 0\r\n\r\n"), .stall]]
        ])
        let port = try #require(server.ports.first)
        let text = try await failure("https://origin.example/", proxy: "http://127.0.0.1:\(port)")
        #expect(text.contains("503") && text.contains("tried again after 10"), "\(text)")
    }

    /// What is HTTP, if a bad one, was not meant to be TLS.
    @Test(arguments: ["HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"])
    func badHTTPIsNotTakenForTLS(answer: String) async throws {
        let server = try ScriptedServer([[[.read, .send(answer), .close]]])
        let url = "http://127.0.0.1:\(try #require(server.ports.first))/"
        try await withTransport(url) { transport async throws in
            let error = try await transport.failure(url)
            #expect(
                error?.code == .malformedResponse && error?.message.contains("TLS") == false, "\(error?.message ?? "")")
        }
    }

    /// Some answer with an alert, some with a reset, some not at all.
    @Test(arguments: [[ServerStep.bytes([21, 3, 3, 0, 2, 2, 40]), .close], [.reset], [.close]])
    func plainHTTPToATLSProxyIsExplained(answer: [ServerStep]) async throws {
        for url in ["http://origin.example/x", "https://origin.example/x"] {
            let server = try ScriptedServer([[[.read] + answer]])
            let port = try #require(server.ports.first)
            let text = try await failure(url, proxy: "http://127.0.0.1:\(port)")
            #expect(text.contains("the proxy 127.0.0.1") && text.contains("https://"), "\(text)")
        }
    }

    @Test func tlsToAProxyThatSpeaksNoneIsExplained() async throws {
        let server = try ScriptedServer([
            [[.readBytes(20), .send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"), .close]]
        ])
        let port = try #require(server.ports.first)
        let text = try await failure("https://origin.example/", proxy: "https://127.0.0.1:\(port)")
        #expect(text.contains("the proxy") && text.contains("http://"), "\(text)")
    }

    /// Suites with CBC, of a server that has nothing else.
    @Test func weakSuitesNeedPermission() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issueServer(dnsNames: ["localhost"])
        let peer = try Peer(identity: identity, version: "cbc")
        let url = "https://localhost:\(peer.port)/ok"
        let trust = TrustPolicy.anchors(authority.bundle)
        try await withTransport(url, { $0.trust = trust }) { transport async throws in
            let error = try await transport.failure(url)
            #expect(error?.code == .tlsHandshakeFailed)
            for word in [
                "handshake_failure", "Offered were", "allowsInsecureCipherSuites (signet: --insecure-ciphers)", "DHE",
            ] {
                #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
            }
        }
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.allowsInsecureCipherSuites = true
            }
        ) { transport async throws in
            let answer = try await transport.call(url)
            #expect(answer.report.connection.tls?.cipherSuite.contains("CBC") == true)
        }
        // That of the origin opens no proxy.
        let text = try await failure("http://origin.example/", proxy: "https://localhost:\(peer.port)") {
            $0.proxy.trust = trust
            $0.allowsInsecureCipherSuites = true
        }
        #expect(text.contains("The proxy localhost") && text.contains("--proxy-insecure-ciphers"), "\(text)")
    }
}
