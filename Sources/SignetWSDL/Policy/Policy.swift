/// A policy expression as written (WS-Policy 1.5 Framework §3; version 1.2 is read in the same way).
package indirect enum PolicyNode: Sendable {
    /// All of these: `wsp:Policy` or `wsp:All`.
    case all([PolicyNode])
    /// One of these.
    case exactlyOne([PolicyNode])
    case assertion(PolicyAssertion)
    /// Another policy, by its name in ``WSDLDefinitions/policies``.
    case reference(String, SourceLocation)
}

/// What a policy demands, for example `sp:TransportBinding`.
package struct PolicyAssertion: Sendable {
    package var name: QName
    package var attributes: [QName: String]
    /// `wsp:Optional`: whether a call may leave it out.
    package var isOptional: Bool
    /// `wsp:Ignorable`: whether a client that does not know it may ignore it (WS-Policy 1.5 Framework §4.5.1).
    package var isIgnorable = false
    /// The nested policy expressions.
    package var policies: [PolicyNode]
    /// Nested elements that are not policies, such as the `sp:Header` of `sp:SignedParts`.
    package var parameters: [PolicyAssertion]
    /// The text of an element without elements inside, such as an address; empty for others.
    package var text = ""
    package var location: SourceLocation
}

extension WSDLDefinitions {
    /// The demands on every call by the policies attached to a port, its binding and the portType (WS-Policy 1.5
    /// Attachment §4).
    package func policySummary(of port: Port) -> PolicySummary {
        let service = services.first { service in service.ports.contains { $0.location == port.location } }
        let binding = bindings[port.binding]
        let portType = binding.flatMap { portTypes[$0.portType] }
        return summary(
            (service?.policies ?? []) + port.policies + (binding?.policies ?? []) + (portType?.policies ?? []))
    }

    /// The demands by the policies of an operation and its messages, beyond those of the port.
    package func policySummary(of operation: BindingOperation, in binding: Binding) -> PolicySummary {
        let abstract = portTypes[binding.portType]?.operation(named: operation.name)
        var nodes = operation.policies + (abstract?.policies ?? [])
        for message in [operation.input, operation.output].compactMap({ $0 }) { nodes += message.policies }
        for use in [abstract?.input, abstract?.output].compactMap({ $0 }) {
            nodes += use.policies + (messages[use.message]?.policies ?? [])
        }
        return summary(nodes)
    }

    private func summary(_ nodes: [PolicyNode]) -> PolicySummary {
        var summary = PolicySummary()
        for node in nodes { summary.add(node, policies) }
        return summary
    }
}
