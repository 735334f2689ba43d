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
    /// Whether they are bound to HTTP without SOAP, so that there is only a client.
    var isPlainHTTP: Bool { ports.first?.version == nil }
    /// Whether messages may come in parts: some have attachments, or binary values, which MTOM takes out of the envelope.
    var takesAttachments: Bool {
        operations.contains(where: \.hasAttachments) || types.contains(where: \.hasBinaryValues)
    }
    var headers: [HeaderPlan]
    var operations: [OperationPlan]
    /// Sorted by container and name.
    var types: [TypePlan]
    /// The types that values say by `xsi:type`, as code outside all containers names them.
    var derivedTypes: [String] = []
    /// The protocols to which `XMLAny` conforms: of bases of which not all derived types are made.
    var keepingProtocols: [String] = []
    var namespaces: [NamespacePlan]
    /// The Swift types of the messages, as code outside of the service's namespace names them.
    var messageTypes: [TypeKey: String]
    /// What the types were planned from.
    var schema: BoundSchema
    /// The tables of structures and choices.
    var tables: [TypeKey: TablePlan]
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
    /// The case of `SOAPVersion`; nil without SOAP.
    var version: String?
    /// The case of `AddressingVersion`; nil where the WSDL does not speak of it.
    var addressing: String?
    /// What its policies ask for, as cases of `ServiceRequirement`.
    var requirements: [String] = []
    var accepted: [String] = []
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
    /// What WS-Addressing names the messages by, as far as that is not clear from `soapAction`.
    var actions: (input: String?, output: String?)
    /// How it travels without SOAP; nil with SOAP.
    var http: HTTPExchange?
    var input: MessagePlan
    /// Nil for a one-way operation.
    var output: MessagePlan?
    var faults: [MessagePlan]
    /// Whether the messages are written by the rules of SOAP's encoding.
    var isEncoded: Bool
    /// Whether it is a remote procedure.
    var isRPC: Bool
    /// Whether header blocks are declared for the input.
    var takesHeaderBlocks: Bool
    /// Whether the input's envelope may have attachments.
    var takesAttachments: Bool
    /// Whether the envelope of the input or the output may.
    var hasAttachments: Bool
    /// What its policies ask for beyond those of the port, as cases of `ServiceRequirement`.
    var requirements: [String] = []
    /// Namespace names in the messages, in order of appearance.
    var namespaces: [String]
    var documentation: String
}

struct MessagePlan {
    /// The element that holds the message; nil when it is the content of the body itself.
    var element: QName?
    /// The Swift type.
    var type: String
    /// The same for code outside of the service's namespace.
    var outsideType: String
    /// Whether it is an input or output that may be nil.
    var isNillable = false
    /// What WS-Addressing names a fault by.
    var action: String?
}

struct TypePlan {
    enum Content {
        case structure([FieldPlan])
        case choice([FieldPlan], isIndirect: Bool)
        case enumeration([CasePlan])
        case array(ArrayPlan)
        case union([UnionMemberPlan])
        /// An abstract type: there is only its protocol.
        case none
    }

    /// Whether the declaration of the structure or protocol names types of the runtime where others see them.
    func showsRuntime(_ access: AccessLevel) -> Bool {
        if let plan = protocolPlan,
            plan.inherited.isEmpty || plan.requirements.contains(where: { SwiftName.namesRuntime($0.type) })
        {
            return true
        }
        switch content {
        case .structure(let fields):
            // The initialiser of a wide one, which is compiled by those who call it, begins with an empty value.
            if access == .public && Self.isWide(fields) { return true }
            return fields.contains { field in
                SwiftName.namesRuntime(field.propertyType, isExternal: field.isExternal)
                    || access == .public && field.storageType != nil
            }
        case .array(let array): return SwiftName.namesRuntime(array.item.type) || array.item.isDerived
        case .choice, .enumeration, .union, .none: return false
        }
    }

    /// Whether a structure has so many properties that its initialiser sets them in an empty value.
    static func isWide(_ fields: [FieldPlan]) -> Bool { fields.count > 100 }

    /// Whether a case holds a value of a type from another module than the runtime.
    var showsOthers: Bool {
        switch content {
        case .choice(let fields, _): fields.contains(where: \.isExternal)
        case .union(let members): members.contains(where: \.isExternal)
        case .structure, .array, .enumeration, .none: false
        }
    }

    /// Whether what is declared with how the type is read and written shows others types of the runtime: more than that it
    /// conforms to a protocol.
    var showsCoding: Bool {
        switch content {
        case .enumeration(let cases): cases.contains { !$0.value.isCollapsed }
        case .none: false
        case .structure, .choice, .array, .union: true
        }
    }

