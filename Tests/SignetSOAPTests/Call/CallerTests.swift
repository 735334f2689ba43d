import GreetingService
import Logging
import SignetSOAP
import Synchronization
import Testing

@Suite struct CallerTests {
    struct Adding: CallMiddleware {
        let suffix: String
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            var call = call
            if var greet = call.input as? Greeting.Greet {
                greet.name += suffix
                if let changed = greet as? Input { call.input = changed }
            }
            return try await next(call)
        }
    }

    /// Calls again once after a server fault.
    struct Retrying: CallMiddleware {
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            do { return try await next(call) } catch let fault as SOAPFault where fault.code == .server {
                return try await next(call)
            }
        }
    }

    @Test func middlewaresSeeEveryCallInOrder() async throws {
        let client = Greeting.Client(inProcess: Greeting.dispatcher { input, _ in .init(text: input.name) })
            .with { $0.middlewares = [Adding(suffix: "1"), Adding(suffix: "2")] }
        #expect(try await client.greet(.init(name: "n")).text == "n12")
    }

    @Test func aMiddlewareMayCallAgain() async throws {
        let calls = Mutex(0)
        let dispatcher = Greeting.dispatcher { input, _ in
            let count = calls.withLock {
                $0 += 1
                return $0
            }
            if count == 1 { throw SOAPFault.server("later") }
            return .init(text: "\(count)")
        }
        let client = Greeting.Client(inProcess: dispatcher).with { $0.middlewares = [Retrying()] }
        #expect(try await client.greet(.init(name: "n")).text == "2")
    }

    @Test func messagesAreLoggedWithoutSecrets() async throws {
        let recorder = Recorder()
        let client = Greeting.Client(inProcess: Greeting.dispatcher { _, _ in .init(text: "hello") }).with {
            $0.logger = Logger(label: "test") { _ in recorder }
            $0.logger.logLevel = .trace
        }
        _ = try await client.greet(.init(name: "visible", password: "hunter2"))
        let text = recorder.text
        #expect(text.contains("visible"))
        #expect(text.contains("<m:password>[redacted]</m:password>"))
        #expect(!text.contains("hunter2"))
    }
}

/// Keeps what was logged.
final class Recorder: LogHandler {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
