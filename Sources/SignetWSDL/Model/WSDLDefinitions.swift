/// The content of a WSDL 1.1 document, including everything that it imports.
package struct WSDLDefinitions: Sendable {
    /// The main document's `name` attribute.
    package var name: String?
    package var documentation: String?
    package var location: SourceLocation
    /// In the order of the documents.
    package var services: [Service] = []
    package var bindings: [QName: Binding] = [:]
    package var portTypes: [QName: PortType] = [:]
    package var messages: [QName: Message] = [:]
    package var schema = SchemaSet()
    /// The policies that references can name, by their names or by `file#id`.
    package var policies: [String: PolicyNode] = [:]
    /// The requirements of policies, by the places of ports and of the operations of bindings; a place without
    /// requirements has no entry.
    package var requirements: [PolicyPlace: PolicyRequirements] = [:]
    /// Diagnostics of the load that did not prevent it.
    package var diagnostics: [Diagnostic] = []
    /// Components that were left out because of an error in them.
    package var defects: [ComponentName: WSDLError] = [:]
    /// Ports and operations that were left out because of an error in them; the component that holds them is kept.
    package var omissions: [Diagnostic] = []
}

/// The name of a component; every kind of component has its own space of names.
package struct ComponentName: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable, Hashable {
        case message, portType, binding, service, element, complexType, simpleType, attribute, group, attributeGroup
    }

    package var kind: Kind
    package var name: QName

    package init(_ kind: Kind, _ name: QName) {
        self.kind = kind
        self.name = name
    }

    package var description: String { "the \(kind.rawValue) ‘\(name.localName)’" }
}

/// A `service` (WSDL 1.1 §2.7).
package struct Service: Sendable {
    package var name: QName
    package var ports: [Port]
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
}

/// A `port` (WSDL 1.1 §2.6).
package struct Port: Sendable {
    package var name: String
    package var binding: QName
    /// The `location` of its address, as written; nil when it has none.
    package var address: String?
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
    /// Extension elements that must be understood and are not (WSDL 1.1 §2.1.3).
    package var requiredExtensions: [Binding.Extension] = []
    /// The version of WS-Addressing that `UsingAddressing` names.
    package var addressing: AddressingName?
}

/// A `portType` (WSDL 1.1 §2.4).
package struct PortType: Sendable {
    package var name: QName
    /// The operations; their names must not change.
    package var operations: [Operation]
    private let places: OperationPlaces
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []

    init(
        name: QName, operations: [Operation], documentation: String?, location: SourceLocation, policies: [PolicyNode]
    ) {
        self.name = name
        self.operations = operations
        places = OperationPlaces(operations.map(\.name))
        self.documentation = documentation
        self.location = location
        self.policies = policies
    }

    /// The operation with this name; the first one when several have it.
    package func operation(named name: String) -> Operation? { places[name].map { operations[$0] } }
}

/// The indices of operations by name: a service may have thousands of operations, and each is looked up.
struct OperationPlaces: Sendable {
    private let numbers: [String: Int]

    init(_ names: [String]) {
        numbers = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    subscript(name: String) -> Int? { numbers[name] }
}

/// An `operation` of a port type.
package struct Operation: Sendable {
    package var name: String
    /// Absent in a notification.
    package var input: MessageUse?
    /// Absent in a one-way operation.
    package var output: MessageUse?
    /// Whether the output comes first: the service begins the exchange (solicit-response, notification; WSDL 1.1 §2.4).
    package var outputIsFirst = false
    package var faults: [MessageUse] = []
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
    /// The error that makes it unusable; nil when it can be used.
    package var defect: WSDLError?
}

/// An `input`, `output` or `fault` of an operation.
package struct MessageUse: Sendable {
    package var name: String?
    package var message: QName
    /// The action of WS-Addressing, when the attribute `Action` gives it (Metadata 1.0 §4.4.1).
    package var action: String?
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
}

/// A `message` (WSDL 1.1 §2.3).
package struct Message: Sendable {
    package var name: QName
    package var parts: [Part]
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []

    /// A `part`; it names an element or a type.
    package struct Part: Sendable {
        package var name: String
        package var element: QName?
        package var type: QName?
        package var location: SourceLocation
    }
}
