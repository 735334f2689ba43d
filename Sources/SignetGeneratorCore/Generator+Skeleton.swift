package import SignetWSDL

extension Generator {
    /// What a server of a service has to have beside the generated code.
    package struct Skeleton: Sendable {
        /// The Swift namespace of the generated code.
        package var namespace: String
        /// The service's name in the WSDL.
        package var service: String
        /// The name of the type of the handlers, which is in the namespace.
        package var handlersType: String
        /// The Swift source of the handlers, without imports.
        package var handlers: String
        /// The address of the primary port; nil when the WSDL states none.
        package var address: String?
        /// The names of the operations in the WSDL.
        package var operations: [String]
    }

    /// Makes handlers for a server that is yet to be written; nil after an error.
    package static func skeleton(
        _ definitions: WSDLDefinitions, options: GeneratorOptions = .init()
    ) -> (skeleton: Skeleton?, diagnostics: [Diagnostic]) {
        let (planned, diagnostics) = plan(definitions, options)
        guard let plan = planned?.plan else { return (nil, diagnostics) }
        guard !plan.isPlainHTTP else {
            let message = "the service is bound to HTTP without SOAP, for which there is a client only, and no server."
            return (nil, diagnostics + [Diagnostic(.error, message, at: definitions.location)])
        }
        let names = Set(plan.types.map(\.name) + plan.namespaces.map(\.name))
        let type = names.contains("Handlers") ? "ServerHandlers" : "Handlers"
        var renderer = SwiftRenderer()
        renderer.render(ServiceFile(plan: plan, access: .internal).handlers(named: type), indent: 0)
        let skeleton = Skeleton(
            namespace: plan.name, service: plan.serviceName, handlersType: type, handlers: renderer.text,
            address: plan.ports.first?.address, operations: plan.operations.map(\.wsdlName))
        return (skeleton, diagnostics)
    }
}
