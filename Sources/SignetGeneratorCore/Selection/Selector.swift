import SignetWSDL

/// The first stage: picks the service, its SOAP 1.1 port and the operations that are wanted and can be made.
struct Selector {
    let definitions: WSDLDefinitions
    let options: GeneratorOptions
    var diagnostics: Diagnostics

    /// Nil after an error, which is among the diagnostics.
    mutating func select() -> SelectedService? {
        guard let service = selectService(), let (port, binding) = selectPort(of: service) else { return nil }
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
        return diagnostics.hasErrors
            ? nil
            : SelectedService(
                service: service, port: port,
                documentation: service.documentation ?? portType.documentation ?? definitions.documentation,
                operations: operations)
    }

    private mutating func selectService() -> Service? {
        let names = definitions.services.map(\.name.localName)
        if let wanted = options.service {
            if let service = definitions.services.first(where: { $0.name.localName == wanted }) { return service }
            diagnostics.error(
                "there is no service ‘\(wanted)’; this WSDL has \(names.isEmpty ? "none" : names.quotedList()).",
                at: definitions.location)
            return nil
        }
        let usable = definitions.services.filter { service in
            service.ports.contains { definitions.bindings[$0.binding]?.reasonNotUsable == nil }
        }
        let candidates = usable.isEmpty ? definitions.services : usable
        guard let first = candidates.first else {
            diagnostics.error(
                "this WSDL has no service; name the WSDL that holds the ‘service’ element.", at: definitions.location)
            return nil
        }
        if candidates.count > 1 {
            diagnostics.error(
                "this WSDL has several services; choose one with --service: \(names.quotedList(limit: 20)).",
                at: first.location)
            return nil
        }
        return first
    }

    private mutating func selectPort(of service: Service) -> (Port, Binding)? {
        var chosen: (Port, Binding)?
        var reasons: [String] = []
        for port in service.ports {
            guard let binding = definitions.bindings[port.binding] else {
                diagnostics.error(
                    "the port ‘\(port.name)’ names the binding \(port.binding), which is not there.", at: port.location)
                return nil
            }
            if let reason = binding.reasonNotUsable {
                reasons.append("port ‘\(port.name)’: \(reason)")
            } else if let (_, first) = chosen {
                if first.portType != binding.portType {
                    diagnostics.warning(
                        "the port ‘\(port.name)’ has another portType than the first SOAP 1.1 port; it is left out.",
                        at: port.location)
                }
            } else {
                chosen = (port, binding)
            }
        }
        if chosen == nil {
            let why = reasons.isEmpty ? "it has no port" : reasons.joined(separator: "; ")
            diagnostics.error(
                "no code can be made for the service ‘\(service.name.localName)’, because no port of it is bound to SOAP 1.1 "
                    + "over HTTP (\(why)).", at: service.location)
        }
        return chosen
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
