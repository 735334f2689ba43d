import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

@Suite struct HeaderBlockProviderTests {
    /// Numbers its blocks, and keeps what it sees.
    private final class Numbering: HeaderBlockProvider {
        struct Refusal: Error {}
        static let name = XMLName("urn:h", "number")

        let understoodHeaderBlocks: Set<XMLName>
        private let refuses: Bool
        private let seen = Mutex<(attempts: [CallAttempt], answers: [AnswerHead])>(([], []))
        var attempts: [CallAttempt] { seen.withLock { $0.attempts } }
        var answers: [AnswerHead] { seen.withLock { $0.answers } }

        init(understands: Set<XMLName> = [], refuses: Bool = false) {
            understoodHeaderBlocks = understands
            self.refuses = refuses
        }

        func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] {
            let number = seen.withLock {
                $0.attempts.append(attempt)
                return $0.attempts.count
            }
            return [HeaderBlock(Self.name, text: "\(number)")]
        }

        func received(_ answer: AnswerHead) async throws {
            seen.withLock { $0.answers.append(answer) }
            if refuses { throw Refusal() }
        }
    }

    private struct Again: CallMiddleware {
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            _ = try await next(call)
            return try await next(call)
        }
    }

    private func caller(_ dispatcher: ServiceDispatcher, _ provider: Numbering) throws -> ServiceCaller {
        var caller = try ServiceCaller(InProcessTransport(dispatcher), version: .soap12)
        caller.headerProviders = [provider]
        return caller
    }

    @Test func eachAttemptGetsNewBlocksBehindThoseOfTheCall() async throws {
        let dispatcher = Greeting.dispatcher { _, context in
            .init(text: context.headerBlocks.map(\.fragment.text).joined(separator: " "))
        }
        let provider = Numbering()
        var caller = try caller(dispatcher, provider)
        caller.middlewares = [Again()]
        let block = HeaderBlock(XMLName("urn:h", "fixed"), text: "fixed")
        let answer = try await caller.call(Greeting.greet, .init(name: ""), headerBlocks: [block])
        #expect(answer.text == "fixed 2")
        let attempts = provider.attempts.map {
            var attempt = CallAttempt(
                operation: "Greet", endpoint: caller.endpoint, version: .soap12, messageID: $0.messageID,
                number: $0.number)
            attempt.isLocal = true
            return attempt
        }
        #expect(provider.attempts == attempts)
        #expect(Set(attempts.map(\.messageID)).count == 2)
        #expect(attempts.map(\.number) == Set(attempts.map(\.number)).sorted())
        #expect(provider.answers.map(\.attempt) == attempts)
    }

    @Test func aProviderSeesAnswersAndFaults() async throws {
        let provider = Numbering()
        let caller = try caller(
            Greeting.dispatcher { input, context in
                context.faultHeaderBlocks.append(HeaderBlock(XMLName("urn:h", "f"), text: "1"))
                if input.name == "no" { throw SOAPFault.client("No.") }
                context.answerHeaderBlocks.append(HeaderBlock(XMLName("urn:h", "a"), text: "1"))
                return .init(text: "")
            }, provider)
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        await #expect(throws: SOAPFault.self) { try await caller.call(Greeting.greet, .init(name: "no")) }
        #expect(provider.answers.map(\.status) == [200, 400])
        #expect(provider.answers.map { $0.headerBlocks.map(\.localName) } == [["a"], ["f"]])
        #expect(provider.answers.allSatisfy { $0.fields[.contentType] != nil })
        #expect(provider.answers.map(\.attempt) == provider.attempts)
        #expect(provider.answers.map(\.fault?.reason) == [nil, "No."])
    }

    @Test func blocksThatAProviderUnderstandsAreAccepted() async throws {
        let name = XMLName("urn:h", "a")
        let dispatcher = Greeting.dispatcher { _, context in
            context.answerHeaderBlocks.append(HeaderBlock(name, text: "1", mustUnderstand: true))
            return .init(text: "")
        }
        let error = await #expect(throws: ServiceError.self) {
            try await caller(dispatcher, Numbering()).call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .headerNotUnderstood)
        _ = try await caller(dispatcher, Numbering(understands: [name])).call(Greeting.greet, .init(name: ""))
    }

    @Test func aProviderMayRefuseAnAnswerButHidesNoFault() async throws {
        await #expect(throws: Numbering.Refusal.self) {
            try await caller(Greeting.dispatcher(), Numbering(refuses: true)).call(Greeting.greet, .init(name: ""))
        }
        let faulty = Greeting.dispatcher { _, _ in throw SOAPFault.client("No.") }
        await #expect(throws: SOAPFault.self) {
            try await caller(faulty, Numbering(refuses: true)).call(Greeting.greet, .init(name: ""))
        }
    }

    @Test func oneWayMessagesHaveTheirBlocksToo() async throws {
        let transport = CannedTransport(status: 202, "")
        let provider = Numbering()
        var caller = try ServiceCaller(transport)
        caller.headerProviders = [provider]
        try await caller.send(Greeting.wave, .init(name: ""))
        let sent = try XMLFragment(parsing: try #require(await transport.requests.first).body.bytes ?? [])
        #expect(sent.children.first(named: "Header")?.children.map(\.localName) == ["number"])
        #expect(provider.answers.map(\.status) == [202])
    }

    @Test func callsWithoutSOAPRefuseHeaderProviders() async throws {
        let transport = CannedTransport("")
        var caller = try ServiceCaller(transport)
        caller.headerProviders = [Numbering()]
        let operation = HTTPOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", verb: .get, location: "/greet", input: .query, output: XMLName("urn:greeting", "Greeted"))
        let error = await #expect(throws: TransportError.self) { try await caller.call(operation, .init(name: "")) }
        #expect(error?.code == .invalidRequest)
        #expect(await transport.requests.isEmpty)
    }

    @Test func headsShowNamesOnly() {
        let head = AnswerHead(status: 200, fields: [.setCookie: "canary"])
        var dumped = "\(head)"
        dump(head, to: &dumped)
        #expect(dumped.contains("Set-Cookie"))
        #expect(!dumped.contains("canary"))
    }
}
