#if os(Linux)
import SignetCredentials
import GreetingService
import Foundation
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Testing

/// What one client that proves nothing can take from the others: connections from one address of loopback, and calls
/// from another.
///
/// `SIGNET_STRANGER_CUTS` says at how many places hellos and heads are cut; with a number above their length it is
/// each.
@Suite(.serialized, .timeLimit(.minutes(60))) struct StrangerTests {
    private static let total = 24
    private static let cuts = ProcessInfo.processInfo.environment["SIGNET_STRANGER_CUTS"].flatMap { Int($0) } ?? 2

    private enum Kind: String, CaseIterable {
        case plain, basic, tls, certificate

        var isSecure: Bool { self == .tls || self == .certificate }
    }

    private struct Site {
        let kind: Kind
        let port: Int
        let curl: Curl
        /// The arguments with which a call is let in.
        let proof: [String]

        /// Calls from an address of loopback.
        func call(from source: UInt8, _ more: [String] = []) async throws -> Int {
            let url = "\(kind.isSecure ? "https" : "http")://localhost:\(port)/soap"
            let arguments = ["--interface", "127.0.0.\(source)", "--ipv4"] + proof + more
            return try await curl(url, arguments + Greeting.posting(Greeting.envelope("Ada"))).status
        }
    }

    private func withSite<Value: Sendable>(
        _ kind: Kind, _ change: (inout SOAPServer.Settings) -> Void, during body: (Site) async throws -> Value
    ) async throws -> Value {
        let curl = try Curl()
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.maximumConnections = Self.total
        // Nothing else shall end a connection.
        settings.idle = .seconds(3600)
        settings.requestArrival = .seconds(3600)
        change(&settings)
        let authority = try CertificateAuthority()
        let basic = ServerAuthentication.basic(realm: "Greetings") { $0.user == "service" && $0.password == "right" }
        let server: SOAPServer
        var proof: [String] = []
        switch kind {
        case .plain: server = try .withoutTLS(Greeting.dispatcher, path: "/soap", settings: settings)
        case .basic:
            server = try .withoutTLS(Greeting.dispatcher, path: "/soap", authentication: basic, settings: settings)
            proof = ["--user", "service:right"]
        case .tls, .certificate:
            let trust = TrustPolicy.anchors(authority.bundle)
            server = try SOAPServer(
                Greeting.dispatcher, path: "/soap",
                tls: .init(
                    identity: .fixed(authority.issueServer(dnsNames: ["localhost"])),
                    clients: kind == .tls ? .noCertificateRequested : .certificateRequired(trust)),
                settings: settings)
            proof = try curl.trusting(authority) + curl.showing(authority.issueClient())
        }
        let port = try await server.start()
        do {
            let value = try await body(Site(kind: kind, port: port, curl: curl, proof: proof))
            await server.shutdown()
            return value
        } catch {
            await server.shutdown()
            throw error
        }
    }

    private func approaches(_ kind: Kind, cuts: Int = Self.cuts) async throws -> [Stranger.Approach] {
        kind.isSecure ? Stranger.hellos(try await Stranger.hello(), cuts: cuts) : Stranger.heads(cuts: cuts)
    }

    /// Opens connections as a stranger, and lets it go on with each while `body` lasts.
    private func besieged<Value: Sendable>(
        _ port: Int, _ approach: Stranger.Approach, connections count: Int,
        during body: ([FileHandle]) async throws -> Value
    ) async throws -> Value {
        let connections = try (0..<count).map { _ in try FileHandle.connected(to: port, from: 9) }
        for connection in connections { connection.offer(approach.bytes) }
        let trickling = Task {
            for byte in approach.trickle where !Task.isCancelled {
                for connection in connections { connection.offer([byte]) }
                try? await Task.sleep(for: .milliseconds(10))
            }
        }
        defer { trickling.cancel() }
        return try await body(connections)
    }

    /// Waits until so many are open, or fewer.
    private func wait(for most: Int, of connections: [FileHandle]) async throws -> Int {
        let start = ContinuousClock.now
        while true {
            let open = connections.count { !$0.isClosed }
            if open <= most || .now - start > .seconds(20) { return open }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    @Test func oneAddressHasAQuarterOfTheConnections() async throws {
        var cases = 0
        for kind in Kind.allCases {
            try await withSite(kind, { $0.firstHeadArrival = .seconds(3600) }) { site async throws in
                for approach in try await approaches(kind) {
                    let case_ = "\(kind), \(approach)"
                    try await besieged(site.port, approach, connections: 3 * Self.total) {
                        connections async throws in
                        #expect(try await site.call(from: 2) == 200, "\(case_)")
                        #expect(try await wait(for: Self.total / 4, of: connections) <= Self.total / 4, "\(case_)")
                        #expect(try await site.call(from: 2) == 200, "\(case_)")
                    }
                    // The handles are gone, and what they held is given back.
                    var status = 0
                    while status != 200 { status = try await site.call(from: 9) }
                    cases += 1
                }
            }
        }
        print("Strangers: \(cases) cases of too many connections.")
    }

    @Test func handshakeAndFirstHeadHaveAShortTime() async throws {
        var cases = 0
        for kind in Kind.allCases {
            try await withSite(
                kind,
                {
                    // An honest client of TLS must have come through in that time, also on a slow machine.
                    $0.firstHeadArrival = kind.isSecure ? .seconds(2) : .milliseconds(300)
                    $0.maximumUnprovenConnectionsPerAddress = Self.total
                }
            ) { site async throws in
                // What holds a connection with a head is not of this time. Each takes all of it.
                for approach in try await approaches(kind, cuts: min(Self.cuts, 20))
                where !approach.description.contains(" content")
                    && !approach.description.contains("request")
                {
                    try await besieged(site.port, approach, connections: Self.total) {
                        connections async throws in
                        // On a slow machine the time is short for an honest client too.
                        var status = 0
                        for _ in 0..<20 where status != 200 { status = try await site.call(from: 2) }
                        #expect(status == 200, "\(kind), \(approach)")
                        #expect(try await wait(for: 0, of: connections) == 0, "\(kind), \(approach)")
                    }
                    cases += 1
                }
            }
        }
        print("Strangers: \(cases) cases of too much time.")
    }

    // MARK: Which connections count

    /// Opens connections one after the other, each with a request; how many are open at the end.
    private func opened(_ count: Int, _ port: Int, _ request: String, status: Int) async throws -> Int {
        var connections: [FileHandle] = []
        for _ in 0..<count {
            let connection = try FileHandle.connected(to: port)
            connection.offer(request.utf8)
            let answer = try await connection.text(to: status == 200 ? "Envelope>" : "Unauthorized.\n")
            if answer.hasPrefix("HTTP/1.1 \(status)") { connections.append(connection) }
        }
        return connections.count { !$0.isClosed }
    }

    private static let cap = 3
    private static let authorized = Wire.request("Ada", fields: "Authorization: Basic c2VydmljZTpyaWdodA==\r\n")

    @Test func authenticatedConnectionsDoNotCountAsStrangers() async throws {
        try await withSite(.basic, { $0.maximumUnprovenConnectionsPerAddress = Self.cap }) { site async throws in
            #expect(try await opened(10, site.port, Self.authorized, status: 200) == 10)
            #expect(try await opened(10, site.port, Wire.request("Ada"), status: 401) == Self.cap)
            let wrong = Wire.request("Ada", fields: "Authorization: Basic c2VydmljZTp3cm9uZw==\r\n")
            #expect(try await opened(10, site.port, wrong, status: 401) == Self.cap)
        }
    }

    @Test func authenticationInAMessageCountsToo() async throws {
        /// Names the caller, or learns nothing.
        struct Passes: RequestVerifier {
            let user: String?
            let understoodHeaderBlocks: Set<XMLName> = []
            func verify(_ context: inout OperationContext) async throws { context.peer.user = user }
        }
        for (dispatcher, open) in [
            (Greeting.dispatcher.verified(by: Passes(user: "Ada")), 10),
            (Greeting.dispatcher.verified(by: Passes(user: nil)), Self.cap), (Greeting.dispatcher, Self.cap),
        ] {
            try await withPlainServer(dispatcher, { $0.maximumUnprovenConnectionsPerAddress = Self.cap }) {
                url async throws in
                let port = try #require(URL(string: url)?.port)
                #expect(try await opened(10, port, Wire.request("Ada"), status: 200) == open)
            }
        }
    }

    @Test(arguments: [
        (["127.0.0.1"], true), (["127.0.0.0/8"], true), (["::ffff:127.0.0.1"], true),
        (["10.0.0.0/8", "::1"], false),
        ([], false),
    ])
    func proxiesAreNotCounted(_ proxies: [String], _ isExempt: Bool) async throws {
        // With `::`, clients of IPv4 have addresses written in IPv6.
        for host in ["127.0.0.1", "::"] {
            try await withPlainServer(
                Greeting.dispatcher,
                {
                    $0.host = host
                    $0.proxies = proxies
                    $0.maximumUnprovenConnectionsPerAddress = Self.cap
                }
            ) { url async throws in
                let port = try #require(URL(string: url)?.port)
                let open = try await opened(6, port, Wire.request("Ada"), status: 200)
                #expect(open == (isExempt ? 6 : Self.cap), "\(host)")
            }
        }
    }
}
#endif
