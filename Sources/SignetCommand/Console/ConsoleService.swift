#if CommandLine
import Signet
import SignetDynamic
import SignetGeneratorCore
import SignetSOAP
import SignetWSDL
import SignetXML
import Synchronization

/// The ports of a WSDL, as the console shows them.
struct ConsoleService: Sendable {
    struct Port: Sendable {
        let id: String
        let service: String
        let port: SignetWSDL.Port
        let binding: String
        /// The name of the binding, which SoapUI's requests name.
        let bindingName: String
        /// The port with its operations, or why it cannot be used.
        let content: Result<DynamicService, CommandError>

        var dynamic: DynamicService? { try? content.get() }
    }

    let file: String
    let ports: [Port]
    /// What writes calls in Swift, for each port that was asked about; nil for those of which no code can be generated.
    private let writers = Writers()
    let warnings: [String]
    let definitions: WSDLDefinitions

    /// - Parameters:
    ///   - service: only the ports of this one; nil for all.
    ///   - port: only this port; nil for all.
    /// - Throws: ``CommandError`` when there is no such port, or the WSDL has none.
    init(_ definitions: WSDLDefinitions, file: String, service: String?, port: String?) throws(CommandError) {
        (self.definitions, self.file) = (definitions, file)
        var ports: [Port] = []
        for found in definitions.servicesOrBindings where service == nil || found.name.localName == service {
            for place in found.ports where port == nil || place.name == port {
                let content: Result<DynamicService, CommandError>
                do throws(DynamicError) {
                    content = .success(
                        try DynamicService(definitions, service: found.name.localName, port: place.name))
                } catch { content = .failure(CommandError(definitions.reasonNotUsable(place) ?? error.message)) }
                ports.append(
                    Port(
                        id: String(ports.count), service: found.name.localName, port: place,
                        binding: content.binding ?? definitions.bindings[place.binding]?.format.name ?? "unknown",
                        bindingName: place.binding.localName, content: content))
            }
        }
        guard !ports.isEmpty else {
            let names = definitions.servicesOrBindings.flatMap { found in
                found.ports.map { "\($0.name) of \(found.name.localName)" }
            }
            throw CommandError(
                names.isEmpty
                    ? "The WSDL has no port." : "The WSDL has no such port. It has \(names.joined(separator: ", ")).")
        }
        self.ports = ports
        warnings = definitions.diagnostics.map { "\($0)" }
    }

    /// - Throws: ``CommandError``.
    func port(_ id: String?) throws(CommandError) -> (port: Port, service: DynamicService) {
        guard let port = ports.first(where: { $0.id == id }) else { throw CommandError("There is no such port.") }
        return (port, try port.content.get())
    }

    private final class Writers: Sendable {
        let all = Mutex<[String: SwiftCallWriter?]>([:])
    }

    /// The call of an operation in Swift, with the generated client.
    func swift(_ port: Port, _ operation: String, _ envelope: [UInt8], endpoint: String) -> String {
        let call = writers.all.withLock { all -> String? in
            if all[port.id] == nil {
                var options = GeneratorOptions()
                (options.service, options.port) = (port.service, port.port.name)
                all[port.id] = .some(Generator.callWriter(definitions, options: options).writer)
            }
            guard var writer = all[port.id] ?? nil else { return nil }
            defer { all[port.id] = writer }
            guard let text = try? writer.call(operation, envelope) else { return nil }
            return
                "let \(writer.client) = \(writer.namespace).Client(try ServiceConfiguration(\(endpoint.debugDescription)))\n\(text)"
        }
        guard let call else { return "// signet generate makes no code for this operation: signet inspect says why.\n" }
        return "import Signet\n\n\(call)"
    }

    /// The ports as JSON.
    ///
    /// - Parameter endpoint: takes the place of all addresses in the WSDL.
    func json(endpoint: String?) -> DynamicValue {
        .array(
            ports.map { port in
                var reason: String?
                if case .failure(let error) = port.content { reason = error.message }
                return [
                    "id": .string(port.id), "service": .string(port.service), "port": .string(port.port.name),
                    "documentation": .optional(port.port.documentation),
                    "address": .optional(endpoint ?? port.port.address), "binding": .string(port.binding),
                    "reasonNotUsable": .optional(reason),
                    "requirements": .strings((port.dynamic?.servicePort.requirements ?? []).map { "\($0)" }),
                    "operations": .array((port.dynamic?.operations ?? []).map(Self.json)),
                ]
            })
    }

    private static func json(_ operation: DynamicOperation) -> DynamicValue {
        [
            "name": .string(operation.name), "documentation": .optional(operation.documentation),
            "soapAction": .string(operation.soapAction), "input": .optional(operation.input),
            "output": .optional(operation.output), "faults": .strings(operation.faults),
            "headers": .strings(operation.headers), "requirements": .strings(operation.requirements.map { "\($0)" }),
            "unsupported": .strings(operation.unsupportedRequirements + operation.unknownRequirements),
            "reasonNotCallable": .optional(operation.reasonNotCallable),
        ]
    }

    /// An operation with its schemas and an example, as JSON.
    func json(ofOperation name: String, inPort id: String?) throws -> DynamicValue {
        let service = try port(id).service
        let schemas = try service.formSchemas(of: name)
        func list(_ members: [DynamicValue.Member]) -> DynamicValue {
            .array(members.map { ["name": .string($0.name), "schema": $0.value] })
        }
        return [
            // A schema that contains itself without end has no example; a person may still find a value.
            "sample": (try? service.sample(of: name)) ?? .object([]), "schema": schemas.input,
            "answer": schemas.answer ?? .null,
            "faults": list(schemas.faults), "headers": list(schemas.headers),
        ]
    }
}

extension Result<DynamicService, CommandError> {
    fileprivate var binding: String? { (try? get())?.port.binding }
}

extension Binding.Format {
    fileprivate var name: String {
        switch self {
        case .soap11: "SOAP 1.1"
        case .soap12: "SOAP 1.2"
        case .http: "HTTP"
        case .other(let namespace): namespace
        }
    }
}

extension DynamicValue {
    static func optional(_ text: String?) -> DynamicValue { text.map { .string($0) } ?? .null }
    static func strings(_ texts: [String]) -> DynamicValue { .array(texts.map { .string($0) }) }
    static func milliseconds(_ duration: Duration?) -> DynamicValue {
        guard let duration else { return .null }
        let microseconds = Int((duration / .microseconds(1)).rounded())
        let fraction = String(microseconds % 1000)
        return .number(
            "\(microseconds / 1000).\(String(repeating: "0", count: max(0, 3 - fraction.count)))\(fraction)")
    }
}
#endif
