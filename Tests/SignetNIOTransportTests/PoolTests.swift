import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct PoolTests {
    @Test func warmConnectionsAreThereBeforeTheFirstCall() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url, { $0.maximumConnections = 3 }) { transport async throws in
            try await transport.warmUp(Endpoint(url), connections: 5)
            // Again it opens nothing: they are there.
            try await transport.warmUp(Endpoint(url), connections: 3)
            let reports = try await withThrowingTaskGroup(of: ExchangeReport.self) { group in
                for _ in 0..<3 { group.addTask { try await transport.call(url).report } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(reports.allSatisfy { $0.connection.reused })
            #expect(reports.allSatisfy { (1...3).contains($0.connection.number) })
        }
    }

    @Test func unusedWarmedUpConnectionsAreClosed() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/connection"
        try await withTransport(url, { $0.idleTimeout = .milliseconds(100) }) { transport async throws in
            try await transport.warmUp(Endpoint(url), connections: 2)
            try await until { try peer.events.filter { $0.event == "end" }.count == 2 }
            #expect(try await transport.call(url).text == "3")
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1]) func senselessSettingsDoNoHarm(value: Int) async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url, { $0.maximumFieldBytes = 1 }) { transport async throws in
            try await transport.warmUp(Endpoint(url), connections: value)
            let error = try await transport.failure(url)
            #expect(error?.code == .responseTooLarge, "\(String(describing: error))")
        }
        #expect(RedirectPolicy.anyOrigin(maximum: value) != .refuse)
    }

    @Test func warmingUpReportsTheFailure() async throws {
        let url = "http://127.0.0.1:1/ok"
        try await withTransport(url) { transport async throws in
            let error = await #expect(throws: TransportError.self) { try await transport.warmUp(Endpoint(url)) }
            #expect(error?.code == .connectionRefused)
        }
    }

    @Test func theTotalHoldsForAllOrigins() async throws {
        let peers = [try Peer(), try Peer(), try Peer()]
        let urls = peers.map { "http://127.0.0.1:\($0.port)/ok" }
        try await withTransport(urls[0], { $0.maximumConnectionsInTotal = 2 }) { transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 { group.addTask { try await transport.call(urls[number % 3]) } }
                try await group.waitForAll()
            }
        }
        for peer in peers { #expect(try peer.requests.count == 20) }
    }

    @Test func renewedConnectionsAreNotUsedAgain() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(url) { transport async throws in
            try await transport.call(url)
            async let slow = transport.call("http://127.0.0.1:\(peer.port)/slow")
            try await Task.sleep(for: .milliseconds(100))
            transport.renewConnections()
            // What is under way comes to its end.
            _ = try await slow
            #expect(try await transport.call(url).report.connection.reused == false)
        }
    }

    @Test func aShutdownSaysThatARequestMayHaveBeenProcessed() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/slow"
        try await withTransport(url) { transport async throws in
            async let failure = transport.failure(url)
            try await until { try !peer.requests.isEmpty }
            try await transport.shutdown()
            #expect(try await failure?.mayHaveBeenProcessed == true)
        }
    }

    /// A path that no socket can have is an error, however wrong it is.
    @Test(arguments: ["", "/", "/nowhere", "a\0b", String(repeating: "/long", count: 100), "\u{1F50C}"])
    func aSocketThatCannotBeIsAnError(path: String) async throws {
        let url = "http://service.example/ok"
        try await withTransport(url, { $0.unixSocketPath = path }) { transport async throws in
            let error = try await transport.failure(url) { $0.deadlines.connect = .seconds(2) }
            #expect(error?.mayHaveBeenProcessed == false)
            #expect(
                error?.code == .connectionRefused || error?.code == .connectionClosed, "\(String(describing: error))")
        }
    }

    @Test(arguments: [Int.min, -1, 0]) func aLimitBelowOneIsAnError(limit: Int) throws {
        let limits: [(setting: String, path: WritableKeyPath<TransportSetup, Int>)] = [
            ("maximumConnections", \.maximumConnections),
            ("maximumConnectionsInTotal", \.maximumConnectionsInTotal),
            ("maximumFieldBytes", \.maximumFieldBytes),
        ]
        for (setting, path) in limits {
            var setup = TransportSetup(origin: try Endpoint("http://127.0.0.1/").origin)
            setup[keyPath: path] = limit
            let error = #expect(throws: ConnectionConfigurationError.self) { try setup.make() }
            #expect(error?.setting == setting)
        }
    }

    @Test func oneConnectionIsEnough() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/ok"
        try await withTransport(
            url,
            {
                $0.maximumConnections = 1
                $0.maximumConnectionsInTotal = 1
            }
        ) { transport async throws in
            try await transport.warmUp(Endpoint(url), connections: 3)
            for _ in 0..<2 { #expect(try await transport.call(url).report.connection.number == 1) }
        }
    }

    /// An app that forgets to shut a transport down loses nothing but the transport.
    @Test func theLastReferenceClosesIdleConnections() async throws {
        let peer = try Peer()
        let endpoint = try Endpoint("http://127.0.0.1:\(peer.port)/ok")
        do {
            let transport = try NIOTransport(to: endpoint.origin)
            _ = try await transport.send(ClientRequest(endpoint))
        }
        try await until { try peer.events.contains { $0.event == "end" } }
    }

    /// Promise P20.
    @Test func twoIdentitiesNeverShareAConnection() async throws {
        let authority = try CertificateAuthority()
        let peer = try Peer(
            identity: authority.issueServer(dnsNames: ["localhost"]), clients: .required, authority: authority.bundle)
        let url = "https://localhost:\(peer.port)/who"
        let users = ["anna", "berta"].map { ($0, try? authority.issueClient(commonName: $0)) }
        let next = TaskLocalUser()
        try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.maximumConnections = 3
                $0.identity = IdentitySource(description: "current user") { users[next.current].1 }
            }
        ) { transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1_000 {
                    if number >= 16 { try await group.next() }
                    group.addTask {
                        let text = try await TaskLocalUser.$user.withValue(number % 2) {
                            try await transport.call(url).text
                        }
                        #expect(text == users[number % 2].0)
                    }
                }
                try await group.waitForAll()
            }
        }
        let requests = try peer.requests
        #expect(requests.count == 1_000)
        for (name, _) in users { #expect(requests.count { $0.certificate == name } == 500) }
    }

    private struct TaskLocalUser {
        @TaskLocal static var user = 0
        var current: Int { Self.user }
    }
}
