import Foundation
import GreetingService
import NIOCore
import SignetTesting
import Synchronization
import Testing

@testable import SignetServer

@Suite(.timeLimit(.minutes(5))) struct HTTP2ShutdownTests {
    // MARK: The state

    @Test func anIdleConnectionIsLeftAndClosedWhenTheClientKnows() {
        var shutdown = HTTP2Shutdown(idle: .seconds(60))
        #expect(shutdown.opened(stream: 1) == [.stopTimer])
        #expect(shutdown.opened(stream: 3) == [])
        // One with a wrong head was never opened.
        #expect(shutdown.closed(stream: 5) == [])
        #expect(shutdown.closed(stream: 3) == [])
        #expect(shutdown.closed(stream: 1) == [.startTimer(.seconds(60))])
        #expect(shutdown.timerFired() == [.sayGoodbye(last: 3), .startTimer(.seconds(1))])
        #expect(shutdown.isLeaving)
        #expect(shutdown.acknowledged() == [.stopTimer, .close(silence: .zero)])
        #expect(shutdown.acknowledged() == [] && shutdown.leave() == [] && shutdown.timerFired() == [])
    }

    @Test func whatHasBegunIsDelivered() {
        var shutdown = HTTP2Shutdown(idle: .seconds(60))
        _ = shutdown.opened(stream: 5)
        #expect(shutdown.leave() == [.sayGoodbye(last: 5), .startTimer(.seconds(1))])
        #expect(shutdown.beganWrite() == [])
        #expect(shutdown.acknowledged() == [])
        #expect(shutdown.closed(stream: 5) == [])
        #expect(shutdown.endedWrite() == [.stopTimer, .close(silence: .seconds(5))])
    }

    @Test func aClientThatDoesNotAnswerIsNotAwaited() {
        var shutdown = HTTP2Shutdown(idle: .seconds(60))
        #expect(shutdown.leave() == [.sayGoodbye(last: 0), .startTimer(.seconds(1))])
        #expect(shutdown.timerFired() == [.stopTimer, .close(silence: .seconds(1))])
    }

    // MARK: The server

    /// NO_ERROR is 0, REFUSED_STREAM is 7.
    @Test func requestsInProgressEndAndNewOnesAreRefused() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let (released, releasing) = AsyncStream<Void>.makeStream()
        let count = Mutex(0)
        let handler: Greeting.Handler = { input, _ in
            count.withLock { $0 += 1 }
            starting.yield()
            for await _ in released { break }
            return .init(text: input.name)
        }
        let client = try await TestServer.run(handler: handler, clients: { _ in .noCertificateRequested }) { server in
            let client = try HTTP2Client(
                server.port,
                """
                client = Client()
                client.answers_pings = False
                stream = client.post()
                client.read(lambda: client.goaway)
                print(*client.goaway)
                # It comes too late, and the running request does not suffer.
                late = client.post()
                print(client.answer(late, seconds=2).status)
                client.answers_pings = True
                print(client.answer(stream), client.end(), client.closed, client.answers[late].status)
                """)
            for await _ in started { break }
            async let shutdown: Void = server.server.shutdown()
            #expect(await client.line() == "1 0")
            #expect(await client.line() == "None")
            releasing.finish()
            await shutdown
            return client
        }
        #expect(await client.rest() == ["200 whole 0 True None"])
        #expect(count.withLock { $0 } == 1)
    }

    @Test func idleConnectionsDoNotHoldUpTheShutdown() async throws {
        var settings = SOAPServer.Settings()
        settings.shutdownGrace = .seconds(3600)
        let client = try await TestServer.run(
            clients: { _ in .noCertificateRequested }, settings: settings
        ) { server in
            let client = try HTTP2Client(
                server.port,
                """
                used = Client()
                print(used.answer(used.post()))
                unused, dumb = Client(), Client()
                dumb.answers_pings = False
                # Nothing of TLS.
                bare = socket.create_connection(("127.0.0.1", port))
                time.sleep(0.2)
                print("ready")
                print(used.end(), unused.end(), dumb.end())
                """)
            #expect(await client.line() == "200 whole")
            #expect(await client.line() == "ready")
            return client
        }
        #expect(await client.rest() == ["0 0 0"])
    }

    /// What was written for a client that takes its time is delivered.
    @Test func anAnswerOnItsWayIsDeliveredBeforeTheEnd() async throws {
        let size = 8 << 20
        let (entered, entering) = AsyncStream<Void>.makeStream()
        let handler: Greeting.Handler = { _, _ in
            entering.finish()
            return .init(text: String(repeating: "x", count: size))
        }
        let client = try await TestServer.run(handler: handler, clients: { _ in .noCertificateRequested }) { server in
            let client = try HTTP2Client(
                server.port,
                """
                client = Client(window=1 << 30)
                stream = client.post()
                time.sleep(2)
                answer = client.answer(stream)
                print(answer, len(answer.body) > \(size), client.goaway)
                """)
            for await _ in entered {}
            return client
        }
        let lines = await client.rest()
        #expect(lines == ["200 whole True (1, 0)"])
    }

    @Test func handlersThatHangAreCancelledAfterTheGrace() async throws {
        let (started, starting) = AsyncStream<Void>.makeStream()
        let handler: Greeting.Handler = { _, _ in
            starting.yield()
            try await Task.sleep(for: .seconds(3600))
            return .init(text: "")
        }
        var settings = SOAPServer.Settings()
        settings.shutdownGrace = .milliseconds(100)
        let client = try await TestServer.run(
            handler: handler, clients: { _ in .noCertificateRequested }, settings: settings
        ) { server in
            let client = try HTTP2Client(server.port, "client = Client()\nclient.post()\nprint(client.end())")
            for await _ in started { break }
            return client
        }
        #expect(await client.line() == "0")
    }
}
