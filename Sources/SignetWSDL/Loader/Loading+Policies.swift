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

/// Where policies count: at a port, for an operation there, or for an operation at all ports that have no policies of their own.
package struct PolicyPlace: Sendable, Hashable {
    var port: SourceLocation?
    var operation: SourceLocation?
}

/// The state of judging.
private struct PolicyJudge {
    /// What is attached to the operations of a binding, and to the binding itself.
    private struct Attached {
        var ways: PolicyEvaluation.Ways
        var requirements: PolicyRequirements
        var operations: [(name: String, location: SourceLocation, own: [PolicyNode], answer: [PolicyNode])]
        /// Whether what holds for the operations of ports without policies has been found.
        var isJudged = false
    }

    private let definitions: WSDLDefinitions
    private var evaluation: PolicyEvaluation
    private(set) var found: [PolicyPlace: PolicyRequirements] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    private var bindings: [QName: Attached] = [:]
    /// The bindings that ports have, of whatever use these are.
    private var used: Set<QName> = []
    /// What is not done, and who asks for it first.
    private var reports: [(item: PolicyRequirements.Unsupported, subject: String, count: Int)] = []
    private var reported: [PolicyRequirements.Unsupported: Int] = [:]

    init(_ definitions: WSDLDefinitions) {
        self.definitions = definitions
        evaluation = PolicyEvaluation(definitions.policies)
    }

    mutating func judge(_ port: Port, of service: Service) {
        used.insert(port.binding)
        guard let binding = definitions.bindings[port.binding], definitions.reasonNotUsable(port) == nil else { return }
        let attached = attached(to: binding)
        let own = Self.expressions(service.policies + port.policies)
        let ways = own.isEmpty ? attached.ways : evaluation.combine(evaluation.ways(of: own), attached.ways)
        let requirements = own.isEmpty ? attached.requirements : ways.requirements(at: port.location)
        enter(requirements, "the port ‘\(port.name)’", PolicyPlace(port: port.location), port.location)
        if requirements.tls, let address = port.address, address.lowercased().hasPrefix("http:") {
            diagnostics.append(
                Diagnostic(
                    .warning,
                    "the policies of the port ‘\(port.name)’ demand TLS, but its address ‘\(address)’ is without: calls need "
                        + "an address with https.", at: port.location))
        }
        if own.isEmpty {
            judgeOnce(binding)
        } else {
            judge(attached, ways, requirements, at: port.location)
        }
    }

    /// A profile of devices has no ports.
    mutating func judgeAlone(_ binding: Binding) {
        if used.contains(binding.name) { return }
        let attached = attached(to: binding)
        enter(attached.requirements, "the binding ‘\(binding.name.localName)’", PolicyPlace(), binding.location)
        judgeOnce(binding)
    }

    private mutating func judgeOnce(_ binding: Binding) {
        let attached = attached(to: binding)
        if attached.isJudged { return }
        bindings[binding.name]?.isJudged = true
        judge(attached, attached.ways, attached.requirements, at: nil)
    }

    private mutating func attached(to binding: Binding) -> Attached {
        if let known = bindings[binding.name] { return known }
        let nodes = policies(of: binding)
        let ways = nodes.isEmpty ? .all : evaluation.ways(of: nodes)
        var result = Attached(ways: ways, requirements: ways.requirements(at: binding.location), operations: [])
        let operations = definitions.portTypes[binding.portType]?.operations ?? []
        let abstracts = Dictionary(operations.map { ($0.name, $0) }) { first, _ in first }
        for operation in binding.operations {
            let abstract = abstracts[operation.name]
            let own = Self.expressions(
                operation.policies + (abstract?.policies ?? []) + policies(of: operation.input, abstract?.input))
            let answer = Self.expressions(policies(of: operation.output, abstract?.output))
            if own.isEmpty, answer.isEmpty { continue }
            result.operations.append((operation.name, operation.location, own, answer))
        }
        bindings[binding.name] = result
        return result
    }

    /// - Parameter port: nil for all that have no policies of their own.
    private mutating func judge(
        _ attached: Attached, _ around: PolicyEvaluation.Ways, _ shared: PolicyRequirements, at port: SourceLocation?
    ) {
        for operation in attached.operations {
            if !operation.own.isEmpty {
                let ways = evaluation.combine(around, evaluation.ways(of: operation.own))
                var requirements = ways.requirements(at: operation.location)
                if requirements.choices == shared.choices { requirements.choices = [] }
                let place = PolicyPlace(port: port, operation: operation.location)
                enter(requirements, "the operation ‘\(operation.name)’", place, operation.location)
                // It goes before what holds for other ports.
                if port != nil { found[place] = requirements }
            }
            if !operation.answer.isEmpty {
                let ways = evaluation.combine(around, evaluation.ways(of: operation.answer))
                for item in ways.requirements(at: operation.location).unsupported
                where !shared.unsupported.contains(item) {
                    report(item, "the answer of the operation ‘\(operation.name)’")
                }
            }
            // What comes then is as little known, and said already.
            if evaluation.isExhausted { return }
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
            ?? requirements[PolicyPlace(operation: operation.location)]
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
