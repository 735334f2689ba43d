import SignetWSDL

extension Selector {
    mutating func selectService() -> Service? {
        if let wanted = options.service {
            let services = definitions.servicesOrBindings
            if let service = services.first(where: { $0.name.localName == wanted }) { return service }
            diagnostics.error(
                definitions.reasonForNoService(wanted),
                at: options.place(of: wanted, under: "service", else: definitions.location))
            return nil
        }
        let candidates = definitions.candidates
        guard let first = candidates.first else {
            diagnostics.error(
                "this WSDL has no service; name the WSDL that holds the ‘service’ element.", at: definitions.location)
            return nil
        }
        var (joined, others) = join(first, candidates)
        if let port = options.port, !joined.ports.contains(where: { $0.name == port }),
            let holder = definitions.candidates(holding: port).first
        {
            (joined, others) = join(holder, candidates)
        }
        if !others.isEmpty {
            diagnostics.warning(
                "this WSDL has several services; code is made for ‘\(joined.name.localName)’. Choose another with --service: "
                    + "\(others.map(\.name.localName).quotedList(limit: 20)).", at: joined.location)
        }
        return joined
    }

    /// Joins services with the same operations: they are one service at several addresses.
    private func join(_ first: Service, _ services: [Service]) -> (service: Service, others: [Service]) {
        let primary = definitions.primaryPort(of: first, wanted: options.port)
        let portType = primary.flatMap { definitions.bindings[$0.binding]?.portType }
        var joined = first
        var others: [Service] = []
        for service in services where service.name != first.name {
            let ports = service.ports.filter { definitions.bindings[$0.binding]?.portType == portType }
            if ports.isEmpty { others.append(service) } else { joined.ports += ports }
        }
        return (joined, others)
    }

    private func bound(_ port: Port) -> BoundPort? {
        definitions.bindings[port.binding].map {
            BoundPort(port: port, binding: $0, addressing: definitions.addressing(of: port))
        }
    }

    /// The primary port, and the others of the same portType.
    mutating func selectPorts(of service: Service) -> (primary: BoundPort, others: [BoundPort])? {
        if definitions.services.isEmpty {
            diagnostics.note(
                "this WSDL has no service; the bindings of ‘\(service.name.localName)’ are used as one, without an address.",
                at: service.location)
        }
        let usable = definitions.usablePorts(of: service, wanted: options.port).compactMap(bound)
        let reasons = service.ports.compactMap { port in
            definitions.reasonNotUsable(port).map { "port ‘\(port.name)’: \($0)" }
        }
        if let wanted = options.port, !usable.contains(where: { $0.port.name == wanted }) {
            let why = reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))"
            diagnostics.error(
                "there is no port ‘\(wanted)’ that can be used; the service ‘\(service.name.localName)’ has "
                    + "\(usable.isEmpty ? "none" : usable.map(\.port.name).quotedList())\(why).",
                at: options.place(of: wanted, under: "port", else: service.location))
            return nil
        }
        guard let primary = definitions.primaryPort(of: service, wanted: options.port).flatMap(bound) else {
            let why = reasons.isEmpty ? "it has no port" : reasons.joined(separator: "; ")
            diagnostics.error(
                "no code can be made for the service ‘\(service.name.localName)’, because no port of it is bound to SOAP "
                    + "over HTTP, or to HTTP alone (\(why)).", at: service.location)
            return nil
        }
        var others: [BoundPort] = []
        for other in usable where other.port.name != primary.port.name {
            // Without SOAP each binding has its own method and locations.
            let isOne =
                primary.binding.format == .http
                ? other.binding.name == primary.binding.name : other.binding.portType == primary.binding.portType
            if isOne {
                others.append(other)
            } else {
                leaveOut(
                    other,
                    "has another \(primary.binding.format == .http ? "binding" : "portType") than ‘\(primary.port.name)’"
                )
            }
        }
        return (primary, others)
    }

    /// Whether a port has the same bindings of operations as the primary one, so that clients can use its address
    /// instead.
    mutating func speaks(_ other: BoundPort, _ operations: [SelectedOperation]) -> Bool {
        let operationsThere = boundOperations(of: other.binding)
        for operation in operations {
            let bound = operation.portTypeIndex.flatMap { operationsThere[$0] }
            let difference: String
            let style = bound?.style ?? other.binding.style
            if bound == nil {
                difference = "does not bind the operation ‘\(operation.name)’"
            } else if style != operation.style {
                difference = "has the style ‘\(style.rawValue)’"
            } else if (bound?.input?.use == .encoded) != operation.input.isEncoded {
                difference = "has another encoding"
            } else if bound?.soapAction ?? "" != operation.soapAction {
                difference = "has another soapAction for the operation ‘\(operation.name)’"
            } else {
                continue
            }
            leaveOut(other, difference)
            return false
        }
        return true
    }

    /// The operations of a binding by their indices in the portType.
    func boundOperations(of binding: Binding) -> [Int: BindingOperation] {
        guard let portType = definitions.portTypes[binding.portType] else { return [:] }
        return OperationMatching(binding, portType).bindingIndices.compactMapValues { index in
            binding.operations.indices.contains(index) ? binding.operations[index] : nil
        }
    }

    /// Leaves out a port with a warning; with strict options the user must name the port when not all can be served.
    private mutating func leaveOut(_ other: BoundPort, _ difference: String) {
        diagnostics.leftOut(
            "the port ‘\(other.port.name)’ \(difference); it is left out and can be made apart with --port.",
            at: other.port.location, isError: options.isStrict && options.port == nil)
    }
}
