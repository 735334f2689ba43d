import Foundation
import SignetConnection
import SignetHTTP
import SignetTLS
import SignetTesting
import TestSupport
import Testing

@testable import SignetNIOTransport

/// Revocation is looked up at a real authority, and the server has Python's TLS.
@Suite(.timeLimit(.minutes(5))) struct RevocationTests {
    typealias Source = RevocationServer.Source

    /// The authority of the client.
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    private func trust(_ revocation: RevocationServer, _ policy: RevocationPolicy) throws -> TrustPolicy {
        var trust = TrustPolicy.anchors(try CertificateBundle(pem: revocation.openssl.bytes("root.pem")))
        trust.revocation = policy
        return trust
    }

    private func peer(_ revocation: RevocationServer, _ name: String = "server") throws -> Peer {
        try Peer(identity: revocation.identity(name), clients: .optional, authority: authority.bundle)
    }

    /// The error of trust in a call to `peer` with an identity, which the peer must not see then.
    private func refusal(
        _ peer: Peer, _ trust: TrustPolicy, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> TrustError? {
        let url = "https://localhost:\(peer.port)/who"
        let error = try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = .fixed(try authority.issueClient(commonName: "device"))
            }
        ) { transport async throws in
            do {
                _ = try await transport.call(url)
                return nil as (any Error)?
            } catch { return error }
        }
        guard let error else { return nil }
        #expect(try peer.requests.isEmpty, sourceLocation: sourceLocation)
        // The peer notes a refusal only after the client has received it.
        try await until { try !peer.events.isEmpty }
        let events = try peer.events
        // Message 11 is the client's Certificate.
        #expect(
            events.allSatisfy { $0.messages?.contains(11) != true && $0.certificate == nil },
            sourceLocation: sourceLocation)
        return try #require(error as? TrustError, "\(error)", sourceLocation: sourceLocation)
    }

    /// What the authority of a proxy says is fetched without the proxy: it must not be asked before it is trusted.
    @Test func aProxysOwnCertificateIsLookedUp() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("proxy")
        let peer = try peer(revocation, "proxy")
        func failure() async throws -> any Error {
            try await withTransport(
                "https://origin.example/",
                {
                    $0.proxy = .init(.init(try Proxy("https://localhost:\(peer.port)")))
                    $0.proxy.trust = try trust(revocation, .hard)
                }
            ) { transport async throws in
                try #require(
                    await #expect(throws: (any Error).self) { try await transport.call("https://origin.example/") })
            }
        }
        let refused = try await failure()
        #expect((refused as? TransportError)?.code == .proxyRefused, "\(refused)")
        #expect(try peer.requests.map(\.method) == ["CONNECT"])
        #expect(try !revocation.requests.isEmpty)
        try revocation.revoke("proxy")
        let error = try await failure()
        #expect((error as? TrustError)?.code == .revoked, "\(error)")
        #expect("\(error)".contains("The proxy"))
        #expect(try peer.requests.count == 1)
    }

    @Test(arguments: [RevocationPolicy.soft, .hard]) func aServerThatIsNotRevokedIsTrusted(
        policy: RevocationPolicy
    ) async throws {
        let revocation = try RevocationServer(middle: .list)
        try revocation.issueServer("server")
        let peer = try peer(revocation)
        let url = "https://localhost:\(peer.port)/ok"
        try await withTransport(url, { $0.trust = try trust(revocation, policy) }) { transport async throws in
            let report = try await transport.call(url).report
            let sentences = try #require(report.connection.tls?.revocation)
            #expect(sentences.count == 2)
            #expect(sentences.allSatisfy { $0.contains("is not revoked") })
            #expect(sentences.first?.contains("OCSP, http://127.0.0.1:\(revocation.port)/ocsp/middle") == true)
            #expect(sentences.last?.contains("revocation list, ") == true)
            // A further connection is judged by what is known.
            let asked = try revocation.requests
            #expect(asked.count == 2)
            transport.renewConnections()
            let next = try await transport.call(url).report
            #expect(!next.connection.reused && next.connection.tls?.revocation.count == 2)
            #expect(try revocation.requests == asked)
        }
    }

    @Test func nothingIsLookedUpUnlessAskedFor() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server")
        try revocation.revoke("server")
        #expect(try await refusal(peer(revocation), trust(revocation, .off)) == nil)
        #expect(try revocation.requests.isEmpty)
    }

    @Test(arguments: ["server", "middle"], [RevocationPolicy.soft, .hard]) func aRevokedServerGetsNothing(
        name: String, policy: RevocationPolicy
    ) async throws {
        for source in [Source.ocsp, .list] {
            let revocation = try RevocationServer(middle: source)
            try revocation.issueServer("server", source: source)
            try revocation.revoke(name, by: name == "server" ? "middle" : "root")
            let error = try #require(try await refusal(peer(revocation), trust(revocation, policy)))
            #expect(error.code == .revoked && !error.canBeOverruled)
            #expect(error.message.contains("CN=\(name)") && error.message.contains("2020-01-02"))
        }
    }

    @Test(arguments: [Source.none, .silent, .failing, .large, .absent]) func anUnknownStatusMattersInHardModeOnly(
        source: Source
    ) async throws {
        for isMiddle in [false, true] {
            let revocation = try RevocationServer(middle: isMiddle ? source : .list)
            try revocation.issueServer("server", source: isMiddle ? .ocsp : source)
            var policy = RevocationPolicy.hard
            policy.maximumListBytes = 1 << 20
            if source == .silent { policy.timeLimit = .seconds(4) }
            let error = try #require(try await refusal(peer(revocation), trust(revocation, policy)))
            #expect(error.code == .revocationUnknown && !error.canBeOverruled)
            #expect(error.message.contains(isMiddle ? "CN=middle" : "CN=server"), "\(error)")
            policy.mode = .soft
            #expect(try await refusal(peer(revocation), trust(revocation, policy)) == nil)
        }
    }

    @Test func theNextSourceIsAskedWhenTheFirstFails() async throws {
        let revocation = try RevocationServer()
        try revocation.issue(
            "server",
            "subjectAltName=DNS:localhost\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:\(revocation.port)/failing",
            source: .list)
        #expect(try await refusal(peer(revocation), trust(revocation, .hard)) == nil)
        #expect(try revocation.requests.contains { $0.hasPrefix("/failing") })
    }

    @Test func connectionsThatWaitForTheSameAnswerAskOnce() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server")
        let peer = try peer(revocation)
        let url = "https://localhost:\(peer.port)/slow"
        try await withTransport(url, { $0.trust = try trust(revocation, .hard) }) { transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await transport.call(url) } }
                try await group.waitForAll()
            }
        }
        #expect(try peer.events.filter { $0.event == "handshake" }.count == 8)
        #expect(try revocation.requests.count == 2)
    }

    @Test func aLookupNeedsNoPlaceOfTheTransport() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server")
        let peer = try peer(revocation)
        let url = "https://localhost:\(peer.port)/ok"
        try await withTransport(
            url,
            {
                $0.trust = try trust(revocation, .hard)
                $0.maximumConnectionsInTotal = 1
                $0.maximumConnections = 1
            }
        ) { transport async throws in #expect(try await transport.call(url).status == .ok) }
    }

    @Test func aDeadlineThatPassesDuringALookupSaysSo() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server", source: .silent)
        let peer = try peer(revocation)
        let url = "https://localhost:\(peer.port)/ok"
        try await withTransport(url, { $0.trust = try trust(revocation, .soft) }) { transport async throws in
            let error = try #require(
                try await transport.failure(url) { $0.deadlines.connect = .milliseconds(500) })
            #expect(error.code == .connectTimeout)
            #expect(error.message.contains("is revoked"), "\(error)")
        }
    }

    @Test func aCancelledCallDoesNotWaitForALookup() async throws {
        let revocation = try RevocationServer()
        try revocation.issueServer("server", source: .silent)
        let peer = try peer(revocation)
        let url = "https://localhost:\(peer.port)/ok"
        var policy = RevocationPolicy.hard
        policy.timeLimit = .seconds(200)
        try await withTransport(
            url, { $0.trust = try trust(revocation, policy) }
        ) { transport async throws in
            let task = Task { try await transport.call(url) { $0.deadlines.connect = .seconds(300) } }
            try await until { try revocation.requests.contains { $0.hasPrefix("/silent") } }
            task.cancel()
            await #expect(throws: TransportError.cancelled()) { try await task.value }
        }
    }

    @Test func theOpenSSLServerAnswersItself() async throws {
        let revocation = try RevocationServer()
        let server = try OpenSSLServer(
            "ocsp -port 0 -index root.index -CA root.pem -rsigner root.pem -rkey root.key -ndays 1"
                .split(separator: " ").map(String.init), in: revocation.openssl.folder)
        try revocation.issue(
            "server", by: "root",
            "subjectAltName=DNS:localhost\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:\(server.port)/", source: .none
        )
        // The program looks at its index again only after it has answered.
        let reread = "ocsp -issuer root.pem -cert server.pem -noverify -url http://127.0.0.1:\(server.port)"
        try revocation.openssl(reread)
        let error = try await refusal(peer(revocation), trust(revocation, .hard))
        #expect(error == nil, "\(String(describing: error))")
        try revocation.revoke("server", by: "root")
        try revocation.openssl(reread)
        #expect(try await refusal(peer(revocation), trust(revocation, .hard))?.code == .revoked)
    }
}

extension RevocationServer {
    fileprivate func identity(_ name: String) throws -> Identity {
        let bytes = try openssl.bytes("\(name)-chain.pem")
        return try Identity(pem: bytes, privateKey: bytes)
    }
}
