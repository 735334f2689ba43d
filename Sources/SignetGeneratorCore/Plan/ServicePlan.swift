/// What the generated files will say, with every Swift name decided: the third stage's result.
struct ServicePlan {
    /// The Swift namespace.
    var name: String
    /// The service's name in the WSDL.
    var serviceName: String
    var portName: String
    var address: String?
    var documentation: String?
    var operations: [OperationPlan]
    /// Sorted by name.
    var types: [TypePlan]
}

struct OperationPlan {
    /// The method's name, escaped.
    var name: String
    var wsdlName: String
    var soapAction: String
    var input: MessagePlan
    var output: MessagePlan
    var faults: [MessagePlan]
    /// Namespace names in the messages, in order of appearance.
    var namespaces: [String]
    var documentation: String?
}

struct MessagePlan {
    var namespace: String
    var localName: String
    /// The Swift type.
    var type: String
}

struct TypePlan {
    enum Content {
        case structure([FieldPlan])
        case enumeration([CasePlan])
    }

    var name: String
    var content: Content
    var documentation: String?

    /// About how much text it makes.
    var weight: Int {
        switch content {
        case .structure(let fields): 4 + fields.count
        case .enumeration(let cases): 4 + cases.count
        }
    }
}

struct FieldPlan {
    /// The property's name, escaped.
    var name: String
    var xmlName: String
    var namespace: String
    var kind: BoundField.Kind
    /// The Swift type of one value.
    var type: String
    var isStructure: Bool
    var occurrence: BoundField.Occurrence
    var isNillable: Bool
    /// Whether the value is kept on the heap: the type is recursive, or large.
    var isBoxed: Bool
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
