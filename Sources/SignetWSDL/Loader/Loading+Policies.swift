extension Loading {
    /// Finds what the policies of each port and of each operation ask for, and says what of it Signet does not do.
    mutating func judgePolicies() {
        var judge = PolicyJudge(definitions)
        for service in definitions.services {
            for port in service.ports { judge.judge(port, of: service) }
        }
        for binding in definitions.bindings.values.sorted(by: { $0.name < $1.name }) { judge.judgeAlone(binding) }
        definitions.requirements = judge.found
        definitions.diagnostics += judge.diagnostics + judge.warnings
    }
}

/// Where policies count: at a port, or for an operation there. A binding may have no port.
package struct PolicyPlace: Sendable, Hashable {
    var port: SourceLocation?
    var operation: SourceLocation?
}

/// The state of judging.
private struct PolicyJudge {
    private let definitions: WSDLDefinitions
    private var evaluation: PolicyEvaluation
    private(set) var found: [PolicyPlace: PolicyRequirements] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    /// Bindings that a port has.
    private var judged: Set<QName> = []
    /// What is not done, and who asks for it first.
    private var reports: [(item: PolicyRequirements.Unsupported, subject: String, count: Int)] = []
    private var reported: [PolicyRequirements.Unsupported: Int] = [:]

    init(_ definitions: WSDLDefinitions) {
        self.definitions = definitions
        evaluation = PolicyEvaluation(definitions.policies)
    }

    mutating func judge(_ port: Port, of service: Service) {
        guard let binding = definitions.bindings[port.binding] else { return }
        judged.insert(port.binding)
        if definitions.reasonNotUsable(port) != nil { return }
        let nodes = Self.expressions(service.policies + port.policies) + policies(of: binding)
        let ways = nodes.isEmpty ? .all : evaluation.ways(of: nodes)
        let requirements = ways.requirements(at: port.location)
        let place = PolicyPlace(port: port.location)
        enter(requirements, "the port ‘\(port.name)’", place, port.location)
        if requirements.tls, let address = port.address, address.lowercased().hasPrefix("http:") {
            diagnostics.append(
                Diagnostic(
                    .warning,
                    "the policies of the port ‘\(port.name)’ demand TLS, but its address ‘\(address)’ is without: calls need "
                        + "an address with https.", at: port.location))
        }
        judge(binding, ways, requirements, place)
    }

    /// A profile of devices has no ports.
    mutating func judgeAlone(_ binding: Binding) {
        if judged.contains(binding.name) { return }
        let nodes = policies(of: binding)
        let ways = nodes.isEmpty ? .all : evaluation.ways(of: nodes)
        let requirements = ways.requirements(at: binding.location)
        enter(requirements, "the binding ‘\(binding.name.localName)’", PolicyPlace(), binding.location)
        judge(binding, ways, requirements, PolicyPlace())
    }

    private mutating func judge(
        _ binding: Binding, _ around: PolicyEvaluation.Ways, _ shared: PolicyRequirements, _ place: PolicyPlace
    ) {
        let operations = definitions.portTypes[binding.portType]?.operations ?? []
        let abstracts = Dictionary(operations.map { ($0.name, $0) }) { first, _ in first }
        for operation in binding.operations {
            let abstract = abstracts[operation.name]
            let own = Self.expressions(
                operation.policies + (abstract?.policies ?? []) + policies(of: operation.input, abstract?.input))
            if !own.isEmpty {
                let ways = evaluation.combine(around, evaluation.ways(of: own))
                var requirements = ways.requirements(at: operation.location)
                if requirements.choices == shared.choices { requirements.choices = [] }
                var place = place
                place.operation = operation.location
                enter(requirements, "the operation ‘\(operation.name)’", place, operation.location)
            }
            let answer = Self.expressions(policies(of: operation.output, abstract?.output))
            if !answer.isEmpty {
                let ways = evaluation.combine(around, evaluation.ways(of: answer))
                for item in ways.requirements(at: operation.location).unsupported
                where !shared.unsupported.contains(item) {
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

    private mutating func enter(
        _ requirements: PolicyRequirements, _ subject: String, _ place: PolicyPlace, _ location: SourceLocation
    ) {
        if requirements.isEmpty { return }
        found[place] = requirements
        for item in requirements.unsupported { report(item, subject) }
        if requirements.choices.isEmpty { return }
        let choices = requirements.choices.prefix(4).map { $0.map(\.description).joined(separator: ", ") }
        diagnostics.append(
            Diagnostic(
                .warning,
                "the policies of \(subject) leave a choice: \(choices.joined(separator: "; or "))"
                    + "\(requirements.choices.count > 4 ? "; or more" : ""). It is yours to make: calls are checked only for what "
                    + "all have in common.", at: location))
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
    /// What the policies of a port ask of every call.
    package func requirements(of port: Port) -> PolicyRequirements {
        requirements[PolicyPlace(port: port.location)] ?? .init()
    }

    /// What the policies of an operation ask for at a port, those of its binding and of the port included; nil where the operation has
    /// none of its own.
    package func requirements(of operation: BindingOperation, at port: Port) -> PolicyRequirements? {
        requirements[PolicyPlace(port: port.location, operation: operation.location)]
    }

    /// What an operation asks for beyond its port.
    package func requirements(of operation: BindingOperation, beyond port: Port) -> [PolicyRequirement] {
        guard let own = requirements(of: operation, at: port) else { return [] }
        let known = requirements(of: port).list
        return own.list.filter { !known.contains($0) }
    }

    /// What an operation asks for at all of these ports and not all of the ports ask for themselves. What one alone asks for would be
    /// wrong at the others.
    package func requirements(of bound: [(operation: BindingOperation, port: Port)]) -> [PolicyRequirement] {
        let demands = bound.map { operation, port in
            let shared = requirements(of: port).list
            return (own: requirements(of: operation, at: port)?.list ?? shared, shared: shared)
        }
        guard let first = demands.first else { return [] }
        return first.own.filter { item in
            demands.allSatisfy { $0.own.contains(item) } && !demands.allSatisfy { $0.shared.contains(item) }
        }
    }
}
