#if Server
import SignetDynamic
import SignetHTTP
import SignetSOAP
import SignetXML
import Synchronization

/// The answers of a recording by the requests that got them.
package struct RecordedAnswers: Sendable {
    /// What makes a request the same: not its header blocks, whose values are new for each request.
    private struct Key: Hashable {
        let service: Int
        let operation: String
        let input: DynamicValue
    }

    private struct Entry: Sendable {
        let name: String
        let exchange: RecordedExchange
        /// That of the recorded request, to which the answer relates.
        let messageID: String?
    }

    private let entries: [Key: [Entry]]
    private let uses = Uses()
    /// Exchanges that no operation takes, each with its name and the reason.
    package let problems: [String]

    /// - Parameter exchanges: in the order in which equal requests get them.
    package init(_ exchanges: [(name: String, exchange: RecordedExchange)], for services: [MockedService]) async throws
    {
        var entries: [Key: [Entry]] = [:]
        var problems: [String] = []
        for (name, exchange) in exchanges {
            var reason = "no service has this operation."
            var isTaken = false
            for (number, mocked) in services.enumerated() where !isTaken {
                switch try await Self.read(exchange, mocked.service) {
                case .success(let request):
                    let key = Key(service: number, operation: request.operation, input: Self.masked(request.input))
                    entries[key, default: []].append(
                        Entry(name: name, exchange: exchange, messageID: Self.messageID(request)))
                    isTaken = true
                case .failure(let fault): reason = fault.reason
                }
            }
            if !isTaken { problems.append("\(name): \(reason)") }
        }
        self.entries = entries
        self.problems = problems
    }

    /// The answer to a request; the last of several equal ones is repeated.
    ///
    /// - Parameter service: the number of the service among those of the mock.
    func take(for request: DynamicRequest, in service: Int) -> (name: String, status: Int, answer: RecordedContent)? {
        let key = Key(service: service, operation: request.operation, input: Self.masked(request.input))
        guard let found = entries[key], let last = found.last else { return nil }
        let number = uses.counts.withLock { counts in
            let number = counts[key, default: 0]
            counts[key] = number + 1
            return number
        }
        let entry = number < found.count ? found[number] : last
        var answer = entry.exchange.answer
        if let recorded = entry.messageID, let present = Self.messageID(request), !recorded.isEmpty {
            // The client looks for its own identifier in the answer (WS-Addressing 1.0 Core §3.4).
            answer.bytes = Array(
                String(decoding: answer.bytes, as: UTF8.self).replacing(
                    Self.escaped(recorded), with: Self.escaped(present)
                ).utf8)
        }
        return (entry.name, entry.exchange.status, answer)
    }

    private final class Uses: Sendable {
        let counts = Mutex<[Key: Int]>([:])
    }

    /// Reads a recorded request as a service would.
    private static func read(
        _ exchange: RecordedExchange, _ service: DynamicService
    ) async throws -> Result<DynamicRequest, SOAPFault> {
        let box = Box()
        var dispatcher = try service.dispatcher { request, _ in
            box.request.withLock { $0 = request }
            throw SOAPFault.server("This request is only read.")
        }
        dispatcher.understoodHeaderBlocks.insert(Mock.security)
        dispatcher.verifiers = [LenientAddressing()]
        let type = MediaType(exchange.request.contentType ?? "")
        let response = await dispatcher.respond(
            to: exchange.request.bytes, declared: nil, charset: type.charset, action: exchange.action ?? type.action,
            from: .init())
        await response.work?()
        if let request = box.request.withLock({ $0 }) { return .success(request) }
        return .failure(.client(fault(in: response.body.bytes ?? [])))
    }

    private final class Box: Sendable {
        let request = Mutex<DynamicRequest?>(nil)
    }

    /// The reason of a fault.
    private static func fault(in envelope: [UInt8]) -> String {
        guard let fragment = try? XMLFragment(parsing: envelope),
            let fault = fragment.children.first(named: "Body")?.children.first
        else { return "it cannot be read." }
        let reason = fault.children.first(named: "faultstring") ?? fault.children.first(named: "Reason")?.children.first
        return reason?.text ?? "it cannot be read."
    }

    /// The value without secrets, which the recording does not have.
    private static func masked(_ value: DynamicValue) -> DynamicValue {
        switch value {
        case .object(let members):
            let isNamedSecret = members.contains { member in
                ["@name", "@key"].contains(member.name) && member.value.text.map(SecretName.matches) == true
            }
            return .object(
                members.map { member in
                    let isLabel = ["@name", "@key"].contains(member.name)
                    let isSecret = SecretName.matches(member.name) || isNamedSecret && !isLabel
                    return .init(member.name, isSecret ? .null : masked(member.value))
                })
        case .array(let items): return .array(items.map(masked))
        default: return value
        }
    }

    private static func messageID(_ request: DynamicRequest) -> String? {
        guard let value = request.headers["MessageID"] else { return nil }
        return value.text ?? value["#text"]?.text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}

/// Understands the header blocks of WS-Addressing without a look at them.
struct LenientAddressing: RequestVerifier {
    var understoodHeaderBlocks: Set<XMLName> { AddressingVerifier().understoodHeaderBlocks }

    func verify(_ context: inout OperationContext) {}
}
#endif
