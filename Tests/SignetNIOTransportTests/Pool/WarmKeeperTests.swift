import Foundation
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// Connections that are opened ahead of need, against a server of another make.
@Suite(.timeLimit(.minutes(5))) struct WarmKeeperTests {
    private func ends(_ peer: Peer) throws -> Int { try peer.events.count { $0.event == "end" } }

    @Test func warmConnectionsOutliveTheIdleTimeout() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/connection"
        try await withTransport(
            url,
            {
                $0.warmConnections = WarmConnections(count: 3)
                $0.idleTimeout = .milliseconds(10)
            }
        ) { transport async throws in
            #expect(transport.connectionCounts == ConnectionCounts())
            try await transport.call(url)
            try await until { transport.connectionCounts?.idle == 3 }
            // They are looked at each second meanwhile.
            try await Task.sleep(for: .milliseconds(1_200))
            #expect(try ends(peer) == 0)
            #expect(transport.connectionCounts?.idle == 3)
        }
    }

    @Test func warmingUpOpensConnectionsToo() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/connection"
        try await withTransport(url, { $0.warmConnections = WarmConnections(count: 2) }) { transport async throws in
            try await transport.warmUp(Endpoint(url), connections: 1)
            try await until { transport.connectionCounts?.idle == 2 }
        }
    }

    @Test func aWarmConnectionThatEndsIsReplaced() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)"
        try await withTransport(url, { $0.warmConnections = WarmConnections() }) { transport async throws in
            try await transport.call("\(url)/ok")
            // This one is closed behind its answer.
            try await transport.call("\(url)/close")
            try await until { try ends(peer) == 1 && transport.connectionCounts?.idle == 1 }
            #expect(try await transport.call("\(url)/connection").text == "2")
            transport.renewConnections()
            try await until { try ends(peer) == 2 && transport.connectionCounts?.idle == 1 }
            let answer = try await transport.call("\(url)/connection")
            #expect(answer.text == "3" && answer.report.connection.reused)
        }
    }

    @Test func warmConnectionsEndAWhileAfterTheLastCall() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        let warm = WarmConnections(count: 2, duration: .milliseconds(300))
        try await withTransport(
            url,
            {
                $0.warmConnections = warm
                $0.idleTimeout = .milliseconds(10)
            }
        ) { transport async throws in
            try await transport.call(url)
            try await until { try ends(peer) == 2 }
            #expect(transport.connectionCounts == ConnectionCounts())
        }
    }

    @Test func anotherOriginGetsNoWarmConnections() async throws {
        let (peer, other) = (try Peer(), try Peer())
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url, { $0.warmConnections = WarmConnections(count: 2) }) { transport async throws in
            try await transport.call("http://127.0.0.1:\(other.port)/ok")
            #expect(transport.connectionCounts?.idle == 1 && transport.connectionCounts?.opening == 0)
            try await transport.call(url)
            try await until { transport.connectionCounts?.idle == 3 }
        }
        #expect(try ends(other) <= 1)
    }

    /// An app in the background has no connections; when it is back, it has new ones.
    @Test func suspendingClosesConnectionsAndResumingOpensNewOnes() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/connection"
        try await withTransport(url, { $0.warmConnections = WarmConnections(count: 2) }) { transport async throws in
            try await transport.call(url)
            try await until { transport.connectionCounts?.idle == 2 }
            transport.suspendConnections()
            #expect(transport.connectionCounts == ConnectionCounts())
            try await until { try ends(peer) == 2 }
            // A call of a background task has a connection of its own.
            #expect(try await transport.call(url).text == "3")
            #expect(try await transport.call(url).text == "4")
            #expect(transport.connectionCounts == ConnectionCounts())
            transport.resumeConnections()
            try await until { transport.connectionCounts?.idle == 2 }
            let answer = try await transport.call(url)
            #expect(answer.report.connection.reused)
        }
    }

    /// A call that is under way when the app is suspended comes to its end.
    @Test func suspendingLetsARunningCallFinish() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)"
        try await withTransport(url, { $0.warmConnections = WarmConnections() }) { transport async throws in
            async let slow = transport.call("\(url)/slow")
            try await until { try peer.requests.count == 1 }
            transport.suspendConnections()
            #expect(try await slow.text == "slow")
            try await until { try ends(peer) == 1 }
            #expect(transport.connectionCounts == ConnectionCounts())
        }
    }

    /// The identity of a warm connection is the one of now, and a person is not asked about a server for its sake.
    @Test func warmConnectionsUseTheCurrentIdentity() async throws {
        let authority = try CertificateAuthority()
        let peer = try Peer(
            identity: authority.issueServer(dnsNames: ["localhost"]), clients: .required, authority: authority.bundle)
        let url = "https://localhost:\(peer.port)/who"
        let (anna, berta) = (
            try authority.issueClient(commonName: "anna"), try authority.issueClient(commonName: "berta")
        )
        let isBerta = Atomic(false)
        try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.warmConnections = WarmConnections(count: 2)
                $0.identity = IdentitySource(description: "current user") {
                    isBerta.load(ordering: .relaxed) ? berta : anna
                }
            }
        ) { transport async throws in
            #expect(try await transport.call(url).text == "anna")
            try await until { transport.connectionCounts?.idle == 2 }
            isBerta.store(true, ordering: .relaxed)
            #expect(try await transport.call(url).text == "berta")
            // The server has seen less than the client while a handshake ends.
            func users() throws -> [String] {
                try peer.events.filter { $0.event == "handshake" }.map { $0.certificate ?? "nobody" }.sorted()
            }
            try await until { try users().count == 4 && transport.connectionCounts?.idle == 4 }
            #expect(try users() == ["anna", "anna", "berta", "berta"])
        }
    }

    @Test func warmConnectionsReturnWithTheServer() async throws {
        var peer: Peer? = try Peer()
        let port = peer?.port ?? 0
        let url = "http://127.0.0.1:\(port)/ok"
        try await withTransport(url, { $0.warmConnections = WarmConnections(count: 2) }) { transport async throws in
            try await transport.call(url)
            try await until { transport.connectionCounts?.idle == 2 }
            peer = nil
            try await until { transport.connectionCounts?.idle == 0 }
            let error = try await transport.failure(url)
            #expect(error?.code == .connectionRefused)
            let again = try Peer(port: port)
            try await until { transport.connectionCounts?.idle == 2 }
            #expect(try again.requests.isEmpty)
        }
    }

    /// A person is asked about a server for a call, not for a connection that may never be used.
    @Test func warmConnectionsAskNoPerson() async throws {
        let peer = try Peer(identity: try CertificateAuthority().issueServer(dnsNames: ["localhost"]))
        let url = "https://localhost:\(peer.port)/ok"
        let questions = Atomic(0)
        let clock = Atomic(Int64(Date().timeIntervalSince1970))
        try await withTransport(
            url,
            {
                $0.trust = .anchors(try CertificateAuthority(commonName: "Another").bundle)
                $0.warmConnections = WarmConnections()
                $0.now = { clock.load(ordering: .relaxed) }
                $0.onTrustFailure = .ask { _ in
                    questions.add(1, ordering: .relaxed)
                    return .accept(reason: "compared by telephone", until: clock.load(ordering: .relaxed) + 100)
                }
            }
        ) { transport async throws in
            try await transport.call(url)
            clock.add(200, ordering: .relaxed)
            transport.renewConnections()
            // The first refusal led to the question.
            try await until { try peer.events.count { $0.event == "refused" } == 2 }
            #expect(questions.load(ordering: .relaxed) == 1)
        }
    }

    /// The last reference ends all, also while a connection is being opened.
    @Test func releasingTheTransportEndsWarmConnections() async throws {
        let peer = try Peer()
        let endpoint = try Endpoint("http://127.0.0.1:\(peer.port)/ok")
        do {
            var connection = ConnectionConfiguration()
            connection.warmConnections = WarmConnections(count: 4)
            let transport = try NIOTransport(to: endpoint.origin, connection)
            _ = try await transport.send(ClientRequest(endpoint))
        }
        try await until {
            let events = try peer.events
            return events.contains { $0.event == "end" }
        }
    }

    // MARK: The server's limit

    @Test func aConnectionIsClosedBeforeTheServerDoesSo() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/kept"
        try await withTransport(url) { transport async throws in
            // It says: after two seconds. The call would keep it for thirty.
            try await transport.call(url)
            let start = ContinuousClock.now
            try await until { try ends(peer) == 1 }
            #expect(ContinuousClock.now - start < .seconds(10))
            #expect(transport.connectionCounts == ConnectionCounts())
        }
    }

    /// What makes no sense of how long a server keeps connections changes nothing.
    @Test(arguments: ["timeout=0", "timeout=-5", "timeout=99999999999999999999", "timeout==,timeout", "\"", ",,,"])
    func senselessTimeoutsAreIgnored(field: String) async throws {
        let peer = try Peer()
        let hex = field.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
        let url = "http://127.0.0.1:\(peer.port)/kept/\(hex)"
        try await withTransport(url) { transport async throws in
            for _ in 0..<3 { #expect(try await transport.call(url).text == "1") }
        }
    }

    /// Suspended twice, resumed twice, and resumed without having been suspended.
    @Test func suspensionsDoNotAddUp() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        let warm = WarmConnections(count: 1, duration: .seconds(Int64.max))
        try await withTransport(url, { $0.warmConnections = warm }) { transport async throws in
            transport.resumeConnections()
            try await transport.call(url)
            transport.suspendConnections()
            transport.suspendConnections()
            transport.resumeConnections()
            transport.resumeConnections()
            try await until { transport.connectionCounts?.idle == 1 }
            try await transport.shutdown()
            transport.resumeConnections()
            await #expect(throws: TransportError.self) { try await transport.call(url) }
            #expect(transport.connectionCounts == ConnectionCounts())
        }
    }

    @Test func aWarmConnectionIsReplacedBeforeTheServerClosesIt() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/kept"
        try await withTransport(url, { $0.warmConnections = WarmConnections() }) { transport async throws in
            try await transport.call(url)
            try await until { try ends(peer) == 1 && transport.connectionCounts?.idle == 1 }
            let answer = try await transport.call(url)
            #expect(answer.report.connection.reused && answer.report.connection.number == 2)
        }
    }

    @Test func theClientLearnsTheIdleLimitOfTheServer() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/limited"
        try await withTransport(url) { transport async throws in
            for count in 1...3 {
                try await transport.call(url)
                // The client must have noticed, or its next call goes over a connection that is gone.
                try await until { try ends(peer) == count && transport.connectionCounts?.idle == 0 }
            }
        }
        // The third was closed by the client, which had seen the server close two of them.
        #expect(try peer.events.count { $0.event == "broken" } == 2)
    }
}
