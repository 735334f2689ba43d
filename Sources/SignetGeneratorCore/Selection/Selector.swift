import SignetWSDL

/// The first stage: picks the service, its ports and the operations that are wanted and can be made.
struct Selector {
    let definitions: WSDLDefinitions
    let options: GeneratorOptions
    var diagnostics: Diagnostics

    /// Nil after an error, which is among the diagnostics.
    mutating func select() -> SelectedService? {
        guard let service = selectService(), let (primary, others) = selectPorts(of: service) else { return nil }
        let binding = primary.binding
        guard let portType = definitions.portTypes[binding.portType] else {
            diagnostics.error(
                "the binding ‘\(binding.name.localName)’ names the portType \(binding.portType), which is not there.",
                at: binding.location)
            return nil
        }
        let operations = selectOperations(of: binding, portType)
        if operations.isEmpty && !diagnostics.hasErrors {
            diagnostics.error("the service ‘\(service.name.localName)’ has no operation.", at: service.location)
        }
        guard !diagnostics.hasErrors else { return nil }
        return SelectedService(
            service: service, ports: [primary] + others.filter { speaks($0, operations) },
            documentation: service.documentation ?? portType.documentation ?? definitions.documentation,
            operations: operations)
    }

    private mutating func selectOperations(of binding: Binding, _ portType: PortType) -> [SelectedOperation] {
        let present = binding.operations.map(\.name)
        for wanted in options.operations ?? [] where !present.contains(wanted) {
            diagnostics.error(
                "there is no operation ‘\(wanted)’; the binding ‘\(binding.name.localName)’ has \(present.quotedList(limit: 40)).",
                at: binding.location)
        }
        if options.operations == nil {
            for operation in portType.operations where !present.contains(operation.name) {
                diagnostics.warning(
                    "the operation ‘\(operation.name)’ is not bound; it is left out.", at: operation.location)
            }
        }
        var operations: [SelectedOperation] = []
        for bound in binding.operations where options.operations?.contains(bound.name) ?? true {
            guard let abstract = find(bound, in: portType) else {
                diagnostics.error(
                    "the operation ‘\(bound.name)’ is bound, but the portType ‘\(portType.name.localName)’ does not have it"
                        + Self.advice, at: bound.location)
                continue
            }
            if let operation = select(bound, abstract, binding) { operations.append(operation) }
        }
        reportSharedInputs(operations)
        return operations
    }

    /// An overloaded operation is told apart by the names of its messages (WSDL 1.1 §2.5).
    private func find(_ bound: BindingOperation, in portType: PortType) -> Operation? {
        let named = portType.operations.filter { $0.name == bound.name }
        guard named.count > 1 else { return named.first }
        return named.first { $0.input?.name == bound.input?.name && $0.output?.name == bound.output?.name }
    }

    private mutating func reportSharedInputs(_ operations: [SelectedOperation]) {
        var first: [QName: String] = [:]
        for operation in operations {
            if let other = first[operation.input] {
                diagnostics.warning(
                    "the operations ‘\(other)’ and ‘\(operation.name)’ have the same input element; a server can tell "
                        + "operations apart by it only and will take every such message for ‘\(other)’.",
                    at: operation.location)
            } else {
                first[operation.input] = operation.name
            }
        }
    }

    static let advice = "; leave it out with --operations."
}
