#if CommandLine
import Foundation
import Signet
import SignetDynamic
import SignetWSDL
import Synchronization

/// What the console's page asks the console. Requests and answers are JSON.
struct ConsoleAPI: Sendable {
    /// How many calls run at a time.
    private static let maximumCalls = 8

    let service: ConsoleService
    let access: ConsoleAccess
    let options: AccessOptions
    let arguments: [String]
    let history = ConsoleHistory()
    let collections: ConsoleCollections
    private let running = Counter()

    init(_ service: ConsoleService, _ access: ConsoleAccess, _ options: AccessOptions, arguments: [String]) {
        (self.service, self.access, self.options, self.arguments) = (service, access, options, arguments)
        collections = ConsoleCollections(service, access)
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        func begin(limit: Int) -> Bool {
            count.withLock {
                guard $0 < limit else { return false }
                $0 += 1
                return true
            }
        }
        func end() { count.withLock { $0 -= 1 } }
    }

    /// Answers a request of the page.
    ///
    /// - Parameters:
    ///   - path: below `api/`.
    ///   - query: the parameters of the address.
    ///   - body: nil for a GET.
    /// - Returns: nil when there is nothing at the path.
    func answer(_ path: Substring, query: [String: String], body: DynamicValue?) async throws -> DynamicValue? {
        switch (path, body) {
        case ("service", nil): return description
        case ("operation", nil): return try service.json(ofOperation: query["name"] ?? "", inPort: query["port"])
        case ("history", nil): return ["entries": history.entries]
        case ("history/export", nil):
            return ["program": .string("signet \(SignetCommand.version)"), "entries": history.exported]
        case ("history/clear", .some):
            history.clear()
            return .object([])
        case ("preview", let body?): return try await preview(body)
        case ("read", let body?): return try await read(body)
        case ("call", let body?): return try await call(body)
        case ("identity", let body?):
            guard let path = body["path"]?.text, !path.isEmpty else {
                throw CommandError("Name the file of the identity: PKCS#12, or PEM with key and certificate.")
            }
            let password = body["password"]?.text
            return try access.addIdentity(path: path, password: password?.isEmpty == false ? password : nil)
        case ("credentials", let body?): return try access.addCredentials(body)
        case ("import", let body?):
            guard let content = body["content"]?.text.flatMap({ Data(base64Encoded: $0) }) else {
                throw CommandError("The content of a collection is base64.")
            }
            return try await collections.add(Array(content), name: body["name"]?.text ?? "collection", folder: nil)
        default: return nil
        }
    }

    private var description: DynamicValue {
        [
            "file": .string(URL(filePath: service.file).lastPathComponent), "version": .string(SignetCommand.version),
            "warnings": .strings(service.warnings), "ports": service.json(endpoint: options.request.endpoint),
            "identities": access.identities, "credentials": access.credentials, "chosen": access.chosen,
            "trust": .string(
                options.trust.ca.isEmpty
                    ? "the authorities of the system"
                    : options.trust.ca.map { URL(filePath: $0).lastPathComponent }.joined(separator: ", ")
            ),
            "collections": collections.all,
        ]
    }

    // MARK: Requests

    /// What a request of the page is about.
    private struct Subject {
        var port: ConsoleService.Port
        var service: DynamicService
        var operation: DynamicOperation
        var input: DynamicValue
        var headers: DynamicValue
        /// Nil for the address of the WSDL or of the options.
        var endpoint: String?
        var identity: String
        var credentials: String
    }

    private func subject(of body: DynamicValue) throws -> Subject {
        let (port, dynamic) = try service.port(body["port"]?.text)
        let endpoint = body["endpoint"]?.text.flatMap { $0.isEmpty ? nil : $0 }
        if let endpoint {
            do { _ = try Endpoint(endpoint) } catch {
                throw CommandError("The address “\(endpoint)” cannot be used: \(error.message).")
            }
        }
        return Subject(
            port: port, service: dynamic, operation: try dynamic.operation(body["operation"]?.text ?? ""),
            input: body["value"] ?? .object([]), headers: body["headers"] ?? .object([]),
            endpoint: endpoint == (options.request.endpoint ?? port.port.address) ? nil : endpoint,
            identity: body["identity"]?.text ?? ConsoleAccess.none,
            credentials: body["credentials"]?.text ?? ConsoleAccess.none)
    }

