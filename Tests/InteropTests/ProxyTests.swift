import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetKerberos
import SignetNIOTransport
import SignetTLS
import SignetTesting
import TestSupport
import Testing

/// Calls through squid, which demands a password, to an nginx that writes down what reaches it.
@Suite(.serialized) struct ProxyTests {
    private struct Place: Sendable {
        let origin: WatchedOrigin
        let proxy: ForwardProxy
        let authority: CertificateAuthority
        let proxyAuthority: CertificateAuthority

        var secure: String { "https://localhost:\(origin.port)" }
        var plain: String { "http://localhost:\(origin.plainPort)" }
    }

    private static let clerk = AuthenticationPolicy(
        credentials: .fixed(.account(user: "clerk", password: "way out")), allowsPlaintext: true)

    private func run(
        demands: [ForwardProxy.Demand] = [.basic], _ body: (Place) async throws -> Void
    ) async throws {
        let (authority, proxyAuthority) = (
            try CertificateAuthority(commonName: "origins"), try CertificateAuthority(commonName: "proxies")
        )
        try await WatchedOrigin.run(authority: authority) { origin in
            try await ForwardProxy.run(authority: proxyAuthority, demands: demands) { proxy in
                try await body(
                    Place(origin: origin, proxy: proxy, authority: authority, proxyAuthority: proxyAuthority))
            }
        }
    }

