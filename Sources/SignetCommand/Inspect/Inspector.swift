#if CommandLine
import SignetDynamic
import SignetGeneratorCore
import SignetWSDL

/// Makes the report about a WSDL.
struct Inspector {
    private let definitions: WSDLDefinitions
    private var tree: SchemaTree
    private let wanted: String?
    private let file: String

    /// - Parameters:
    ///   - file: the WSDL as the user named it.
    ///   - operation: only operations with this name; nil for all.
    ///   - depth: how deep types are shown.
    init(_ definitions: WSDLDefinitions, file: String, operation: String?, depth: Int) {
        self.file = file
        self.definitions = definitions
        tree = SchemaTree(definitions.schema, depth: depth)
        wanted = operation
    }

    mutating func report() -> InspectReport {
        var report = InspectReport(wsdl: file, services: [], diagnostics: definitions.diagnostics.map { "\($0)" })
        for service in definitions.servicesOrBindings { report.services.append(self.service(service)) }
        return report
    }

    private mutating func service(_ service: Service) -> InspectReport.Service {
        var result = InspectReport.Service(
            name: service.name.localName, namespace: service.name.namespace, documentation: service.documentation,
            ports: service.ports.map(port), operations: [])
        let judgement = Judgement(definitions, service: service, wanted: wanted)
        var seen: Set<QName> = []
        for port in service.ports {
            guard let binding = definitions.bindings[port.binding], seen.insert(binding.portType).inserted,
                let portType = definitions.portTypes[binding.portType]
            else { continue }
            let ports = service.ports.filter { definitions.bindings[$0.binding]?.portType == binding.portType }
            for operation in portType.operations where wanted == nil || operation.name == wanted {
                result.operations.append(self.operation(operation, binding, ports, judgement))
            }
        }
        return result
    }

    private func port(_ port: Port) -> InspectReport.Port {
        let binding = definitions.bindings[port.binding]
        let requirements = definitions.requirements(of: port)
        return InspectReport.Port(
            name: port.name, address: port.address, binding: binding?.format.title ?? "unknown",
            documentation: port.documentation,
            reasonNotUsable: definitions.reasonNotUsable(port),
            security: definitions.policySummary(of: port).sentences,
            requirements: requirements.list.map(InspectReport.Requirement.init),
            acceptedRequirements: requirements.accepted.map(InspectReport.Requirement.init),
            unsupportedRequirements: requirements.unsupported.map { "\($0.text), at \($0.location)" })
    }

    private mutating func operation(
        _ operation: Operation, _ binding: Binding, _ ports: [Port], _ judgement: Judgement
    ) -> InspectReport.Operation {
        // The order distinguishes overloaded operations.
        let bound = binding.operation(named: operation.name)
        let style = bound?.style ?? binding.style
        let port = ports.first.map { definitions.requirements(of: $0) } ?? .init()
        let own = bound.flatMap { bound in ports.first.flatMap { definitions.requirements(of: bound, at: $0) } }
        var result = InspectReport.Operation(
            name: operation.name, documentation: operation.documentation, style: style.rawValue,
            ports: ports.filter { port in
                definitions.bindings[port.binding]?.operation(named: operation.name) != nil
            }.map(\.name),
            soapAction: bound?.soapAction, faults: [],
            security: bound.map { definitions.policySummary(of: $0, in: binding).sentences } ?? [],
            requirements: own?.list.filter { !port.list.contains($0) }.map(InspectReport.Requirement.init) ?? [],
            unsupportedRequirements: own?.unsupported.filter { !port.unsupported.contains($0) }
                .map { "\($0.text), at \($0.location)" } ?? [],
            reasonNotCallable: judgement.reasonNotCallable(operation.name),
            reasonsNotGenerated: judgement.reasonsNotGenerated(operation.name))
        if let input = operation.input {
            result.input = message(input, bound?.input, wrapper: style == .rpc ? operation.name : nil)
        }
        if let output = operation.output {
            result.output = message(output, bound?.output, wrapper: style == .rpc ? "\(operation.name)Response" : nil)
        }
        for fault in operation.faults {
            result.faults.append(message(fault, nil, wrapper: nil))
        }
        return result
    }

    /// - Parameter wrapper: the element around the parts in RPC style (WSDL 1.1 §3.5).
    private mutating func message(
        _ use: MessageUse, _ bound: BindingMessage?, wrapper: String?
    ) -> InspectReport.Message {
        let headers = bound?.headers ?? []
        let inHeaders = Set(headers.filter { $0.message == use.message }.map(\.part))
        let parts = (definitions.messages[use.message]?.parts ?? []).filter { part in
            bound?.parts.map { $0.contains(part.name) } ?? !inHeaders.contains(part.name)
        }
        var body: [SchemaNode] = []
        for part in parts { body.append(self.part(part, inside: wrapper != nil)) }
        if let wrapper {
            var node = SchemaNode(kind: .element, name: wrapper, namespace: bound?.namespace ?? "")
            node.children = body
            body = [node]
        }
        var blocks: [SchemaNode] = []
        for header in headers {
            let part = definitions.messages[header.message]?.parts.first { $0.name == header.part }
            if let part { blocks.append(self.part(part, inside: false)) }
        }
        return InspectReport.Message(name: use.name, body: body, headers: blocks)
    }

    private mutating func part(_ part: Message.Part, inside wrapper: Bool) -> SchemaNode {
        let place = SchemaTree.Place(level: wrapper ? 1 : 0)
        if let element = part.element { return tree.element(element, at: place) }
        return tree.part(part.name, type: part.type ?? .anyType, at: place)
    }
}

extension InspectReport.Requirement {
    init(_ requirement: PolicyRequirement) {
        switch requirement {
        case .tls: kind = "tls"
        case .clientCertificate: kind = "clientCertificate"
        case .httpAuthentication(let scheme): (kind, value) = ("httpAuthentication", scheme)
        case .timestamp: kind = "timestamp"
        case .usernameToken(let form): (kind, value) = ("usernameToken", form.rawValue)
        case .issuedToken(let policy): (kind, value) = ("issuedToken", policy.issuer)
        case .asymmetricBinding(let policy): (kind, value) = ("asymmetricBinding", policy.suite.name)
        case .unsupported: kind = "unsupported"
        case .addressing: kind = "addressing"
        case .mtom: kind = "mtom"
        }
        text = requirement.description
    }
}

extension Binding.Format {
    fileprivate var title: String {
        switch self {
        case .soap11: "SOAP 1.1"
        case .soap12: "SOAP 1.2"
        case .http: "HTTP"
        case .other(let namespace): namespace
        }
    }
}
#endif
