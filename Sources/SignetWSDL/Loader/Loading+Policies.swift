extension Loading {
    /// Evaluates the policies of each port and each operation, and reports the requirements that Signet does not
    /// implement.
    mutating func evaluatePolicies() {
        var judge = PolicyEvaluator(definitions)
        for service in definitions.services {
            for port in service.ports { judge.judge(port, of: service) }
        }
        for binding in definitions.bindings.values.sorted(by: { $0.name < $1.name }) {
            judge.evaluateWithoutPort(binding)
        }
        definitions.requirements = judge.found
        definitions.diagnostics += judge.diagnostics + judge.warnings
    }
}

/// Where policies apply: at a port, for an operation there, or for an operation at all ports that have no policies of
/// their own.
package struct PolicyPlace: Sendable, Hashable {
    var port: SourceLocation?
    var operation: SourceLocation?
}

/// The state of the evaluation of all policies.
private struct PolicyEvaluator {
    /// The policies attached to the operations of a binding, and to the binding itself.
    private struct Attached {
        var ways: PolicyEvaluation.Ways
        var requirements: PolicyRequirements
        var operations: [AttachedOperation]
        /// Whether the operations of ports without own policies have been evaluated.
        var isJudged = false
    }

    /// The policies of one operation.
    private struct AttachedOperation {
        var name: String
        var location: SourceLocation
        /// Those of both messages.
        var common: [PolicyNode]
        var request: [PolicyNode]
        var answer: [PolicyNode]
        var hasAnswer: Bool
    }

    private let definitions: WSDLDefinitions
    private var evaluation: PolicyEvaluation
    private(set) var found: [PolicyPlace: PolicyRequirements] = [:]
    private(set) var diagnostics: [Diagnostic] = []
    private var bindings: [QName: Attached] = [:]
    /// The bindings that ports refer to, whether these can be used or not.
    private var used: Set<QName> = []
    /// The unsupported requirements, each with the first subject that has it.
    private var reports: [(item: PolicyRequirements.Unsupported, subject: String, count: Int)] = []
    /// What warnings have named.
    private var warned: Set<String> = []
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

    /// Device profiles declare bindings without ports.
    mutating func evaluateWithoutPort(_ binding: Binding) {
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
            let attached = AttachedOperation(
                name: operation.name, location: operation.location,
                common: Self.expressions(operation.policies + (abstract?.policies ?? [])),
                request: Self.expressions(policies(of: operation.input, abstract?.input)),
                answer: Self.expressions(policies(of: operation.output, abstract?.output)),
                hasAnswer: operation.output != nil || abstract?.output != nil)
            if attached.common.isEmpty, attached.request.isEmpty, attached.answer.isEmpty { continue }
            result.operations.append(attached)
        }
        bindings[binding.name] = result
        return result
    }

    /// - Parameter port: nil for all ports that have no policies of their own.
    private mutating func judge(
        _ attached: Attached, _ around: PolicyEvaluation.Ways, _ shared: PolicyRequirements, at port: SourceLocation?
    ) {
        for operation in attached.operations {
            let location = operation.location
            let place = PolicyPlace(port: port, operation: location)
            // Later requirements are equally unknown, and the warning is already recorded.
            if evaluation.isExhausted {
                if shared.asymmetric == nil { return }
                var requirements = shared
                requirements.refusal = "policies that were not judged"
                found[place] = requirements
                continue
            }
            let own = evaluation.ways(of: operation.common + operation.request)
            var requirements = evaluation.combine(around, own).requirements(at: location)
            if requirements.choices == shared.choices { requirements.choices = [] }
            if !operation.hasAnswer {
                requirements.asymmetric?.answer = .init()
            } else if !operation.answer.isEmpty || requirements.asymmetric != shared.asymmetric {
                let ways = evaluation.ways(of: operation.common + operation.answer)
                let answer = evaluation.combine(around, ways).requirements(at: location)
                requirements.asymmetric?.answer = answer.asymmetric?.request ?? .init()
                requirements.refusal = requirements.refusal ?? answer.refusal
                for item in answer.unsupported
                where !shared.unsupported.contains(item) && !requirements.unsupported.contains(item) {
                    report(item, "the answer of the operation ‘\(operation.name)’")
                }
            }
            // A client must not call with what the port alone demands.
            if shared.asymmetric != nil, requirements.asymmetric == nil, requirements.refusal == nil {
                requirements.refusal = requirements.unsupported.first?.text
            }
            let isAlone = operation.common.isEmpty && operation.request.isEmpty
            if !isAlone || requirements.asymmetric != shared.asymmetric || requirements.refusal != shared.refusal {
                enter(requirements, "the operation ‘\(operation.name)’", place, location)
                // It takes precedence over what applies to other ports.
                if port != nil { found[place] = requirements }
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

    /// The policy nodes without `UsingAddressing`, which is an extension of WSDL and not a policy.
    private static func expressions(_ nodes: [PolicyNode]) -> [PolicyNode] {
        nodes.filter { if case .assertion = $0 { false } else { true } }
    }

    private mutating func enter(
        _ requirements: PolicyRequirements, _ subject: String, _ place: PolicyPlace, _ location: SourceLocation
    ) {
        if requirements.isEmpty { return }
        found[place] = requirements
        for weakness in requirements.asymmetric?.weaknesses ?? [] where warned.insert(weakness).inserted {
            diagnostics.append(Diagnostic(.warning, "the policies of \(subject) demand \(weakness)", at: location))
        }
        for item in requirements.unsupported { report(item, subject) }
        if requirements.choices.isEmpty { return }
        let choices = requirements.choices.prefix(4).map { $0.map(\.description).joined(separator: ", ") }
        diagnostics.append(
            Diagnostic(
                .warning,
                "the policies of \(subject) leave a choice: \(choices.joined(separator: "; or "))"
                    + "\(requirements.choices.count > 4 ? "; or more" : ""). Choose one of them: Signet checks calls only for the "
                    + "requirements that all of them have in common.", at: location))
    }

    private mutating func report(_ item: PolicyRequirements.Unsupported, _ subject: String) {
        // A requirement that could not be evaluated is the same at every place.
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

    /// One warning for each unsupported requirement.
    var warnings: [Diagnostic] {
        reports.map { item, subject, count in
            let subjects = count > 1 ? "\(subject) (and \(count - 1) more)" : subject
            let text =
                item.isJudged
                ? "the policies of \(subjects) demand \(item.text). Signet does not do that by itself, and calls "
                    + "without it are refused."
                : "it is not known what the policies of \(subjects) demand: \(item.text)."
            return Diagnostic(.warning, text, at: item.location)
        }
    }
}

extension WSDLDefinitions {
    /// The requirements of a port's policies for every call.
    package func requirements(of port: Port) -> PolicyRequirements {
        requirements[PolicyPlace(port: port.location)] ?? .init()
    }

    /// The requirements of an operation's policies at a port, including those of its binding and of the port; nil when
    /// the operation has no policies of its own.
    package func requirements(of operation: BindingOperation, at port: Port) -> PolicyRequirements? {
        requirements[PolicyPlace(port: port.location, operation: operation.location)]
            ?? requirements[PolicyPlace(operation: operation.location)]
    }

    /// The requirements of an operation that its port does not have.
    package func requirements(of operation: BindingOperation, beyond port: Port) -> [PolicyRequirement] {
        guard let own = requirements(of: operation, at: port) else { return [] }
        let known = requirements(of: port).list
        return own.list.filter { !known.contains($0) }
    }

    /// The requirements that an operation has at all of these ports and that not every port has itself. A requirement
    /// of one port would be wrong at the others.
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
