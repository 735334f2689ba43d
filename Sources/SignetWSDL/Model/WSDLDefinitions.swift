/// What a WSDL 1.1 document says, everything that it imports included.
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
    /// The policies that can be referred to, by their names or by `file#id`.
    package var policies: [String: PolicyNode] = [:]
    /// What policies ask for, by the places of ports and of the operations of bindings; nothing where they ask for nothing.
    package var requirements: [PolicyPlace: PolicyRequirements] = [:]
    /// What was met while loading that does not prevent it.
    package var diagnostics: [Diagnostic] = []
    /// Components that were left out because of what is wrong in them.
    package var defects: [ComponentName: WSDLError] = [:]
    /// Ports and operations that were left out because of what is wrong in them; the component around them is there.
    package var omissions: [Diagnostic] = []
}

/// What a component is called; every kind has names of its own.
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
    /// Their names stay as they are.
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

    /// Of several operations with one name the first.
    package func operation(named name: String) -> Operation? { places[name].map { operations[$0] } }
}

/// Where operations stand by their names: a service may have thousands, each of which is looked for.
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
    /// Whether the output stands first: the service begins (solicit-response, notification; WSDL 1.1 §2.4).
    package var outputIsFirst = false
    package var faults: [MessageUse] = []
    package var documentation: String?
    package var location: SourceLocation
    /// The policies attached to it.
    package var policies: [PolicyNode] = []
    /// What is wrong with it, so that it cannot be used.
    package var defect: WSDLError?
}

/// An `input`, `output` or `fault` of an operation.
package struct MessageUse: Sendable {
    package var name: String?
    package var message: QName
    /// What WS-Addressing names it by, where the attribute `Action` says so (Metadata 1.0 §4.4.1).
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
