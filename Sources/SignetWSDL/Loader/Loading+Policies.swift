extension Loading {
    /// Finds what the policies of each port and of each operation ask for, and says what of it Signet does not do.
    mutating func judgePolicies() {
        var judge = PolicyJudge(definitions)
        for service in definitions.services {
            for port in service.ports { judge.judge(port, of: service) }
        }
        for binding in definitions.bindings.values.sorted(by: { $0.name < $1.name }) { judge.judge(binding) }
        definitions.requirements = judge.found
        definitions.diagnostics += judge.diagnostics + judge.warnings
    }
}

/// The state of judging.
private struct PolicyJudge {
    private let definitions: WSDLDefinitions
    private var evaluation: PolicyEvaluation
    /// By the place of the port or of the binding's operation.
    private(set) var found: [SourceLocation: PolicyRequirements] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    /// For each binding the policies of a service and a port that use it.
    private var outer: [QName: [PolicyNode]] = [:]
    /// What is not done, and who asks for it first.
    private var reports: [(item: PolicyRequirements.Unsupported, subject: String, count: Int)] = []
    private var reported: [PolicyRequirements.Unsupported: Int] = [:]

    init(_ definitions: WSDLDefinitions) {
        self.definitions = definitions
        evaluation = PolicyEvaluation(definitions.policies)
    }

    mutating func judge(_ port: Port, of service: Service) {
        let binding = definitions.bindings[port.binding]
        let outer = service.policies + port.policies
        if self.outer[port.binding] == nil { self.outer[port.binding] = outer }
        let nodes = outer + policies(of: binding)
        if nodes.isEmpty { return }
        let requirements = evaluation.requirements(of: nodes, at: port.location)
        enter(requirements, "the port ‘\(port.name)’", at: port.location)
        if requirements.tls, let address = port.address, address.lowercased().hasPrefix("http:") {
            diagnostics.append(
                Diagnostic(
                    .warning,
                    "the policies of the port ‘\(port.name)’ demand TLS, but its address ‘\(address)’ is without: calls need "
                        + "an address with https.", at: port.location))
        }
    }

    mutating func judge(_ binding: Binding) {
        let port = outer[binding.name]
        let around = (port ?? []) + policies(of: binding)
        var whole: PolicyRequirements?
        if port == nil, !around.isEmpty {
            // A profile of devices has no ports.
            let requirements = evaluation.requirements(of: around, at: binding.location)
            enter(requirements, "the binding ‘\(binding.name.localName)’", at: binding.location)
            whole = requirements
        }
        let operations = definitions.portTypes[binding.portType]?.operations ?? []
        let abstracts = Dictionary(operations.map { ($0.name, $0) }) { first, _ in first }
        for operation in binding.operations {
            let abstract = abstracts[operation.name]
            let own =
                operation.policies + (abstract?.policies ?? [])
                + policies(of: operation.input, abstract?.input)
            if !own.isEmpty {
                let requirements = evaluation.requirements(of: around + own, at: operation.location)
                enter(requirements, "the operation ‘\(operation.name)’", at: operation.location)
            }
            let answer = policies(of: operation.output, abstract?.output)
            if !answer.isEmpty {
                let shared = whole ?? evaluation.requirements(of: around, at: binding.location)
                whole = shared
                let requirements = evaluation.requirements(of: around + answer, at: operation.location)
                for item in requirements.unsupported where !shared.unsupported.contains(item) {
                    report(item, "the answer of the operation ‘\(operation.name)’")
                }
            }
        }
    }

    private func policies(of binding: Binding?) -> [PolicyNode] {
        guard let binding else { return [] }
        return Self.expressions(binding.policies + (definitions.portTypes[binding.portType]?.policies ?? []))
    }

    private func policies(of bound: BindingMessage?, _ use: MessageUse?) -> [PolicyNode] {
        let message = use.flatMap { definitions.messages[$0.message] }
        return (bound?.policies ?? []) + (use?.policies ?? []) + (message?.policies ?? [])
    }

    /// Without `UsingAddressing`, which is an extension of the WSDL and no policy.
    private static func expressions(_ nodes: [PolicyNode]) -> [PolicyNode] {
        nodes.filter { if case .assertion = $0 { false } else { true } }
    }

    private mutating func enter(_ requirements: PolicyRequirements, _ subject: String, at place: SourceLocation) {
        if requirements.isEmpty { return }
        found[place] = requirements
        for item in requirements.unsupported { report(item, subject) }
    }

    private mutating func report(_ item: PolicyRequirements.Unsupported, _ subject: String) {
        // What could not be judged is the same at whatever place.
        let key =
            item.isJudged
            ? item : .init(text: item.text, location: definitions.location, isJudged: false)
        if let index = reported[key] {
            reports[index].count += 1
        } else {
            reported[key] = reports.count
            reports.append((item, subject, 1))
        }
    }

    /// A warning for each thing that is not done.
    var warnings: [Diagnostic] {
        reports.map { item, subject, count in
            let subjects = count > 1 ? "\(subject) (and \(count - 1) more)" : subject
            let text =
                item.isJudged
                ? "the policies of \(subjects) demand \(item.text). Signet does not do that by itself, and the service will "
                    + "refuse calls without it."
                : "it is not known what the policies of \(subjects) demand: \(item.text)."
            return Diagnostic(.warning, text, at: item.location)
        }
    }
}

extension WSDLDefinitions {
    /// What the policies of a port ask for.
    package func requirements(of port: Port) -> PolicyRequirements { requirements[port.location] ?? .init() }

    /// What the policies of a port ask of every call, and what those of its operations ask of the way there, which all share.
    package func requirements(of port: Port, binding: Binding, operations: Set<String>? = nil) -> PolicyRequirements {
        var result = requirements(of: port)
        for operation in binding.operations where operations?.contains(operation.name) ?? true {
            if let own = requirements(of: operation) { result.merge(own.way) }
        }
        return result
    }

    /// What an operation asks for beyond its port.
    package func requirements(of operation: BindingOperation, beyond port: PolicyRequirements) -> [PolicyRequirement] {
        let known = port.list
        return (requirements(of: operation)?.list ?? []).filter { !known.contains($0) }
    }

    /// What the policies of an operation ask for, those of its binding and of the port included; nil where the operation has none of
    /// its own.
    package func requirements(of operation: BindingOperation) -> PolicyRequirements? {
        requirements[operation.location]
    }
}