    /// - Parameter url: the address called.
    private func call(
        _ url: String, _ place: Place, secureProxy: Bool = false,
        _ change: (inout ConnectionConfiguration) throws -> Void = { _ in }
    ) async throws -> ClientResponse {
        let endpoint = try Endpoint(url)
        var configuration = ConnectionConfiguration()
        configuration.trust = .anchors(place.authority.bundle)
        let proxy = secureProxy ? "https://localhost:\(place.proxy.securePort)" : "http://localhost:\(place.proxy.port)"
        configuration.proxy = .init(.init(try Proxy(proxy)))
        configuration.proxy.trust = .anchors(place.proxyAuthority.bundle)
        configuration.proxy.authentication = Self.clerk
        try change(&configuration)
        let transport = try NIOTransport(to: endpoint.origin, configuration)
        let result: Result<ClientResponse, any Error>
        do {
            result = .success(try await transport.send(ClientRequest(endpoint, body: .init(Array("<a/>".utf8)))))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        return try result.get()
    }

    /// Waits for a log, which is written after the answer.
    private func seen(_ count: Int, _ log: () throws -> [String]) async throws -> [String] {
        for _ in 0..<2_400 where try log().count < count { try await Task.sleep(for: .milliseconds(50)) }
        return try log()
    }

    /// What the proxy demands is answered with the strongest, and never with what is the origin's; the origin gets its
    /// own.
    @Test(arguments: [false, true]) func digestBeforeBasic(tunnel: Bool) async throws {
        try await run(demands: [.basic, .digest]) { place async throws in
            let url = "\(tunnel ? place.secure : place.plain)/private"
            var answers: [ClientResponse] = []
            let endpoint = try Endpoint(url)
            try await using(url, place) { transport in
                for _ in 0..<5 {
                    // A tunnel each: the count of a nonce outlives its connection.
                    transport.renewConnections()
                    answers.append(try await transport.send(ClientRequest(endpoint, method: .get)))
                }
            }
            #expect(answers.allSatisfy { $0.status == .ok })
            let origin = try await seen(2) { try place.origin.seen }
            #expect(origin.allSatisfy { !$0.contains("Digest") && !$0.contains("clerk") }, "\(origin)")
            let asked = try place.proxy.seen
            #expect(asked.contains { $0.hasSuffix(" clerk") })
            // A nonce is good for three uses; the next is answered anew, and the password is no other for it. squid
            // counts tunnels.
            #expect(asked.count { $0.hasPrefix("407") } == (tunnel ? 2 : 1), "\(asked)")
        }
    }

    @Test(arguments: [false, true]) func kerberosAtTheProxyAndAPasswordAtTheOrigin(tunnel: Bool) async throws {
        try await KerberosRealm.run { realm async throws in
            try await realm.log(in: "clerk", password: "way in")
            try await run(demands: [.negotiate(realm), .basic]) { place async throws in
                let url = "\(tunnel ? place.secure : place.plain)/private"
                let endpoint = try Endpoint(url)
                try await using(
                    url, place,
                    {
                        $0.proxy.authentication.schemes = [.negotiate]
                        $0.proxy.authentication.credentials = .fixed(.ticket)
                        $0.proxy.authentication.kerberos = Kerberos()
                    }
                ) { transport in
                    for _ in 0..<3 {
                        let answer = try await transport.send(ClientRequest(endpoint, method: .get))
                        #expect(answer.status == .ok)
                    }
                }
                let origin = try await seen(3) { try place.origin.seen }
                #expect(origin.allSatisfy { !$0.contains("Negotiate") }, "\(origin)")
                #expect(try place.proxy.seen.contains { $0.hasSuffix(" clerk@\(KerberosRealm.name)") })
            }
        }
    }

    /// Calls `/private`, where nginx wants the password of `guest`, over a transport.
    private func using(
        _ url: String, _ place: Place, _ change: (inout ConnectionConfiguration) throws -> Void = { _ in },
        _ body: (NIOTransport) async throws -> Void
    ) async throws {
        var configuration = ConnectionConfiguration()
        configuration.trust = .anchors(place.authority.bundle)
        configuration.proxy = .init(.init(try Proxy("http://localhost:\(place.proxy.port)")))
        configuration.proxy.authentication = Self.clerk
        configuration.authentication = .init(
            credentials: .fixed(.account(user: "guest", password: "inside")), allowsPlaintext: true)
        try change(&configuration)
        let transport = try NIOTransport(to: try Endpoint(url).origin, configuration)
        do { try await body(transport) } catch {
            try await transport.shutdown()
            throw error
        }
        try await transport.shutdown()
    }

    @Test(arguments: [false, true]) func aTunnelLeadsToTheOrigin(secureProxy: Bool) async throws {
        try await run { place async throws in
            let identity = try place.authority.issueClient(commonName: "device-7")
            let answer = try await call(place.secure, place, secureProxy: secureProxy) {
                $0.identity = .fixed(identity)
            }
            #expect(answer.status == .ok)
            #expect(answer.report.connection.proxy?.contains("localhost") == true)
            #expect(answer.report.connection.tls?.clientCertificate?.contains("device-7") == true)
            #expect((answer.report.connection.proxyTLS != nil) == secureProxy)
            // The password was asked for, and the origin saw nothing of it.
            let asked = try await seen(2) { try place.proxy.seen }
            #expect(asked.map { $0.prefix { $0 != " " } } == ["407", "200"])
            #expect(asked.last?.hasSuffix("clerk") == true)
            let arrived = try await seen(1) { try place.origin.seen }
            #expect(arrived.last?.contains("\"-\" \"-\" \"CN=device-7") == true, "\(arrived)")
        }
    }

    @Test func aPlainRequestIsGivenToTheProxy() async throws {
        try await run { place async throws in
            let answer = try await call("\(place.plain)/some/path?q=1", place)
            #expect(answer.status == .ok)
            #expect(answer.report.legs.map(\.status) == [407, 200])
            let asked = try await seen(2) { try place.proxy.seen }
            #expect(asked.last?.contains("POST \(place.plain)/some/path?q=1") == true, "\(asked)")
            let arrived = try await seen(1) { try place.origin.seen }
            #expect(arrived.last?.contains("POST /some/path?q=1 HTTP/1.1") == true)
            #expect(arrived.allSatisfy { $0.contains("\"-\" \"-\"") })
        }
    }

    /// Promise P6: two passwords, two logs.
    @Test(arguments: [false, true]) func proxyAndOriginGetTheirOwnPasswords(tunnel: Bool) async throws {
        try await run { place async throws in
            let guest = Credentials.account(user: "guest", password: "inside")
            let answer = try await call("\(tunnel ? place.secure : place.plain)/private", place) {
                $0.authentication = .init(credentials: .fixed(guest), allowsPlaintext: !tunnel)
            }
            #expect(answer.status == .ok)
            #expect(answer.report.legs.map(\.status) == (tunnel ? [401, 200] : [407, 401, 200]))
            let (toOrigin, toProxy) = (
                Data("guest:inside".utf8).base64EncodedString(), Data("clerk:way out".utf8).base64EncodedString()
            )
            let arrived = try await seen(2) { try place.origin.seen }
            #expect(arrived.count == 2)
            // Its port, `Proxy-Authorization`, `Authorization`.
            #expect(arrived.last?.contains(" \"-\" \"Basic \(toOrigin)\" ") == true, "\(arrived)")
            #expect(arrived.allSatisfy { !$0.contains(toProxy) }, "\(arrived)")
            // The client sent the right name at once, and no other name to squid.
            let asked = try await seen(tunnel ? 2 : 3) { try place.proxy.seen }
            let statuses = asked.map { String($0.prefix { $0 != " " }) }
            #expect(statuses == (tunnel ? ["407", "200"] : ["407", "401", "200"]), "\(asked)")
            #expect(asked.dropFirst().allSatisfy { $0.hasSuffix(" clerk") }, "\(asked)")
            #expect(asked.allSatisfy { !$0.contains("guest") }, "\(asked)")
        }
    }

    @Test(arguments: [false, true], [false, true])
    func thePasswordIsNeitherLoggedNorReported(digest: Bool, tunnel: Bool) async throws {
        try await run(demands: digest ? [.digest] : [.basic]) { place async throws in
            let url = tunnel ? place.secure : place.plain
            let logs = LogCollector()
            let answer = try await call(url, place) { $0.logger = logs.logger }
            #expect(answer.status == .ok)
            let error = await #expect(throws: AuthenticationError.self) {
                _ = try await call(url, place) {
                    $0.logger = logs.logger
                    $0.proxy.authentication.credentials = .fixed(.account(user: "clerk", password: "canary-wrong"))
                }
            }
            #expect(error?.code == .credentialsRefused)
            logs.check(
                hides: [
                    "way out", "clerk:way out", "canary-wrong", "clerk:canary-wrong", "cnonce=", "response=",
                ], [answer.report], [error])
        }
    }

