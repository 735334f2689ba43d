import SignetXML

/// The version of WS-Addressing that a WSDL names. The raw value is its name in `SignetSOAP`.
package enum AddressingName: String, Sendable, Hashable {
    case v10
    case submission
}

/// The actions of WS-Addressing for the messages of an operation (Metadata 1.0 §4.4).
package struct MessageActions: Sendable, Hashable {
    package var input: String
    /// Nil for a one-way operation.
    package var output: String?
}

extension WSDLDefinitions {
    /// The version of WS-Addressing that a port requires or allows: by `UsingAddressing` at the port or its binding, or
    /// by a policy (Metadata 1.0 §3).
    package func addressing(of port: Port) -> AddressingName? {
        if let name = port.addressing ?? bindings[port.binding]?.addressing { return name }
        return policySummary(of: port).assertions.lazy.compactMap(AddressingName.init).first
    }

    /// Whether a port or the actions of its operations use WS-Addressing.
    package func speaksOfAddressing(_ port: Port) -> Bool {
        let operations = bindings[port.binding].flatMap { portTypes[$0.portType] }?.operations ?? []
        return addressing(of: port) != nil
            || operations.contains { ([$0.input, $0.output] + $0.faults).contains { $0?.action != nil } }
    }
}

extension Operation {
    /// The actions of input and output: those that the WSDL states, or else the `soapAction` for the input, or else
    /// those that the standard derives from names (Metadata 1.0 §4.4.2, §4.4.4).
    package func actions(soapAction: String, in portType: QName) -> MessageActions {
        let names = (output == nil ? name : "\(name)Request", "\(name)Response")
        return MessageActions(
            input: input?.action ?? (soapAction.isEmpty ? Self.action(portType, [input?.name ?? names.0]) : soapAction),
            output: output.map { $0.action ?? Self.action(portType, [$0.name ?? names.1]) })
    }

    /// The action of a fault.
    package func action(of fault: MessageUse, in portType: QName) -> String {
        fault.action ?? Self.action(portType, [name, "Fault", fault.name ?? fault.message.localName])
    }

    private static func action(_ portType: QName, _ names: [String]) -> String {
        let delimiter = portType.namespace.lowercased().hasPrefix("urn:") ? ":" : "/"
        let target = portType.namespace
        let parts = [target.hasSuffix(delimiter) ? String(target.dropLast()) : target, portType.localName] + names
        return parts.joined(separator: delimiter)
    }
}

extension AddressingName {
    /// The version that `UsingAddressing` or the assertion `Addressing` names; nil for any other element name.
    init?(_ name: QName) {
        switch name.localName {
        case "UsingAddressing" where Namespaces.addressingBindings.contains(name.namespace):
            self = name.namespace == Namespaces.addressingPolicy2004 ? .submission : .v10
        case "Addressing" where name.namespace == Namespaces.addressingMetadata: self = .v10
        default: return nil
        }
    }
}

extension XMLNode {
    /// The attribute `Action` of an input, output or fault, in any of the namespaces in which it was published.
    var addressingAction: String? {
        let action = attributes.first {
            $0.name.localName == "Action" && Namespaces.addressingActions.contains($0.name.namespace)
        }
        return action.flatMap { $0.value.trimmedXMLSpace.isEmpty ? nil : $0.value.trimmedXMLSpace }
    }

    /// The version that `UsingAddressing` inside this element names.
    var usedAddressing: AddressingName? { children.lazy.compactMap { AddressingName($0.name) }.first }
}
