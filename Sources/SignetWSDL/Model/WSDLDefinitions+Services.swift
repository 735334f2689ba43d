extension WSDLDefinitions {
    /// The services; when there are no services, one for each bound portType.
    ///
    /// Device profiles publish bindings without services, because every device has its own address. For such bindings
    /// this makes a service with the name of the portType; it has one port for each binding, with the name of the
    /// binding and without an address.
    package var servicesOrBindings: [Service] {
        guard services.isEmpty else { return services }
        var found: [Service] = []
        var places: [QName: Int] = [:]
        for binding in bindings.values.sorted(by: { $0.name < $1.name }) {
            let port = Port(
                name: binding.name.localName, binding: binding.name, documentation: binding.documentation,
                location: binding.location)
            if let place = places[binding.portType] {
                found[place].ports.append(port)
            } else {
                places[binding.portType] = found.count
                found.append(Service(name: binding.portType, ports: [port], location: binding.location))
            }
        }
        // Documentation of the only port counts as that of the service.
        for index in found.indices where found[index].ports.count == 1 {
            found[index].documentation = found[index].ports[0].documentation
            found[index].ports[0].documentation = nil
        }
        return found
    }

    /// The services to choose from when the user names no service: those that can be called by SOAP, or else those that
    /// can be called at all, or else all.
    package var candidates: [Service] {
        let services = servicesOrBindings
        let usable = services.filter { !usablePorts(of: $0).isEmpty }
        let spoken = usable.filter { usablePorts(of: $0).contains { !isPlainHTTP($0) } }
        return [spoken, usable, services].first { !$0.isEmpty } ?? []
    }

    /// The ports that code can be made for. Ports bound to plain HTTP count only when the service has no other port, or
    /// when the user asks for one of them.
    ///
    /// - Parameter wanted: the name of the port that the user asks for.
    package func usablePorts(of service: Service, wanted: String? = nil) -> [Port] {
        let usable = service.ports.filter { reasonNotUsable($0) == nil }
        let wantsHTTP = wanted.flatMap { name in usable.first { $0.name == name } }.map(isPlainHTTP)
        let hasSOAP = usable.contains { !isPlainHTTP($0) }
        return usable.filter { isPlainHTTP($0) == (wantsHTTP ?? !hasSOAP) }
    }

    /// The port whose binding operations use: the one that the user asks for, or else the first that is bound to SOAP
    /// 1.1, the only version of WS-I's Basic Profile 1.1 (R2701), or else the first.
    ///
    /// - Parameter wanted: the name of the port that the user asks for.
    /// - Returns: nil when no port of the service can be used. When the wanted port cannot be used, another one is
    ///   returned.
    package func primaryPort(of service: Service, wanted: String? = nil) -> Port? {
        let usable = usablePorts(of: service, wanted: wanted)
        return wanted.flatMap { name in usable.first { $0.name == name } }
            ?? usable.first { bindings[$0.binding]?.format == .soap11 } ?? usable.first
    }

    /// The services to choose from when the user names a port and no service: those that have the port; all
    /// ``candidates`` when no service has it, or the user names no port.
    package func candidates(holding port: String?) -> [Service] {
        guard let port else { return candidates }
        let holding = servicesOrBindings.filter { $0.ports.contains { $0.name == port } }
        return holding.isEmpty ? candidates : holding
    }

    /// The message for a service name that the WSDL does not have; it lists the names of the services.
    package func reasonForNoService(_ wanted: String) -> String {
        let names = servicesOrBindings.map(\.name.localName)
        return "there is no service ‘\(wanted)’\(NearMatch.hint(wanted, among: names)) This WSDL has "
            + "\(names.isEmpty ? "none" : names.quotedList())."
    }

    /// Whether a port is bound to HTTP without SOAP.
    package func isPlainHTTP(_ port: Port) -> Bool { bindings[port.binding]?.format == .http }

    /// Why no code can be made for a port; nil when it can.
    package func reasonNotUsable(_ port: Port) -> String? {
        guard let binding = bindings[port.binding] else { return "the binding \(port.binding) is not there" }
        return port.requiredExtensions.reasonNotUsable ?? binding.reasonNotUsable
    }
}