    var name: String
    /// The enum inside the service's namespace that holds the type; nil for the latter itself.
    var container: String?
    var content: Content
    var isUnordered = false
    /// Whether text may stand among the alternatives of a choice.
    var isMixed = false
    /// What stands for a choice until it is read.
    var placeholder = ""
    /// The protocols of the types that it is derived from, its own first, as code outside of the service's namespace names them.
    var protocols: [String] = []
    /// The name by which values say that they are of this type; nil when the type takes no part in derivation.
    var xmlName: QName?
    /// What all types derived from this one have; nil when values are of this type only.
    var protocolPlan: ProtocolPlan?
    /// Whether the messages say the types of their elements.
    var saysTypes = false
    var documentation: String?

    /// Nil for what is no structure and no choice.
    var table: TablePlan? {
        switch content {
        case .structure(let fields), .choice(let fields, _): TablePlan(self, fields)
        case .enumeration, .union, .array, .none: nil
        }
    }

    /// Whether a value of its own is binary, so that MTOM may take it out of the envelope.
    var hasBinaryValues: Bool {
        switch content {
        case .structure(let fields), .choice(let fields, _): fields.contains(where: \.isBinary)
        case .array(let array): array.item.isBinary
        case .enumeration, .union, .none: false
        }
    }

    /// About how much text it makes.
    var weight: Int {
        let own =
            switch content {
            case .structure(let fields): 4 + fields.count
            case .choice(let fields, _): 4 + fields.count
            case .enumeration(let cases): 4 + cases.count
            case .union(let members): 4 + members.count
            case .array: 6
            case .none: 0
            }
        return own + (protocolPlan.map { 1 + $0.requirements.count } ?? 0)
    }
}

struct ProtocolPlan {
    var name: String
    /// The protocols that it refines.
    var inherited: [String]
    var requirements: [(name: String, type: String)]
    var documentation: String
}

struct UnionMemberPlan {
    /// The case's name, escaped.
    var name: String
    var type: String
    /// Whether the type comes from a module that the configuration names.
    var isExternal: Bool
}

/// The name of a declared type. A type may be called as the service is, and hide it from the code beside it.
struct TypeName {
    /// For code beside the type that uses it.
    var inside: String
    /// For code outside of the service's namespace.
    var outside: String
}

struct FieldPlan {
    enum Space { case preserved, replaced, collapsed }
    /// What one value is made of.
    enum Content { case value, structure, choice, fragment }

    /// The property's or case's name, escaped.
    var name: String
    var xmlName: String
    var namespace: String
    var kind: BoundField.Kind
    var content: Content
    /// The Swift type of one value.
    var type: String
    /// The built-in type, where it is one.
    var builtIn: BuiltInType?
    /// The type that the schema names.
    var declared: TypeName?
    /// Whether that type is abstract.
    var isAbstract = false
    /// Whether values may be of derived types.
    var isDerived = false
    /// Whether the type comes from a module that the configuration names.
    var isExternal = false
    var occurrence: BoundField.Occurrence
    var bounds: Occurrences?
    var isNillable: Bool
    /// Whether the value is kept on the heap: the type is recursive, or large.
    var isBoxed: Bool
    /// What happens to white space when a string is read.
    var space = Space.preserved
    /// What a wildcard lets in.
    var namespaces: Wildcard.Namespaces?
    var rules: [String] = []
    /// The value of an element without text.
    var preset: String?
    /// The schema's type, for messages that say it.
    var schemaType: QName?
    /// What stands for a value until it is read, outside of the service's namespace.
    var placeholder: String
    var documentation: String?

    /// The type where a mark may follow.
    private var marked: String { isDerived ? "(\(type))" : type }

    /// Whether values of its type may travel beside the envelope.
    var isBinary: Bool {
        type == "XSDBase64Binary" || isExternal && type.split(separator: ".").last == "MessageAttachment"
    }

    /// The property's type (Documentation/API.md §2).
    var propertyType: String {
        switch (occurrence, isNillable) {
        case (.required, false): type
        case (.required, true), (.optional, false): "\(marked)?"
        case (.optional, true): "Nillable<\(type)>?"
        case (.repeated, false): "[\(type)]"
        case (.repeated, true): "[Nillable<\(type)>]"
        }
    }

    /// The type of what is stored; nil where it is the property's.
    var storageType: String? {
        if isDerived { return "XMLDerived<\(propertyType)>" }
        return isBoxed ? "XMLBox<\(propertyType.dropLast())>" : nil
    }

    /// The default of the initialiser's parameter; nil when a value must be given.
    var defaultValue: String? {
        switch (occurrence, isNillable) {
        case (.required, false): nil
        // A list that may not be empty is given as any other required value.
        case (.repeated, _): (bounds?.minimum ?? 0) > 0 ? nil : "[]"
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
