extension WSDLDefinitions {
    /// The services, or, where there are none, one for each portType that is bound.
    ///
    /// Profiles of devices publish bindings alone, because every device has an address of its own. Such bindings stand for a
    /// service that is named after their portType and has a port for each, named after it, without an address.
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
        // What is said about the only port is said about the service.
        for index in found.indices where found[index].ports.count == 1 {
            found[index].documentation = found[index].ports[0].documentation
            found[index].ports[0].documentation = nil
        }
        return found
    }

    /// The services to choose from where nobody names one: those that can be called by SOAP, or else at all, or else all.
    package var candidates: [Service] {
        let services = servicesOrBindings
        let usable = services.filter { !usablePorts(of: $0).isEmpty }
        let spoken = usable.filter { usablePorts(of: $0).contains { !isPlainHTTP($0) } }
        return [spoken, usable, services].first { !$0.isEmpty } ?? []
    }

    /// The ports that code can be made for. Those bound to plain HTTP count only where there is no other, or one is asked for.
    ///
    /// - Parameter wanted: the name of the port that somebody asks for.
    package func usablePorts(of service: Service, wanted: String? = nil) -> [Port] {
        let usable = service.ports.filter { reasonNotUsable($0) == nil }
        let wantsHTTP = wanted.flatMap { name in usable.first { $0.name == name } }.map(isPlainHTTP)
        let hasSOAP = usable.contains { !isPlainHTTP($0) }
        return usable.filter { isPlainHTTP($0) == (wantsHTTP ?? !hasSOAP) }
    }

    /// The port that decides how operations travel: the one that is asked for, or else the first that is bound to SOAP
    /// 1.1, the only version that WS-I's Basic Profile 1.1 knows (R2701), or else the first.
    ///
    /// - Parameter wanted: the name of the port that is asked for.
    /// - Returns: nil when no port of the service can be used. Where the wanted one cannot, another is returned.
    package func primaryPort(of service: Service, wanted: String? = nil) -> Port? {
        let usable = usablePorts(of: service, wanted: wanted)
        return wanted.flatMap { name in usable.first { $0.name == name } }
            ?? usable.first { bindings[$0.binding]?.format == .soap11 } ?? usable.first
    }

    /// The services to choose from where a port is asked for and no service: those that have it; all ``candidates``
    /// where none does, or no port is asked for.
    package func candidates(holding port: String?) -> [Service] {
        guard let port else { return candidates }
        let holding = servicesOrBindings.filter { $0.ports.contains { $0.name == port } }
        return holding.isEmpty ? candidates : holding
    }

    /// Why there is no service with this name, and which there are.
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
