extension WSDLDefinitions {
    /// The services, or, where there are none, one for each binding.
    ///
    /// Profiles of devices publish bindings alone, because every device has an address of its own. Such a binding stands for a
    /// service that is named after its portType and has one port, named after the binding, without an address.
    package var servicesOrBindings: [Service] {
        guard services.isEmpty else { return services }
        return bindings.values.sorted { $0.name < $1.name }.map { binding in
            let port = Port(name: binding.name.localName, binding: binding.name, location: binding.location)
            return Service(
                name: binding.portType, ports: [port], documentation: binding.documentation, location: binding.location)
        }
    }

    /// Why no code can be made for a port; nil when it can.
    package func reasonNotUsable(_ port: Port) -> String? {
        guard let binding = bindings[port.binding] else { return "the binding \(port.binding) is not there" }
        return port.requiredExtensions.reasonNotUsable ?? binding.reasonNotUsable
    }
}
