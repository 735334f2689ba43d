#if Server
package import Logging
import SignetDynamic
package import SignetSOAP
package import SignetServer
import Synchronization

/// A server that answers every operation of a WSDL with data that its schema allows.
package struct Mock: Sendable {
    /// The services and their paths.
    package var services: [MockedService]
    /// Answers by chance instead of examples: the same seed gives the same answer to the same input.
    package var seed: UInt64?
    /// The first rule that matches a request decides.
    package var rules: [MockRule] = []
    /// The answers of a recording; a request that it does not have gets a fault, unless a rule decides about it.
    package var recorded: RecordedAnswers?
    /// Whether requests that depart from the schema are answered all the same.
    package var isLenient = false

    package init(_ services: [MockedService]) { self.services = services }

    /// The operations that cannot be called, or whose input needs what the schema lacks, with the reason.
    ///
    /// - Throws: ``MockError`` when the services have no other operation.
    package func unreadableOperations() throws(MockError) -> [(operation: String, reason: String)] {
        let unreadable = services.flatMap { mocked in
            mocked.service.operations.compactMap { operation -> (operation: String, reason: String)? in
                if let reason = operation.reasonNotCallable { return (operation.name, reason) }
                do throws(DynamicError) {
                    _ = try mocked.service.sample(of: operation.name)
                    return nil
                } catch {
                    // An input without an example, because it is too large, may be read all the same.
                    return error.code == .brokenSchema ? (operation.name, error.message) : nil
                }
            }
        }
        if let first = unreadable.first, unreadable.count == services.reduce(0, { $0 + $1.service.operations.count }) {
            throw MockError(
                "The WSDL has no operation whose input can be read. \(first.operation): \(first.reason)")
        }
        return unreadable
    }

    /// The operations that the mock can answer only by a rule, with the reason.
    package func operationsWithoutAnswer() -> [(operation: String, reason: String)] {
        services.flatMap { mocked in
            mocked.service.operations.compactMap { operation -> (operation: String, reason: String)? in
                if let reason = operation.reasonNotCallable {
                    return (operation.name, "it cannot be called: \(reason)")
                }
                do {
                    try mocked.service.check(
                        .init(try mocked.service.sampleAnswer(of: operation.name)), of: operation.name)
                    return nil
                } catch { return (operation.name, "\(error)") }
            }
        }
    }

    /// The services for a server.
    ///
    /// - Parameters:
    ///   - settings: those of the server, to which the mock adds what it needs.
    ///   - report: gets each request when it was answered.
    package func hosted(
        _ settings: inout SOAPServer.Settings, report: @escaping @Sendable (MockEvent) -> Void
    ) throws -> [HostedService] {
        settings.httpMiddlewares.append(MockHTTP(report: report))
        let dispatchers = try dispatchers(logger: settings.logger)
        return zip(dispatchers, services).flatMap { dispatcher, mocked in
            ([mocked.path] + mocked.otherPaths).map { HostedService(dispatcher, path: $0) }
        }
    }

    /// The services without a server.
    package func dispatchers(logger: Logger) throws -> [ServiceDispatcher] {
        let uses = RuleUses(rules)
        return try services.enumerated().map { number, mocked in
            let service = mocked.service
            let mock = self
            var dispatcher = try service.dispatcher(acceptsLast: true) { request, context in
                try await mock.answer(request, context.version, in: number, uses)
            }
            // A recorded request was good enough for its service.
            dispatcher.checksInput = !isLenient && recorded == nil
            dispatcher.logger = logger
            dispatcher.middlewares = [MockOperations()]
            // Clients may send it; the options of the command decide what is verified.
            dispatcher.understoodHeaderBlocks.insert(Self.security)
            let isRequired = service.servicePort.requirements.contains(.addressing)
            dispatcher.verifiers = [AddressingVerifier(isRequired: isRequired && !isLenient)]
            return dispatcher
        }
    }

    static let security = XMLName(
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd", "Security")

    private func answer(
        _ request: DynamicRequest, _ version: SOAPVersion, in number: Int, _ uses: RuleUses
    ) async throws -> DynamicReply {
        let rule = uses.take(for: request)
        MockExchange.current?.note { facts in
            facts.operation = request.operation
            facts.remarks += request.deviations.map(\.withoutOffset)
            facts.answer = rule?.summary
        }
        if let rule, rule.delay > .zero { try await Task.sleep(for: rule.delay) }
        switch rule?.action {
        case .answer(let reply)?: return reply
        case .declaredFault(let fault)?: throw fault
        case .fault(let fault)?: throw fault
        case .failure(let failure)?:
            MockExchange.current?.note { $0.failure = failure }
            return try usual(request, version, in: number)
        case .usual?, nil: return try usual(request, version, in: number)
        }
    }

    /// The answer without a rule.
    private func usual(_ request: DynamicRequest, _ version: SOAPVersion, in number: Int) throws -> DynamicReply {
        if let recorded {
            guard let found = recorded.take(for: request, version, in: number) else {
                throw SOAPFault.server(
                    "The recording has no answer to this input of \(request.operation) in \(version).")
            }
            let (contentType, bytes) = try found.answer.sent()
            MockExchange.current?.note { facts in
                facts.replay = ServerResponse(
                    status: .init(code: found.status), fields: contentType.map { [.contentType: $0] } ?? [:],
                    body: bytes)
                facts.answer = [facts.answer, "recorded, \(found.name)"].compactMap { $0 }.joined(separator: ", ")
            }
            // MockHTTP sends the recorded answer instead of this one.
            throw SOAPFault.server(MockExchange.replaced)
        }
        let (output, source) = try usualOutput(request, services[number].service)
        MockExchange.current?.note { facts in
            if facts.failure == nil { facts.answer = [facts.answer, source].compactMap { $0 }.joined(separator: ", ") }
        }
        return DynamicReply(output)
    }

    private func usualOutput(
        _ request: DynamicRequest, _ service: DynamicService
    ) throws -> (output: DynamicValue, source: String) {
        if let seed {
            let own = Self.seed(seed, request)
            do { return (try service.answer(of: request.operation, seed: own), "by chance") } catch {
                // What a schema allows by chance may be too large, or not expressible as a value.
                MockExchange.current?.note { $0.remarks.append("an example instead of an answer by chance: \(error)") }
            }
        }
        return (try service.sampleAnswer(of: request.operation), "an example")
    }

    /// A number that is the same for the same input (FNV-1a).
    private static func seed(_ seed: UInt64, _ request: DynamicRequest) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
        for byte in "\(request.operation) \(request.input.json())".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
        return hash
    }
}

/// How often each rule was used.
private final class RuleUses: Sendable {
    private let rules: [MockRule]
    private let counts: Mutex<[Int]>

    init(_ rules: [MockRule]) {
        self.rules = rules
        counts = Mutex(Array(repeating: 0, count: rules.count))
    }

    /// The first rule for a request that has uses left; it has one less afterwards.
    func take(for request: DynamicRequest) -> MockRule? {
        counts.withLock { counts in
            for (index, rule) in rules.enumerated() where rule.isFor(request) {
                if let times = rule.times, counts[index] >= times { continue }
                counts[index] += 1
                return rule
            }
            return nil
        }
    }
}
#endif
