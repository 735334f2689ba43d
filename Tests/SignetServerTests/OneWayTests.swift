import GreetingService
import SignetSOAP
import SignetServer
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OneWayTests {
    /// Something that happens once, and can be waited for.
    final class Event: Sendable {
        private let stream = AsyncStream<Void>.makeStream()
        func happen() { stream.continuation.finish() }
        func wait() async { for await _ in stream.stream {} }
    }

    private func dispatcher(_ handler: @escaping @Sendable (String) async throws -> Void) -> ServiceDispatcher {
        ServiceDispatcher(
            name: "Greeting", versions: [.soap11, .soap12],
            routes: [
                Greeting.wave.route { input, _ in try await handler(input.name) },
                Greeting.greet.route { input, _ in .init(text: input.name) },
            ])
    }

    @Test func theServerAnswersBeforeTheWorkEnds() async throws {
        let (begun, mayEnd) = (Event(), Event())
        let ended = Mutex(false)
        let service = dispatcher { _ in
            begun.happen()
            await mayEnd.wait()
            ended.withLock { $0 = true }
        }
        let curl = try Curl()
        try await withPlainServer(service) { url async throws in
            let message = Greeting.envelope("Ada", .soap12, operation: "Wave")
            let answer = try await curl(url, Greeting.posting(message, contentType: "application/soap+xml"))
            #expect(answer.status == 202)
            #expect(answer.body.isEmpty)
            #expect(answer.fields.lowercased().contains("content-length: 0"))
            #expect(!answer.fields.lowercased().contains("content-type"))
            await begun.wait()
            #expect(!ended.withLock { $0 })
            // Other calls are served meanwhile.
            #expect(try await curl(url, Greeting.posting(Greeting.envelope("Ada"))).status == 200)
            mayEnd.happen()
        }
        // Shutting down waited for it.
        #expect(ended.withLock { $0 })
    }

    @Test func aMalformedMessageIsNotAccepted() async throws {
        let curl = try Curl()
        try await withPlainServer(dispatcher { _ in }) { url async throws in
            let bad =
                "<s:Envelope xmlns:s='\(SOAPVersion.soap11.namespace)'><s:Body><Wave xmlns='urn:greeting'/></s:Body></s:Envelope>"
            let answer = try await curl(url, Greeting.posting(bad))
            #expect(answer.status == 500)
            #expect(answer.body.contains("soap:Client"))
        }
    }

    @Test func errorsAfterTheAnswerAreLogged() async throws {
        let logs = LogCollector()
        var service = dispatcher { _ in throw SOAPFault.server("the disk is full") }
        service.logger = logs.logger
        let curl = try Curl()
        try await withPlainServer(service) { url async throws in
            let answer = try await curl(url, Greeting.posting(Greeting.envelope("Ada", operation: "Wave")))
            #expect(answer.status == 202)
        }
        #expect(logs.text.contains("the disk is full"))
    }

    /// Above the limit, a caller waits until its message is dealt with.
    @Test func workIsBounded() async throws {
        let mayEnd = Event()
        let done = Mutex<[String]>([])
        let service = dispatcher { name in
            if name == "first" { await mayEnd.wait() }
            done.withLock { $0.append(name) }
        }
        let curl = try Curl()
        try await withPlainServer(service, { $0.maximumBackgroundCalls = 1 }) { url async throws in
            for name in ["first", "second"] {
                let answer = try await curl(url, Greeting.posting(Greeting.envelope(name, operation: "Wave")))
                #expect(answer.status == 202)
            }
            #expect(done.withLock { $0 } == ["second"])
            mayEnd.happen()
        }
        #expect(done.withLock { $0 } == ["second", "first"])
    }

    /// A program ends when `run` does: what was accepted must have been dealt with by then.
    @Test(arguments: [true, false]) func runWaitsForAcceptedWork(isCancelled: Bool) async throws {
        let (begun, listening) = (Event(), Event())
        let ended = Mutex(false)
        let service = dispatcher { _ in
            begun.happen()
            // Ends with the time of grace, long after the last connection.
            try? await Task.sleep(for: .seconds(3600))
            ended.withLock { $0 = true }
        }
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.shutdownGrace = .seconds(1)
        let server = try SOAPServer.withoutTLS(service, path: "/soap", settings: settings)
        let port = Mutex(0)
        let running = Task {
            try await server.run { number in
                port.withLock { $0 = number }
                listening.happen()
            }
            return ended.withLock { $0 }
        }
        await listening.wait()
        let url = "http://127.0.0.1:\(port.withLock { $0 })/soap"
        let answer = try await Curl()(url, Greeting.posting(Greeting.envelope("Ada", operation: "Wave")))
        #expect(answer.status == 202)
        await begun.wait()
        async let shutdown: Void = isCancelled ? running.cancel() : server.shutdown()
        #expect(try await running.value)
        await shutdown
    }

    @Test func shutdownCancelsHandlersThatDoNotEnd() async throws {
        let wasCancelled = Mutex(false)
        let service = dispatcher { _ in
            do { try await Task.sleep(for: .seconds(3600)) } catch { wasCancelled.withLock { $0 = true } }
        }
        let curl = try Curl()
        try await withPlainServer(service, { $0.shutdownGrace = .milliseconds(50) }) { url async throws in
            _ = try await curl(url, Greeting.posting(Greeting.envelope("Ada", operation: "Wave")))
        }
        #expect(wasCancelled.withLock { $0 })
    }
}
