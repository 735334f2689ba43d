import Logging
import SignetSOAP
import SignetTesting
import Synchronization
import Testing

@Suite struct CallerTests {
    struct Adding: CallMiddleware {
        let suffix: String
        func intercept<Input: XMLStructure, Output: XMLStructure>(
            _ input: Input, operation: String, endpoint: Endpoint, next: @Sendable (Input) async throws -> Output
        ) async throws -> Output {
            guard var greet = input as? Greeting.Greet else { return try await next(input) }
            greet.name += suffix
            guard let changed = greet as? Input else { return try await next(input) }
            return try await next(changed)
        }
    }

    /// Calls again once after a server fault.
    struct Retrying: CallMiddleware {
        func intercept<Input: XMLStructure, Output: XMLStructure>(
            _ input: Input, operation: String, endpoint: Endpoint, next: @Sendable (Input) async throws -> Output
        ) async throws -> Output {
            do { return try await next(input) } catch let fault as SOAPFault where fault.code == .server {
                return try await next(input)
            }
        }
    }

    func client(_ dispatcher: ServiceDispatcher) throws -> Greeting.Client {
        Greeting.Client(
            ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: InProcessTransport(dispatcher)))
    }

    @Test func middlewaresSeeEveryCallInOrder() async throws {
        let client = try client(Greeting.dispatcher { input, _ in .init(text: input.name) })
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
        #expect(try await client(dispatcher).with { $0.middlewares = [Retrying()] }.greet(.init(name: "n")).text == "2")
    }

    @Test func messagesAreLoggedWithoutSecrets() async throws {
        let recorder = Recorder()
        let client = try client(Greeting.dispatcher { _, _ in .init(text: "hello") }).with {
            $0.logger = Logger(label: "test") { _ in recorder }
            $0.logger.logLevel = .trace
        }
        _ = try await client.greet(.init(name: "visible", password: "hunter2"))
        let text = recorder.text
        #expect(text.contains("visible"))
        #expect(text.contains("<m:password>[redacted]</m:password>"))
        #expect(!text.contains("hunter2"))
    }

    @Test func headerBlocksAreSentAndReceived() async throws {
        let dispatcher = Greeting.dispatcher { _, context in
            .init(
                text: context.headerBlocks.map {
                    "\($0.namespaceURI) \($0.localName) \($0.content) \($0.mustUnderstand)"
                }.joined())
        }
        var understanding = dispatcher
        understanding.understoodHeaderBlocks = [XMLName("urn:h", "h")]
        let block = HeaderBlock(XMLName("urn:h", "h"), text: "a&b", mustUnderstand: true)
        let answer = try await client(understanding).with { $0.headerBlocks = [block] }.greet(.init(name: ""))
        #expect(answer.text == "urn:h h a&amp;b true")
        let fault = await #expect(throws: SOAPFault.self) {
            try await client(dispatcher).with { $0.headerBlocks = [block] }.greet(.init(name: ""))
        }
        #expect(fault?.code == .mustUnderstand)
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
