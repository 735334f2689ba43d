import SignetWSDL

/// The first stage: selects the service, its ports, and the requested operations that can be generated.
struct Selector {
    let definitions: WSDLDefinitions
    let options: GeneratorOptions
    var diagnostics: Diagnostics
    /// The reasons why operations cannot be generated.
    var refusals: [Diagnostic] = []
    /// The WSDL messages of the types that are made for them.
    var taken: [TypeKey: QName] = [:]
    /// Whether the WSDL uses WS-Addressing.
    var speaksOfAddressing = false

    init(definitions: WSDLDefinitions, options: GeneratorOptions, diagnostics: Diagnostics) {
        self.definitions = definitions
        self.options = options
        self.diagnostics = diagnostics
    }

    /// Selects the service; nil after an error, which is among the diagnostics.
    mutating func select() -> SelectedService? {
        guard let service = selectService(), let (primary, others) = selectPorts(of: service) else { return nil }
        let binding = primary.binding
        guard let resolved = definitions.resolved(primary.port) else { return nil }
        if let defect = resolved.defect {
            diagnostics.add(defect)
            return nil
        }
        speaksOfAddressing = definitions.speaksOfAddressing(primary.port)
        let operations = selectOperations(of: resolved)
        if operations.isEmpty && !diagnostics.hasErrors {
            diagnostics.error("the service ‘\(service.name.localName)’ has no operation.", at: service.location)
        }
        guard !diagnostics.hasErrors else { return nil }
        var selected = SelectedService(
            service: service, ports: [primary] + others.filter { speaks($0, operations) },
            documentation: service.documentation ?? definitions.portTypes[binding.portType]?.documentation
                ?? definitions.documentation,
            operations: operations)
        addRequirements(to: &selected)
        return selected
    }

    /// Adds the requirements of the policies.
    private func addRequirements(to service: inout SelectedService) {
        if definitions.requirements.isEmpty { return }
        var bound: [Int: [(operation: BindingOperation, port: Port)]] = [:]
        for index in service.ports.indices {
            let (port, binding) = (service.ports[index].port, service.ports[index].binding)
            let requirements = definitions.requirements(of: port)
            service.ports[index].requirements = requirements.list
            service.ports[index].accepted = requirements.accepted
            for (place, operation) in boundOperations(of: binding) {
                bound[place, default: []].append((operation, port))
            }
        }
        for index in service.operations.indices {
            let places = service.operations[index].portTypeIndex.flatMap { bound[$0] } ?? []
            service.operations[index].requirements = definitions.requirements(of: places)
        }
        // What an operation demands at one port only stands with the port.
        for index in service.ports.indices {
            let (port, binding) = (service.ports[index].port, service.ports[index].binding)
            var found: [(name: String, requirements: [PolicyRequirement])] = []
            for (place, operation) in boundOperations(of: binding).sorted(by: { $0.key < $1.key }) {
                guard let selected = service.operations.first(where: { $0.portTypeIndex == place }) else { continue }
                let own = definitions.requirements(of: operation, beyond: port).filter {
                    !selected.requirements.contains($0)
                }
                if own.isEmpty { continue }
                // Operations of one name are told apart by their messages, and a client by its name alone.
                if let known = found.firstIndex(where: { $0.name == operation.name }) {
                    for item in own where !found[known].requirements.contains(item) {
                        found[known].requirements.append(item)
                    }
                    let bindings = found[known].requirements.filter {
                        if case .asymmetricBinding = $0 { true } else { false }
                    }
                    if bindings.count > 1 {
                        found[known].requirements.append(.unsupported("different signatures of operations of one name"))
                    }
                } else {
                    found.append((operation.name, own))
                }
            }
            service.ports[index].operations = found
        }
    }

    private mutating func selectOperations(of port: ResolvedPort) -> [SelectedOperation] {
        let binding = port.binding
        let names = binding.operations.map(\.name)
        let present = Set(names)
        for wanted in options.operations ?? [] where !present.contains(wanted) {
            diagnostics.error(
                "there is no operation ‘\(wanted)’\(NearMatch.hint(wanted, among: names)) The binding "
                    + "‘\(binding.name.localName)’ has \(names.quotedList(limit: 40)).",
                at: options.place(of: wanted, under: "operations", else: binding.location))
        }
        if options.operations == nil {
            for omission in port.unbound { report(omission) }
        }
        let wanted = options.operations.map(Set.init)
        let operations = port.operations.filter { wanted?.contains($0.name) ?? true }.compactMap {
            select($0, binding.portType)
        }
        reportRefusals(isAnyLeft: !operations.isEmpty)
        // Without SOAP no server is generated that would have to choose.
        if binding.format != .http { reportSharedInputs(operations) }
        return operations
    }

    /// An operation that the options name must be generated; another one is left out when it cannot be, as long as one
    /// operation remains.
    private mutating func reportRefusals(isAnyLeft: Bool) {
        let isError = options.operations != nil || !isAnyLeft
        for refusal in refusals {
            if isError {
                diagnostics.error(refusal.message + Self.advice, at: refusal.location)
            } else {
                let end = options.isStrict ? Self.advice : "; it is left out."
                diagnostics.leftOut(refusal.message + end, at: refusal.location, isError: options.isStrict)
            }
        }
        refusals = []
    }

    /// Warns of operations that a server cannot tell apart: it selects by the body's element, and by the action when
    /// several operations have that element.
    private mutating func reportSharedInputs(_ operations: [SelectedOperation]) {
        struct Input: Hashable {
            var element: QName?
            var action: String
        }
        var first: [Input: String] = [:]
        for operation in operations {
            let input = Input(element: operation.input.element, action: operation.soapAction)
            if let other = first[input] {
                diagnostics.warning(
                    "the operations ‘\(other)’ and ‘\(operation.name)’ have the same input element and soapAction; a server "
                        + "can tell operations apart by these only and will take every such message for the first one.",
                    at: operation.location)
            } else {
                first[input] = operation.name
            }
        }
    }

    /// The advice when a component cannot be generated.
    static let advice =
        "; to do without it, name the operations to make, with --operations or under ‘operations’ in a configuration."
}
