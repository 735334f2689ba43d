import NIOCore
import NIOPosix
import SignetHTTP
import SignetTLS
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    let peer: Peer
    let base: String

    init() throws {
        peer = try Peer()
        base = "http://127.0.0.1:\(peer.port)"
    }

    @Test(arguments: ["/silent", "/stall"]) func silenceEnds(path: String) async throws {
        try await withTransport(base) { transport async throws in
            let error = try await transport.failure(base + path) { $0.deadlines.read = .milliseconds(200) }
            #expect(error?.code == .readTimeout)
            #expect(error?.mayHaveBeenProcessed == true)
            // The connection is not used again.
            #expect(try await transport.call("\(base)/connection").text == "2")
        }
    }

    /// Also of a large request, whether the channel takes it at once or piece by piece.
    @Test(arguments: [1 << 10, 31 << 10, 32 << 10, 64 << 10, 8 << 20]) func silenceAfterARequestEnds(
        size: Int
    ) async throws {
        try await withTransport(base) { transport async throws in
            let error = try await transport.failure("\(base)/silent") {
                $0.body = HTTPBody(Array(repeating: 0x61, count: size))
                $0.deadlines.read = .milliseconds(300)
                $0.deadlines.total = .seconds(20)
            }
            #expect(error?.code == .readTimeout)
            #expect(error?.mayHaveBeenProcessed == true)
        }
    }

    @Test func boundlessDeadlinesAreNoTrap() async throws {
        try await withTransport(base, { $0.idleTimeout = .seconds(Int64.max) }) { transport async throws in
            let response = try await transport.call("\(base)/ok") {
                $0.deadlines.connect = .seconds(Int64.max)
                $0.deadlines.read = .seconds(Int64.max)
                $0.deadlines.total = .seconds(Int64.max)
            }
            #expect(response.text == "hello ")
            let error = try await transport.failure("\(base)/ok") { $0.deadlines.total = .seconds(-1) }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test func theTotalDeadlineEndsASlowAnswer() async throws {
        try await withTransport(base) { transport async throws in
            let error = try await transport.failure("\(base)/drip") { $0.deadlines.total = .milliseconds(400) }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test func waitingForAConnectionEnds() async throws {
        try await withTransport(base, { $0.maximumConnections = 1 }) { transport async throws in
            let blocked = Task { try await transport.failure("\(base)/silent") { $0.deadlines.read = .seconds(20) } }
            try await until { try !peer.requests.isEmpty }
            let error = try await transport.failure("\(base)/ok") { $0.deadlines.total = .milliseconds(200) }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.mayHaveBeenProcessed == false)
            blocked.cancel()
            #expect(try await blocked.value?.code == .cancelled)
            #expect(try await transport.call("\(base)/ok").text == "hello ")
        }
    }

    @Test func cancellationEndsACallAndItsConnection() async throws {
        try await withTransport(base) { transport async throws in
            let call = Task { try await transport.failure("\(base)/silent") }
            try await until { try !peer.requests.isEmpty }
            call.cancel()
            let error = try await call.value
            #expect(error?.code == .cancelled)
            #expect(error?.mayHaveBeenProcessed == true)
            try await until { try peer.events.contains { $0.event == "end" || $0.event == "broken" } }
            let early = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await transport.failure("\(base)/ok")
            }
            early.cancel()
            #expect(try await early.value?.code == .cancelled)
        }
        #expect(try peer.requests.count == 1)
    }

    @Test func idleConnectionsCloseThemselves() async throws {
        try await withTransport(base, { $0.idleTimeout = .milliseconds(100) }) { transport async throws in
            _ = try await transport.call("\(base)/ok")
            try await until { try peer.events.contains { $0.event == "end" } }
            #expect(try await transport.call("\(base)/connection").text == "2")
        }
    }

    @Test func shutdownEndsCallsAndRefusesNewOnes() async throws {
        try await withTransport(base) { transport async throws in
            let call = Task { try await transport.failure("\(base)/silent") }
            try await until { try !peer.requests.isEmpty }
            try await transport.shutdown()
            #expect(try await call.value?.code == .shutDown)
            #expect(try await transport.failure("\(base)/ok")?.code == .shutDown)
        }
    }

    /// Accepts and says nothing.
    private func withSilentListener<Value>(_ body: (Int) async throws -> Value) async throws -> Value {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(channel.localAddress?.port)
        let result: Result<Value, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        try await channel.close()
        return try result.get()
    }

    @Test func aServerThatNeverSpeaksTLS() async throws {
        try await withSilentListener { port in
            let url = "https://127.0.0.1:\(port)"
            try await withTransport(url) { transport async throws in
                let error = try await transport.failure(url) { $0.deadlines.connect = .milliseconds(300) }
                #expect(error?.code == .connectTimeout)
                #expect(error?.mayHaveBeenProcessed == false)
            }
        }
    }

    @Test func aServerThatSpeaksPlainHTTPInsteadOfTLS() async throws {
        let url = "https://127.0.0.1:\(peer.port)"
        try await withTransport(url) { transport async throws in
            let error = try await transport.failure(url)
            #expect(error?.code == .tlsHandshakeFailed)
        }
    }

    @Test func aClosedPortAndAnUnknownHostAreToldApart() async throws {
        let free = try await withSilentListener { $0 }
        for (url, code) in [
            ("http://127.0.0.1:\(free)", TransportError.Code.connectionRefused),
            ("https://localhost:\(free)", .connectionRefused), ("http://no-such-host.invalid", .unknownHost),
        ] {
            try await withTransport(url) { transport async throws in
                let error = try await transport.failure(url)
                #expect(error?.code == code, "\(url)")
                #expect(error?.mayHaveBeenProcessed == false)
                if code == .unknownHost { #expect(error?.message.contains("no-such-host.invalid") == true) }
            }
        }
    }

    @Test func aSilentIdentitySourceMeetsTheDeadline() async throws {
        let url = "https://127.0.0.1:\(peer.port)"
        try await withTransport(
            url,
            {
                $0.identity = IdentitySource(description: "silence") {
                    await withUnsafeContinuation { (_: UnsafeContinuation<Identity?, Never>) in }
                }
            }
        ) { transport async throws in
            let error = try await transport.failure(url) { $0.deadlines.total = .milliseconds(200) }
            #expect(error?.code == .deadlineExceeded)
        }
    }
}
