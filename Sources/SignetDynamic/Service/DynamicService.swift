public import SignetSOAP
package import SignetWSDL

/// A service as its WSDL describes it, to be called without generated code.
///
/// Values are JSON values; the guide “Dynamic calls” says how they represent XML.
public struct DynamicService: Sendable, CustomStringConvertible {
    /// The name of the service.
    public let name: String
    /// The port that is used.
    public let port: DynamicPort
    /// The port for a configuration: its address, its versions of SOAP and WS-Addressing, and what its policies demand.
    ///
    /// ```swift
    /// let configuration = try ServiceConfiguration(service.servicePort)
    /// ```
    public let servicePort: ServicePort
    /// All ports of all services in the WSDL.
    public let ports: [DynamicPort]
    /// Problems that were found while reading and do not prevent it, one line each, including demands of policies that
    /// Signet does not meet.
    public let warnings: [String]
    /// The version of SOAP of the port; nil when the port is bound to HTTP without SOAP.
    public let version: SOAPVersion?
    /// The version of WS-Addressing that the WSDL demands or allows at the port; nil when the WSDL does not mention it.
    public var addressing: AddressingVersion? { servicePort.addressing }
    /// The versions of SOAP of all ports with the same operations, that of the port first.
    let versions: [SOAPVersion]
    let plans: [OperationPlan]
    let schema: SchemaSet

    /// Reads a WSDL and chooses a port.
    ///
    /// - Parameters:
    ///   - path: the WSDL file; its imports must be below `root`.
    ///   - root: the topmost folder from which files may be imported; nil for the folder of the WSDL.
    ///   - service: the service's name; needed when the WSDL has several that can be called.
    ///   - port: the port's name; when nil, the first port that is bound to SOAP 1.1, otherwise the first usable one,
    ///     as for generated code. Needed when the ports have different operations.
    public init(contentsOfFile path: String, root: String? = nil, service: String? = nil, port: String? = nil)
        throws(DynamicError)
    {
        let definitions: WSDLDefinitions
        do { definitions = try WSDLLoader.load(file: path, root: root) } catch {
            throw DynamicError(.unreadableWSDL, "\(error)", cause: error)
        }
        try self.init(definitions, service: service, port: port)
    }

    package init(_ definitions: WSDLDefinitions, service: String? = nil, port: String? = nil) throws(DynamicError) {
        let choice = try PortChoice(definitions, service: service, port: port)
        name = choice.service.name.localName
        self.port = choice.described
        ports = choice.all
        let resolved = definitions.resolved(choice.port)
        if let defect = resolved?.defect {
            throw DynamicError(.notSupported, "the port ‘\(choice.port.name)’ cannot be used: \(defect.message)")
        }
        let remarks = resolved.map { $0.unbound + $0.operations.flatMap(\.remarks) } ?? []
        warnings = (definitions.diagnostics + remarks).map { "\($0)" }
        version = SOAPVersion(choice.binding)
        let twins = definitions.usablePorts(of: choice.service).compactMap { definitions.bindings[$0.binding] }.filter {
            $0.portType == choice.binding.portType
        }
        versions = ([choice.binding] + twins).compactMap(SOAPVersion.init).reduce(into: []) { versions, version in
            if !versions.contains(version) { versions.append(version) }
        }
        let addressing: AddressingVersion? =
            switch choice.addressing {
            case .v10: .v10
            case .submission: .submission
            case nil: nil
            }
        let requirements = definitions.requirements(of: choice.port)
        servicePort = ServicePort(
            name: choice.port.name, address: choice.port.address, version: version, addressing: addressing,
            requires: requirements.list.map(ServiceRequirement.init),
            accepts: requirements.accepted.map(ServiceRequirement.init))
        let planner = OperationPlanner(definitions: definitions, port: choice.port)
        plans = resolved?.operations.map { planner.plan($0, in: choice.binding.portType) } ?? []
        schema = definitions.schema
    }

    /// The operations of the port, in the order of the WSDL. When several have one name, each but the first has a
    /// number appended to its name: `Get`, `Get2`.
    public var operations: [DynamicOperation] { plans.map(\.description) }

    /// The operation with this name.
    public func operation(_ name: String) throws(DynamicError) -> DynamicOperation { try plan(name).description }

    func plan(_ name: String) throws(DynamicError) -> OperationPlan {
        guard let plan = plans.first(where: { $0.name == name }) else {
            throw DynamicError(
                .unknownName,
                "there is no operation ‘\(name.prefix(80))\(name.count > 80 ? "…" : "")’\(NearMatch.hint(name, among: plans.map(\.name))) The port ‘\(port.name)’ has "
                    + "\(plans.map(\.name).quotedList(limit: 40)).")
        }
        return plan
    }

    /// The plan of an operation that can be called.
    func callable(_ name: String) throws(DynamicError) -> (plan: OperationPlan, input: ElementDeclaration) {
        let plan = try plan(name)
        guard let input = plan.input else {
            throw DynamicError(
                .notSupported,
                "the operation ‘\(name)’ cannot be called: \(plan.reasonNotCallable ?? "it has no input").")
        }
        return (plan, input)
    }

    /// The service, its port and its operations, one line each.
    public var description: String {
        var lines = ["service \(name), port \(port.name) (\(port.binding)) at \(port.address ?? "no address")"]
        for plan in plans {
            let input = plan.input?.name.localName ?? "–"
            let output =
                plan.reasonNotCallable.map { "cannot be called: \($0)" } ?? plan.output?.name.localName ?? "no answer"
            lines.append("  \(plan.name): \(input) → \(output)")
        }
        return lines.joined(separator: "\n")
    }
}

extension SOAPVersion {
    /// The version of a binding; nil for one without SOAP.
    fileprivate init?(_ binding: Binding) {
        switch binding.format {
        case .soap11: self = .soap11
        case .soap12: self = .soap12
        case .http, .other: return nil
        }
    }
}
