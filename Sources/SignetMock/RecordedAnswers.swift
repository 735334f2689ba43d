#if Server
import Foundation
import HTTPTypes
import SignetDynamic
import SignetHTTP
import SignetSOAP
import SignetXML
import Synchronization

/// The answers of a recording by the requests that got them.
package struct RecordedAnswers: Sendable {
    /// What makes a request the same, in the same version of SOAP: not its header blocks, whose values are new for each request, nor
    /// attachments that its input only names.
    private struct Key: Hashable {
        let service: Int
        let operation: String
        let version: SOAPVersion
        let input: DynamicValue
    }

    private struct Entry: Sendable {
        let name: String
        let exchange: RecordedExchange
        /// Where the answer says which request it relates to (WS-Addressing 1.0 Core §3.4); nil where it does not.
        let relation: Range<Int>?
    }

    private let entries: [Key: [Entry]]
    private let uses = Uses()
    /// Exchanges that no operation takes, each with its name and the reason.
    package let problems: [String]

    /// - Parameter exchanges: in the order in which equal requests get them.
    /// - Throws: ``MockError`` when no operation takes any of the requests.
    package init(_ exchanges: [(name: String, exchange: RecordedExchange)], for services: [MockedService]) async throws
    {
        let readers = try services.map { try RecordedRequestReader($0.service) }
        var entries: [Key: [Entry]] = [:]
        var problems: [String] = []
        for (name, exchange) in exchanges {
            var reason = "no service has this operation."
            var isTaken = false
            // Services may have the same operations.
            for (number, reader) in readers.enumerated() {
                switch await reader.read(exchange) {
                case .success((let request, let version)):
                    let key = Key(
                        service: number, operation: request.operation, version: version,
                        input: Self.masked(request.input))
                    entries[key, default: []].append(
                        Entry(name: name, exchange: exchange, relation: Self.relation(in: exchange.answer.bytes)))
                    isTaken = true
                case .failure(let fault): reason = fault.reason
                }
            }
            if !isTaken { problems.append("\(name): \(reason)") }
        }
        if let first = problems.first, entries.isEmpty {
            throw MockError("No operation of the WSDL takes a request of the recording. \(first)")
        }
        self.entries = entries
        self.problems = problems
    }

    /// The answer to a request; the last of several equal ones is repeated.
    ///
    /// - Parameter service: the number of the service among those of the mock.
    func take(for request: DynamicRequest, _ version: SOAPVersion, in service: Int) -> (
        name: String, status: Int, answer: RecordedContent
    )? {
        let key = Key(
            service: service, operation: request.operation, version: version, input: Self.masked(request.input))
        guard let found = entries[key], let last = found.last else { return nil }
        let number = uses.counts.withLock { counts in
            let number = counts[key, default: 0]
            counts[key] = number + 1
            return number
        }
        let entry = number < found.count ? found[number] : last
        var answer = entry.exchange.answer
        if let relation = entry.relation, let present = Self.messageID(request) {
            // The client looks for its own identifier.
            answer.bytes.replaceSubrange(relation, with: Array(Self.escaped(present).utf8))
        }
        return (entry.name, entry.exchange.status, answer)
    }

    private final class Uses: Sendable {
        let counts = Mutex<[Key: Int]>([:])
    }

    /// The value without secrets, which the recording does not have.
    private static func masked(_ value: DynamicValue) -> DynamicValue {
        withoutIdentifiers(value.replacingSecrets(by: .null))
    }

    /// The value without identifiers of attachments, which clients make new (RFC 2392).
    private static func withoutIdentifiers(_ value: DynamicValue) -> DynamicValue {
        switch value {
        case .object(let members): .object(members.map { .init($0.name, withoutIdentifiers($0.value)) })
        case .array(let items): .array(items.map(withoutIdentifiers))
        case .string(let text)
        where !ContentID.candidates(text.trimmingCharacters(in: .whitespacesAndNewlines)).isEmpty:
            .null
        default: value
        }
    }

    /// The content of the only header block `RelatesTo`.
    private static func relation(in answer: [UInt8]) -> Range<Int>? {
        var found: [Range<Int>] = []
        _ = try? XMLReader.read(answer, charset: "utf-8") { (reader) throws(XMLError) in
            while true {
                switch try reader.next() {
                case .startElement:
                    guard reader.elementName != "Body" else { return }
                    let isRelation =
                        reader.elementName == "RelatesTo" && reader.openElements == 3
                        && [AddressingVersion.v10, .submission].contains { $0.namespace.uri == reader.namespaceURI }
                    if isRelation { found.append(try reader.skipElementContent()) }
                case .endOfDocument: return
                case .endElement, .text: continue
                }
            }
        }
        return found.count == 1 ? found.first : nil
    }

    private static func messageID(_ request: DynamicRequest) -> String? {
        guard let value = request.headers["MessageID"] else { return nil }
        return value.text ?? value["#text"]?.text
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}

/// Reads recorded requests as a service would.
private struct RecordedRequestReader {
    private final class Found: Sendable {
        let request = Mutex<(DynamicRequest, SOAPVersion)?>(nil)
    }

    private let found = Found()
    private let dispatcher: ServiceDispatcher

    init(_ service: DynamicService) throws {
        var dispatcher = try service.dispatcher(acceptsLast: true) { [found] request, context in
            found.request.withLock { $0 = (request, context.version) }
            throw SOAPFault.server("This request is only read.")
        }
        dispatcher.understoodHeaderBlocks.insert(Mock.security)
        dispatcher.understoodHeaderBlocks.formUnion(AddressingVerifier().understoodHeaderBlocks)
        self.dispatcher = dispatcher
    }

    /// - Returns: the request, or the reason why no operation takes it.
    func read(_ exchange: RecordedExchange) async -> Result<(DynamicRequest, SOAPVersion), SOAPFault> {
        found.request.withLock { $0 = nil }
        let response = exchange.request.parts == nil ? await respond(to: exchange) : await respond(toParts: exchange)
        if let request = found.request.withLock({ $0 }) { return .success(request) }
        return .failure(.client(Self.reason(in: response?.body.bytes ?? [])))
    }

    private func respond(to exchange: RecordedExchange) async -> ServiceDispatcher.Response {
        let type = MediaType(exchange.request.contentType ?? "")
        return await dispatcher.respond(
            to: exchange.request.bytes, declared: nil, charset: type.charset, action: exchange.action ?? type.action,
            from: .init())
    }

    /// - Returns: nil for parts that the dispatcher does not take.
    private func respond(toParts exchange: RecordedExchange) async -> ServiceDispatcher.Response? {
        guard let (type, bytes) = try? exchange.request.sent() else { return nil }
        var fields: HTTPFields = [:]
        fields[.contentType] = type
        if let action = HTTPField.Name("SOAPAction") { fields[action] = exchange.action }
        let request = ServerRequest(method: .post, path: "/", fields: fields)
        let bounds = RequestBounds(bytes: bytes.count)
        guard let intake = dispatcher.intake(for: fields, bounds, in: request),
            (try? await intake.receive(bytes)) != nil
        else { return nil }
        return await intake.respond(from: .init())
    }

    /// The reason of a fault.
    private static func reason(in envelope: [UInt8]) -> String {
        guard let fragment = try? XMLFragment(parsing: envelope),
            let fault = fragment.children.first(named: "Body")?.children.first
        else { return "it cannot be read." }
        let reason = fault.children.first(named: "faultstring") ?? fault.children.first(named: "Reason")?.children.first
        return reason?.text ?? "it cannot be read."
    }
}
#endif
