extension WSDLDefinitions {
    /// The services, or, where there are none, one for each portType that is bound.
    ///
    /// Profiles of devices publish bindings alone, because every device has an address of its own. Such bindings stand for a
    /// service that is named after their portType and has a port for each, named after it, without an address.
    package var servicesOrBindings: [Service] {
        guard services.isEmpty else { return services }
        return Dictionary(grouping: bindings.values, by: \.portType).sorted { $0.key < $1.key }.compactMap {
            name, bindings in
            let bindings = bindings.sorted { $0.name < $1.name }
            guard let first = bindings.first else { return nil }
            return Service(
                name: name,
                ports: bindings.map { Port(name: $0.name.localName, binding: $0.name, location: $0.location) },
                documentation: first.documentation, location: first.location)
        }
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

    /// Whether a port is bound to HTTP without SOAP.
    package func isPlainHTTP(_ port: Port) -> Bool { bindings[port.binding]?.format == .http }

    /// Why no code can be made for a port; nil when it can.
    package func reasonNotUsable(_ port: Port) -> String? {
        guard let binding = bindings[port.binding] else { return "the binding \(port.binding) is not there" }
        return port.requiredExtensions.reasonNotUsable ?? binding.reasonNotUsable
    }
}
