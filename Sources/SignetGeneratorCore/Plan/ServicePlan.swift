import SignetWSDL

/// What the generated files will say, with every Swift name decided: the third stage's result.
struct ServicePlan {
    /// The Swift namespace.
    var name: String
    /// The service's name in the WSDL.
    var serviceName: String
    var documentation: String?
    /// The primary one first.
    var ports: [PortPlan]
    var headers: [HeaderPlan]
    var operations: [OperationPlan]
    /// Sorted by container and name, but each choice behind the first structure that holds it.
    var types: [TypePlan]
    var namespaces: [NamespacePlan]
}

/// An enum for the types of XML namespaces.
struct NamespacePlan {
    var name: String
    var uris: [String]
}

struct PortPlan {
    /// The member's name, escaped.
    var name: String
    var wsdlName: String
    var address: String?
    /// The case of `SOAPVersion`.
    var version: String
    var documentation: String?
}

struct HeaderPlan {
    /// The member's name, escaped.
    var name: String
    var element: MessagePlan
    var documentation: String?
}

struct OperationPlan {
    /// The method's name, escaped.
    var name: String
    var wsdlName: String
    var soapAction: String
    var input: MessagePlan
    /// Nil for a one-way operation.
    var output: MessagePlan?
    var faults: [MessagePlan]
    /// Whether the messages are written by the rules of SOAP's encoding.
    var isEncoded: Bool
    /// Whether header blocks are declared for the input.
    var takesHeaderBlocks: Bool
    /// Namespace names in the messages, in order of appearance.
    var namespaces: [String]
    var documentation: String
}

struct MessagePlan {
    /// The element that holds the message; nil when it is the content of the body itself.
    var element: QName?
    /// The Swift type.
    var type: String
}

struct TypePlan {
    enum Content {
        case structure([FieldPlan])
        case choice([FieldPlan], isIndirect: Bool)
        case enumeration([CasePlan])
        case array(ArrayPlan)
    }

    var name: String
    /// The enum inside the service's namespace that holds the type; nil for the latter itself.
    var container: String?
    var content: Content
    var documentation: String?

    var isChoice: Bool {
        if case .choice = content { true } else { false }
    }

    /// About how much text it makes.
    var weight: Int {
        switch content {
        case .structure(let fields): 4 + fields.reduce(0) { $0 + 1 + $1.branches.count }
        case .choice(let fields, _): 1 + fields.count / 4
        case .enumeration(let cases): 4 + cases.count
        case .array: 6
        }
    }
}

struct FieldPlan {
    /// The property's or case's name, escaped.
    var name: String
    var xmlName: String
    var namespace: String
    var kind: BoundField.Kind
    /// The Swift type of one value.
    var type: String
    var occurrence: BoundField.Occurrence
    var isNillable: Bool
    /// Whether the value is kept on the heap: the type is recursive, or large.
    var isBoxed: Bool
    /// The elements of a choice.
    var branches: [FieldPlan]
    /// What stands for a value until it is read.
    var placeholder: String
    var documentation: String?

    /// The property's type (Documentation/API.md §2).
    var propertyType: String {
        switch (occurrence, isNillable) {
        case (.required, false): type
        case (.required, true), (.optional, false): "\(type)?"
        case (.optional, true): "Nillable<\(type)>?"
        case (.repeated, false): "[\(type)]"
        case (.repeated, true): "[Nillable<\(type)>]"
        }
    }

    /// The default of the initialiser's parameter; nil when a value must be given.
    var defaultValue: String? {
        switch (occurrence, isNillable) {
        case (.required, false): nil
        case (.repeated, _): "[]"
        default: "nil"
        }
    }
}

struct CasePlan {
    /// The case's name, escaped.
    var name: String
    var value: String
    var documentation: String?
}
