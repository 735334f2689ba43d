import SignetWSDL

/// Chooses the service and the port to call.
struct PortChoice {
    var service: Service
    var port: Port
    var binding: Binding
    var described: DynamicPort
    /// The version of WS-Addressing that the port demands or allows.
    var addressing: AddressingName?
    var all: [DynamicPort]

    init(_ definitions: WSDLDefinitions, service wanted: String?, port wantedPort: String?) throws(DynamicError) {
        all = definitions.servicesOrBindings.flatMap { service in
            service.ports.map { Self.describe($0, of: service, definitions) }
        }
        let found = try Self.service(wanted, holding: wantedPort, definitions)
        let ports = found.ports.map { ($0, Self.describe($0, of: found, definitions)) }
        let chosen: (port: Port, described: DynamicPort)
        if let wantedPort {
            guard let match = ports.first(where: { $0.0.name == wantedPort }) else {
                throw DynamicError(
                    .unknownService,
                    "the service ‘\(found.name.localName)’ has no port ‘\(wantedPort)’, but \(ports.map(\.0.name).quotedList())."
                )
            }
            chosen = match
        } else {
            let usable = definitions.usablePorts(of: found)
            let primary = definitions.primaryPort(of: found)?.name
            guard let first = ports.first(where: { $0.0.name == primary }) ?? ports.first else {
                throw DynamicError(.unknownService, "the service ‘\(found.name.localName)’ has no port.")
            }
            // Ports with the same operations differ only in their transport; any of them will do.
            if Set(usable.compactMap { definitions.bindings[$0.binding]?.portType }).count > 1 {
                throw DynamicError(
                    .unknownService,
                    "the service ‘\(found.name.localName)’ has several ports that do different things; choose one: "
                        + "\(usable.map(\.name).quotedList(limit: 20)).")
            }
            chosen = first
        }
        guard let binding = definitions.bindings[chosen.port.binding], chosen.described.reasonNotUsable == nil else {
            let reason = chosen.described.reasonNotUsable ?? "its binding is not there"
            throw DynamicError(.notSupported, "the port ‘\(chosen.port.name)’ cannot be used: \(reason).")
        }
        service = found
        port = chosen.port
        self.binding = binding
        addressing = definitions.addressing(of: chosen.port)
        described = chosen.described
    }

    private static func service(
        _ wanted: String?, holding port: String?, _ definitions: WSDLDefinitions
    ) throws(DynamicError) -> Service {
        if let wanted {
            guard let service = definitions.servicesOrBindings.first(where: { $0.name.localName == wanted }) else {
                throw DynamicError(.unknownService, definitions.reasonForNoService(wanted))
            }
            return service
        }
        let candidates = definitions.candidates(holding: port)
        guard let first = candidates.first else {
            throw DynamicError(
                .unknownService, "this WSDL has neither a service nor a binding; name the WSDL that holds them.")
        }
        guard candidates.count == 1 else {
            throw DynamicError(
                .unknownService,
                "this WSDL has several services; choose one: \(candidates.map(\.name.localName).quotedList(limit: 20))."
            )
        }
        return first
    }

    private static func describe(_ port: Port, of service: Service, _ definitions: WSDLDefinitions) -> DynamicPort {
        let binding = definitions.bindings[port.binding]
        let kind =
            switch binding?.format {
            case .soap11: "SOAP 1.1"
            case .soap12: "SOAP 1.2"
            case .http: "HTTP without SOAP"
            case .other(let namespace): namespace.isEmpty ? "nothing" : namespace
            case nil: "a binding that is not there"
            }
        return DynamicPort(
            service: service.name.localName, name: port.name, address: port.address, binding: kind,
            reasonNotUsable: definitions.reasonNotUsable(port))
    }
}