    /// The request in other forms, without what proves who is calling.
    private func preview(_ body: DynamicValue) async throws -> DynamicValue {
        let subject = try subject(of: body)
        // An address that is still to be typed does not keep the message from being shown.
        let usual = options.request.endpoint ?? subject.port.port.address
        let address = subject.endpoint ?? usual.flatMap { (try? Endpoint($0)) == nil ? nil : $0 }
        let target = CallTarget(
            subject.service, endpoint: address ?? "https://address.missing/", request: options.request)
        var configuration = try target.makeConfiguration()
        configuration.fields = try options.request.fields.load()
        let client = DynamicClient(subject.service, configuration.caller(over: NoTransport()))
        let http: String
        let xml: String
        var swift = ""
        let place = address == nil ? "(no address)" : "\(configuration.endpoint)"
        if let request = try client.plainRequest(of: subject.operation.name, subject.input, headers: subject.headers) {
            http = "\(request.method) \(request.endpoint.origin)\(request.path)"
            xml = String(decoding: request.body.bytes ?? [], as: UTF8.self)
        } else {
            let envelope = try await client.attemptedEnvelope(
                of: subject.operation.name, subject.input, headers: subject.headers)
            let version = (configuration.version ?? subject.service.version)?.description ?? ""
            http = "POST \(place), \(version), SOAPAction \"\(subject.operation.soapAction)\""
            xml = String(decoding: envelope, as: UTF8.self)
            // Planning the code of a large service takes seconds.
            if body["kind"] == "swift" {
                swift = service.swift(
                    subject.port, subject.operation.name,
                    try client.envelope(of: subject.operation.name, subject.input, headers: subject.headers),
                    endpoint: "\(configuration.endpoint)")
            }
        }
        return [
            "xml": .string(xml), "http": .string(http),
            "command": .string(
                ConsoleSnippets.command(
                    arguments, wsdl: service.file, port: subject.port, operation: subject.operation.name,
                    endpoint: subject.endpoint ?? options.request.endpoint,
                    chosen: try access.arguments(identity: subject.identity, credentials: subject.credentials),
                    input: subject.input, headers: subject.headers)),
            "swift": .string(swift),
        ]
    }

    /// A message read back into values.
    private func read(_ body: DynamicValue) async throws -> DynamicValue {
        let dynamic = try service.port(body["port"]?.text).service
        // Of operations with the same element, the one is meant that the page shows.
        let shown = body["operation"]?.text.flatMap { try? dynamic.operation($0).soapAction }
        let request = try await dynamic.request(in: Array((body["xml"]?.text ?? "").utf8), action: shown)
        return [
            "operation": .string(request.operation), "value": request.input, "headers": request.headers,
            "problems": .strings(request.deviations.map(\.withoutOffset)),
        ]
    }

    private func call(_ body: DynamicValue) async throws -> DynamicValue {
        let subject = try subject(of: body)
        guard running.begin(limit: Self.maximumCalls) else {
            throw CommandError("\(Self.maximumCalls) calls are running. Wait for one of them, or cancel it.")
        }
        defer { running.end() }
        let chosen = try access.configuration(
            for: subject.operation, subject.service, endpoint: subject.endpoint, identity: subject.identity,
            credentials: subject.credentials)
        let (entry, exported) = await ConsoleCall(
            number: history.nextNumber(), port: subject.port.id, service: subject.service,
            operation: subject.operation, input: subject.input, headers: subject.headers, chosen: chosen
        ).entry()
        history.add(entry, exported: exported)
        return entry
    }
}
#endif
