import Foundation
import GreetingService
import ServiceLifecycle
import SignetCredentials
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LifecycleTests {
    let curl: Curl

    init() throws { curl = try Curl() }

    private func plain(
        _ handler: @escaping Greeting.Handler = { input, _ in .init(text: input.name) }, port: Int = 0,
        idle: Duration = .seconds(60), grace: Duration = .seconds(10)
    ) throws -> SOAPServer {
        var settings = SOAPServer.Settings()
        settings.idle = idle
        settings.port = port
        settings.shutdownGrace = grace
        return try SOAPServer.withoutTLS(Greeting.dispatcher(handler), settings: settings)
    }

    @Test func requestInProgressEndsBeforeTheServer() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let (released, releasing) = AsyncStream<Void>.makeStream()
        let server = try plain({ input, _ in
            if input.name == "Ada" {
                starting.yield()
                for await _ in released { break }
            }
            return .init(text: "done \(input.name)")
        })
        let url = "http://127.0.0.1:\(try await server.start())/"
        async let answer = curl(url, Greeting.posting(Greeting.envelope("Ada")))
        for await _ in started { break }
        async let shutdown: Void = server.shutdown()
        // The server accepts no more connections while it still handles the first request.
        while try await curl(url, Greeting.posting(Greeting.envelope("Bob"))).exit != 7 {}
        releasing.yield()
        #expect(try await answer.body.contains("done Ada"))
        await shutdown
    }

    @Test func handlerThatHangsIsCancelledAfterTheGrace() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let isCancelled = Mutex(false)
        let server = try plain(
            { _, _ in
                starting.yield()
                do { try await Task.sleep(for: .seconds(3600)) } catch { isCancelled.withLock { $0 = true } }
                return .init(text: "")
            }, grace: .milliseconds(50))
        let url = "http://127.0.0.1:\(try await server.start())/"
        async let answer = curl(url, Greeting.posting(Greeting.envelope("Ada")))
        for await _ in started { break }
        await server.shutdown()
        #expect(isCancelled.withLock { $0 })
        _ = try await answer
    }

    @Test func idleConnectionDoesNotHoldUpTheShutdown() async throws {
        let server = try plain(grace: .seconds(3600))
        let port = try await server.start()
        let idle = try FileHandle.connected(to: port)
        await server.shutdown()
        #expect(try await idle.isClosedByEndedServer())
    }

    /// What was written for a client that takes its time is delivered, although nothing is worked on any more; likewise
    /// what is written when the server is shutting down already.
    @Test(arguments: [1500, 0]) func anAnswerOnItsWayIsDeliveredBeforeTheEnd(milliseconds: Int) async throws {
        let size = 24 << 20
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let handler: Greeting.Handler = { _, _ in
            entering.finish()
            return .init(text: String(repeating: "x", count: size))
        }
        let server = try plain(handler, grace: .seconds(60))
        let port = try await server.start()
        let slow = try FileHandle.connected(to: port)
        slow.offer(Array(Wire.request("Ada", path: "/").utf8))
        for await _ in entered {}
        try await Task.sleep(for: .milliseconds(milliseconds))
        async let shutdown: Void = server.shutdown()
        // Long enough for the answer to be made and to fill what the system keeps for the client.
        try await Task.sleep(for: .milliseconds(1500))
        let text = try #require(await Wire.all(of: slow))
        #expect(text.utf8.count > size, "\(text.utf8.count)")
        await shutdown
    }

    /// A client that is receiving its answer is not idle.
    @Test func anAnswerOnItsWayIsNoSilence() async throws {
        let size = 24 << 20
        let server = try plain(
            { _, _ in .init(text: String(repeating: "x", count: size)) }, idle: .seconds(1), grace: .seconds(60))
        let port = try await server.start()
        let slow = try FileHandle.connected(to: port)
        slow.offer(Array(Wire.request("Ada", path: "/").utf8))
        try await Task.sleep(for: .milliseconds(4000))
        let text = try #require(await Wire.all(of: slow))
        #expect(text.utf8.count > size, "\(text.utf8.count)")
        await server.shutdown()
    }

    /// A client that receives nothing does not hold the server up for longer than its grace.
    @Test func anAnswerOnItsWayIsCutOffAfterTheGrace() async throws {
        let size = 24 << 20
        let server = try plain({ _, _ in .init(text: String(repeating: "x", count: size)) }, grace: .milliseconds(200))
        let port = try await server.start()
        let stuck = try FileHandle.connected(to: port)
        stuck.offer(Array(Wire.request("Ada", path: "/").utf8))
        try await Task.sleep(for: .milliseconds(1500))
        let start = ContinuousClock.now
        await server.shutdown()
        #expect(ContinuousClock.now - start < .seconds(10))
        let text = try #require(await Wire.all(of: stuck))
        #expect(text.utf8.count < size, "\(text.utf8.count)")
    }

    /// TLS would wait a second for a client to say goodbye, which one that does nothing never does.
    @Test func idleClientOfTLSDoesNotHoldUpTheShutdown() async throws {
        var shortest = Duration.seconds(3600)
        for _ in 0..<5 where shortest > .milliseconds(500) {
            let authority = try CertificateAuthority()
            var settings = SOAPServer.Settings()
            settings.port = 0
            let server = try SOAPServer(
                Greeting.dispatcher, path: "/soap",
                tls: .init(identity: .fixed(authority.issueServer(dnsNames: ["localhost"]))), settings: settings)
            let port = try await server.start()
            let idle = try await IdleClient(port, Wire.request("Ada"))
            shortest = min(shortest, await ContinuousClock().measure { await server.shutdown() })
            withExtendedLifetime(idle) {}
        }
        #expect(shortest < .milliseconds(500), "\(shortest)")
    }

    @Test func silentConnectionIsClosed() async throws {
        var settings = SOAPServer.Settings()
        settings.idle = .milliseconds(100)
        try await TestServer.run(settings: settings) { test async throws in
            // It never begins the TLS handshake.
            let silent = try FileHandle.connected(to: test.port)
            #expect(try await silent.isClosedByPeer())
        }
    }

    @Test func anIdentityThatNoClientAcceptsIsRefusedAtStart() async throws {
        let authority = try CertificateAuthority()
        func server(_ profile: CertificateProfile, tolerating codes: Set<IdentityProblem.Code> = []) throws
            -> SOAPServer
        {
            try SOAPServer(
                Greeting.dispatcher,
                tls: .init(
                    identity: .fixed(authority.issueServer(dnsNames: ["localhost"], profile)),
                    toleratedIdentityProblems: codes))
        }
        for (profile, code) in [
            (CertificateProfile.server.expired, IdentityProblem.Code.expired),
            (.server.notYetValid, .notYetValid), (.client, .wrongExtendedKeyUsage),
        ] {
            let error = #expect(throws: SOAPServerError(.unusableIdentity, "")) { try server(profile) }
            #expect(error?.message.contains("CN=localhost") == true)
            _ = try server(profile, tolerating: [code])
        }
    }

    @Test func cancelledBeforeItListens() async throws {
        let server = try plain()
        let ran = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await server.run()
        }
        try await ran.value
        await server.shutdown()
    }

    @Test func connectionsThatComeDuringTheShutdown() async throws {
        for _ in 0..<20 {
            let server = try plain()
            let port = try await server.start()
            async let shutdown: Void = server.shutdown()
            var connections: [FileHandle] = []
            for _ in 0..<20 {
                guard let connection = try? FileHandle.connected(to: port) else { break }
                connections.append(connection)
            }
            await shutdown
            for connection in connections { #expect(try await connection.isClosedByEndedServer()) }
        }
    }

    @Test func runEndsWhenItsTaskIsCancelled() async throws {
        let server = try plain(grace: .seconds(3600))
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let running = Task { try await server.run { listening.yield($0) } }
        for await port in ports {
            let idle = try FileHandle.connected(to: port)
            running.cancel()
            _ = await running.result
            #expect(try await idle.isClosedByEndedServer())
            #expect(throws: POSIXError.self) { try FileHandle.connected(to: port) }
            break
        }
        await server.shutdown()
    }

    /// Runs a server, and says where it listens.
    private struct Announced: Service {
        let server: SOAPServer
        let listening: AsyncStream<Int>.Continuation

        func run() async throws { try await server.run { listening.yield($0) } }
    }

    @Test func gracefulShutdownLetsCallsEnd() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let (released, releasing) = AsyncStream<Void>.makeStream()
        let (ports, listening) = AsyncStream<Int>.makeStream()
        let server = try plain({ input, _ in
            if input.name == "Ada" {
                starting.yield()
                for await _ in released { break }
            }
            return .init(text: "done \(input.name)")
        })
        let group = ServiceGroup(
            services: [Announced(server: server, listening: listening)], logger: LogCollector().logger)
        async let running: Void = group.run()
        var iterator = ports.makeAsyncIterator()
        let url = "http://127.0.0.1:\(try #require(await iterator.next()))/"
        async let answer = curl(url, Greeting.posting(Greeting.envelope("Ada")))
        for await _ in started { break }
        await group.triggerGracefulShutdown()
        // No client is let in any more, while the first request is still worked on.
        while try await curl(url, Greeting.posting(Greeting.envelope("Bob"))).exit != 7 {}
        releasing.yield()
        #expect(try await answer.body.contains("done Ada"))
        try await running
    }

    @Test func gracefulShutdownEndsTheQuestionForAnIdentity() async throws {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let source = IdentitySource(description: "slow") {
            asked.finish()
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
        let server = try SOAPServer(Greeting.dispatcher, tls: .init(identity: source))
        let group = ServiceGroup(services: [server], logger: LogCollector().logger)
        async let running: Void = group.run()
        for await _ in questions {}
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test func portInUseIsReported() async throws {
        let first = try plain()
        let port = try await first.start()
        await #expect(throws: SOAPServerError(.cannotListen, "")) { try await plain(port: port).start() }
        await #expect(throws: SOAPServerError(.alreadyStarted, "")) { try await first.start() }
        await first.shutdown()
        await first.shutdown()
        await #expect(throws: SOAPServerError(.alreadyStarted, "")) { try await first.start() }
    }

    @Test(arguments: ["soap", "", "/soap?wsdl"])
    func pathMustBeAPath(_ path: String) throws {
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try SOAPServer.withoutTLS(Greeting.dispatcher, path: path)
        }
    }

    @Test func settingsMustMakeSense() throws {
        for change: (inout SOAPServer.Settings) -> Void in [
            { $0.port = 65536 }, { $0.port = -1 }, { $0.maximumRequestBytes = 0 }, { $0.maximumConnections = 0 },
            { $0.idle = .zero }, { $0.requestArrival = .seconds(-1) },
            { $0.answerDelivery = .zero }, { $0.minimumArrivalRate = 0 },
        ] {
            var settings = SOAPServer.Settings()
            change(&settings)
            #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
                try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
            }
        }
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try SOAPServer.withoutTLS(Greeting.dispatcher, authentication: .basic(realm: "a\nb") { _ in true })
        }
    }
}
