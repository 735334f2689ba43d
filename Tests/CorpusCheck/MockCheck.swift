import Logging
import SignetDynamic
import SignetHTTP
import SignetMock
import SignetSOAP
import SignetWSDL
import SignetXML
import Synchronization

/// Lets a mock answer each operation of a WSDL, and a strict client without generated code read the answers.
enum MockCheck {
    /// What a mock has answered, or a client has asked.
    struct Answer {
        var what: String
        /// The element in the body.
        var element: XMLFragment
        var isRequest = false
    }

    /// Operations whose examples a mock cannot answer, by the name of the WSDL's folder.
    private static let exceptions = [
        // An element of the same name stands in two of its groups, of which a value does not say which one is meant.
        "oneof-groups/oneof-groups.wsdl": ["Do"],
        // Nothing tells its operations apart: they have the same action, and an empty body.
        "sb-r4-mimedoc": ["EchoAttachmentAsBase64", "EchoBase64AsAttachment"],
    ]

    /// Reasons for which an example is refused, rightly, by the mock or the client: it has references that lead nowhere, and patterns for which no text was found.
    private static let refusals = ["refers to the part", "leads out of the envelope", "a text like"]

    /// - Parameter samples: those by chance; with 0 only a part of the operations is called.
    /// - Returns: the answers that the client has accepted.
    static func check(_ definitions: WSDLDefinitions, samples: Int, _ report: inout CorpusReport) async -> [Answer] {
        var answers: [Answer] = []
        let services: [MockedService]
        do { services = try MockedService.all(definitions) } catch {
            report.note("no mock: \(error)")
            return []
        }
        let seeds: [UInt64?] = [nil] + (0..<samples).map { UInt64($0) }
        for seed in seeds {
            var mock = Mock(services)
            mock.seed = seed
            let dispatchers: [ServiceDispatcher]
            do {
                dispatchers = try mock.dispatchers(logger: Logger(label: "mock") { _ in SwiftLogNoOpLogHandler() })
            } catch {
                report.fail("no mock: \(error)")
                return answers
            }
            let silent = Dictionary(mock.operationsWithoutAnswer().map { ($0.operation, $0.reason) }) { first, _ in
                first
            }
            if seed == nil {
                for (name, reason) in silent { report.note("the mock has no answer to \(name): \(reason)") }
            }
            for (mocked, dispatcher) in zip(services, dispatchers) {
                answers += await call(
                    mocked.service, dispatcher, except: Set(silent.keys), limit: samples == 0 ? 20 : .max, &report)
            }
        }
        return answers
    }

    private static func call(
        _ service: DynamicService, _ dispatcher: ServiceDispatcher, except silent: Set<String>,
        limit: Int, _ report: inout CorpusReport
    ) async -> [Answer] {
        var answers: [Answer] = []
        let transport = ListeningTransport(InProcessTransport(dispatcher))
        let origin = Origin(scheme: .https, host: "localhost", port: 443)
        var caller = ServiceCaller(
            endpoint: Endpoint(origin: origin, path: "/"), transport: transport)
        caller.tolerance = .strict
        caller.uncheckedRequirements = Set(
            service.servicePort.requirements + service.operations.flatMap(\.requirements)
        ).subtracting([.addressing])
        if service.servicePort.requirements.contains(.addressing) { caller.headerProviders = [AddressingHeader()] }
        let client = DynamicClient(service, caller)
        let exceptions = exceptions[report.name] ?? []
        let operations = service.operations.filter { !silent.contains($0.name) && !exceptions.contains($0.name) }
        for operation in operations.prefix(limit) {
            let what = "the mock of \(service.name)/\(service.port.name), \(operation.name)"
            let input: DynamicValue
            do { input = try service.sample(of: operation.name) } catch {
                report.note("\(what): \(error)")
                continue
            }
            do { _ = try await client.call(operation.name, input) } catch {
                let text = "\(what): \(error)"
                if refusals.contains(where: text.contains) { report.note(text) } else { report.fail(text) }
                continue
            }
            if let element = transport.lastBody { answers.append(Answer(what: what, element: element)) }
        }
        return answers
    }
}

/// Keeps the last answer.
private final class ListeningTransport: ClientTransport {
    private let transport: InProcessTransport
    private let last = Mutex<[UInt8]>([])

    init(_ transport: InProcessTransport) { self.transport = transport }

    /// The element in the body of the last answer; nil for an answer without one.
    var lastBody: XMLFragment? {
        let envelope = try? XMLFragment(parsing: last.withLock { $0 })
        return envelope?.children.first(named: "Body")?.children.first
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let response = try await transport.send(request)
        last.withLock { $0 = response.body }
        return response
    }

    func shutdown() async throws {}
    func isLocal(_ origin: Origin) -> Bool { true }
}