    @Test func aChallengeOfTheOriginInTheTunnelIsNotTheProxys() async throws {
        try await run { place async throws in
            let error = await #expect(throws: AuthenticationError.self) {
                _ = try await call("\(place.secure)/odd", place)
            }
            #expect(error?.code == .unexpectedProxyChallenge)
            let arrived = try await seen(1) { try place.origin.seen }
            #expect(arrived.count == 1)
            #expect(arrived.allSatisfy { $0.contains("\"-\" \"-\"") })
        }
    }

    @Test func aWrongPasswordIsTriedOnce() async throws {
        try await run { place async throws in
            let error = await #expect(throws: AuthenticationError.self) {
                _ = try await call(place.secure, place) {
                    $0.proxy.authentication.credentials = .fixed(.account(user: "clerk", password: "wrong"))
                }
            }
            #expect(error?.code == .credentialsRefused)
            #expect(error?.space?.isProxy == true)
            let asked = try await seen(2) { try place.proxy.seen }
            #expect(asked.count == 2, "\(asked)")
            #expect(try place.origin.seen.isEmpty)
        }
    }

    @Test func noPasswordTravelsInTheClearUnlessAllowed() async throws {
        try await run { place async throws in
            let error = await #expect(throws: AuthenticationError.self) {
                _ = try await call(place.secure, place) { $0.proxy.authentication.allowsPlaintext = false }
            }
            #expect(error?.code == .insecureChannel)
            // Over TLS it may go.
            let answer = try await call(place.secure, place, secureProxy: true) {
                $0.proxy.authentication.allowsPlaintext = false
            }
            #expect(answer.status == .ok)
        }
    }

    @Test func anUntrustedProxyGetsNoPassword() async throws {
        try await run { place async throws in
            let error = await #expect(throws: TrustError.self) {
                _ = try await call(place.secure, place, secureProxy: true) {
                    // The anchors that the client trusts for origins are not trusted for proxies.
                    $0.proxy.trust = .anchors(place.authority.bundle)
                    $0.proxy.authentication.sendsWithoutChallenge = true
                }
            }
            #expect(error?.code == .unknownAuthority)
            #expect(try place.proxy.seen.isEmpty)
        }
    }

    @Test func anOriginMustBeTrustedInTheTunnelToo() async throws {
        try await run { place async throws in
            let error = await #expect(throws: TrustError.self) {
                _ = try await call(place.secure, place) { $0.trust = .anchors(place.proxyAuthority.bundle) }
            }
            #expect(error?.code == .unknownAuthority)
            #expect(try place.origin.seen.isEmpty)
        }
    }

    @Test func theProxySaysWhyThereIsNoTunnel() async throws {
        try await run { place async throws in
            for (url, status) in [("https://localhost:25", 403), ("https://localhost:\(try Port.free())", 503)] {
                let error = await #expect(throws: TransportError.self) { _ = try await call(url, place) }
                #expect(error?.code == .proxyRefused)
                #expect(error?.message.contains("\(status)") == true, "\(error?.message ?? "")")
                #expect(error?.mayHaveBeenProcessed == false)
            }
        }
    }

    @Test func exceptedHostsAreReachedDirectly() async throws {
        try await run { place async throws in
            let answer = try await call(place.secure, place) { $0.proxy.rules?.exceptions = "localhost" }
            #expect(answer.status == .ok)
            #expect(answer.report.connection.proxy == nil)
            #expect(try place.proxy.seen.isEmpty)
        }
    }

    /// The name in the address counts for TLS, although it is not resolved.
    @Test func aSocketInTheFileSystemLeadsToTheOrigin() async throws {
        try await run { place async throws in
            let identity = try place.authority.issueClient(commonName: "device-7")
            let answer = try await call("https://localhost:1/x", place) {
                $0.unixSocketPath = place.origin.socket
                $0.identity = .fixed(identity)
            }
            #expect(answer.status == .ok)
            #expect(answer.report.connection.remoteAddress == place.origin.socket)
            #expect(answer.report.connection.proxy == nil)
            let arrived = try await seen(1) { try place.origin.seen }
            #expect(arrived.first?.contains("CN=device-7") == true)
            let error = await #expect(throws: TrustError.self) {
                _ = try await call("https://other.example", place) { $0.unixSocketPath = place.origin.socket }
            }
            #expect(error?.code == .hostNameMismatch)
            let missing = await #expect(throws: TransportError.self) {
                _ = try await call(place.secure, place) { $0.unixSocketPath = "/nowhere/at-all.sock" }
            }
            #expect(missing?.code == .connectionRefused)
            #expect(missing?.message.contains("/nowhere/at-all.sock") == true, "\(missing?.message ?? "")")
        }
    }

    @Test func aTunnelIsKeptForFurtherCalls() async throws {
        try await run { place async throws in
            var configuration = ConnectionConfiguration()
            configuration.trust = .anchors(place.authority.bundle)
            configuration.proxy = .init(.init(try Proxy("http://localhost:\(place.proxy.port)")))
            configuration.proxy.authentication = Self.clerk
            let transport = try NIOTransport(to: try Endpoint(place.secure).origin, configuration)
            for number in 1...3 {
                let answer = try await transport.send(ClientRequest(try Endpoint(place.secure)))
                #expect(answer.status == .ok)
                #expect(answer.report.connection.reused == (number > 1))
            }
            try await transport.shutdown()
            #expect(try await seen(3) { try place.origin.seen }.count == 3)
        }
    }

    /// Whether certificates are revoked is looked up through the proxy, which demands its password for that too.
    @Test func revocationIsLookedUpThroughTheProxy() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server")
        let server = try OpenSSLServer(
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server-chain.pem", "-key", "server-chain.pem",
                "-cert_chain", "server-chain.pem",
            ], in: revocation.openssl.folder)
        try await ForwardProxy.run(authority: try CertificateAuthority(commonName: "proxies")) { proxy async throws in
            let endpoint = try Endpoint("https://localhost:\(server.port)/")
            func call() async throws -> ClientResponse {
                var configuration = ConnectionConfiguration()
                configuration.trust = .anchors(try CertificateBundle(pem: revocation.openssl.bytes("root.pem")))
                configuration.trust.revocation = .hard
                configuration.proxy = .init(.init(try Proxy("http://localhost:\(proxy.port)")))
                configuration.proxy.authentication = Self.clerk
                return try await NIOTransport.answer(to: ClientRequest(endpoint, method: .get), configuration)
            }
            #expect(try await call().status == .ok)
            let asked = try await seen(2) { try proxy.seen }
            #expect(asked.contains { $0.contains("http://127.0.0.1:\(revocation.port)/ocsp/middle") }, "\(asked)")
            try revocation.revoke("server")
            let error = await #expect(throws: TrustError.self) { try await call() }
            #expect(error?.code == .revoked)
        }
    }
}
