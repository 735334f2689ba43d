import SignetWSDL

/// The content of the generated files, with every Swift name decided: the third stage's result.
struct ServicePlan {
    /// The Swift namespace.
    var name: String
    /// The service's name in the WSDL.
    var serviceName: String
    var documentation: String?
    /// The ports, the primary one first.
    var ports: [PortPlan]
    /// Whether the ports are bound to HTTP without SOAP, so that only a client is generated.
    var isPlainHTTP: Bool { ports.first?.version == nil }
    /// Whether messages may be multipart: some have attachments, or binary values, which MTOM moves out of the
    /// envelope.
    var takesAttachments: Bool {
        operations.contains(where: \.hasAttachments) || types.contains(where: \.hasBinaryValues)
    }
    var headers: [HeaderPlan]
    var operations: [OperationPlan]
    /// Sorted by container and name.
    var types: [TypePlan]
    /// The types that `xsi:type` may name, with names for code outside all containers.
    var derivedTypes: [String] = []
    /// The protocols to which `XMLAny` conforms: those of bases for which not all derived types have declarations.
    var keepingProtocols: [String] = []
    var namespaces: [NamespacePlan]
    /// The Swift types of the messages, with names for code outside of the service's namespace.
    var messageTypes: [TypeKey: String]
    /// The schema from which the types were planned.
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
    /// The case of `AddressingVersion`; nil when the WSDL does not use WS-Addressing.
    var addressing: String?
    /// The requirements of its policies, as cases of `ServiceRequirement`.
    var requirements: [String] = []
    var accepted: [String] = []
    /// The requirements of single operations that other ports do not have, as elements of a dictionary.
    var operations: [String] = []
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
    /// The actions of WS-Addressing for the messages, where they differ from `soapAction`.
    var actions: (input: String?, output: String?)
    /// The exchange over HTTP without SOAP; nil with SOAP.
    var http: HTTPExchange?
    var input: MessagePlan
    /// Nil for a one-way operation.
    var output: MessagePlan?
    var faults: [MessagePlan]
    /// Whether the messages are written by the rules of SOAP's encoding.
    var isEncoded: Bool
    /// Whether the style is RPC.
    var isRPC: Bool
    /// Whether header blocks are declared for the input.
    var takesHeaderBlocks: Bool
    /// Whether the input's envelope may have attachments.
    var takesAttachments: Bool
    /// Whether the envelope of the input or the output may have attachments.
    var hasAttachments: Bool
    /// The requirements of its policies beyond those of the port, as cases of `ServiceRequirement`.
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
    /// The Swift type for code outside of the service's namespace.
    var outsideType: String
    /// Whether it is an input or output that may be nil.
    var isNillable = false
    /// The action of WS-Addressing for a fault.
    var action: String?
}

struct TypePlan {
    enum Content {
        case structure([FieldPlan])
        case choice([FieldPlan], isIndirect: Bool)
        case enumeration([CasePlan])
        case array(ArrayPlan)
        case union([UnionMemberPlan])
        /// An abstract type, which has only a protocol.
        case none
    }

    /// Whether visible parts of the structure's or protocol's declaration mention types of the runtime.
    func exposesRuntime(_ access: AccessLevel) -> Bool {
        if let plan = protocolPlan,
            plan.inherited.isEmpty || plan.requirements.contains(where: { SwiftName.namesRuntime($0.type) })
        {
            return true
        }
        switch content {
        case .structure(let fields):
            // The initialiser of a wide structure is inlinable, so callers compile it, and it begins with an empty
            // value of the runtime.
            if access == .public && Self.isWide(fields) { return true }
            return fields.contains { field in
                SwiftName.namesRuntime(field.propertyType, isExternal: field.isExternal)
                    || access == .public && field.storageType != nil
            }
        case .array(let array): return SwiftName.namesRuntime(array.item.type) || array.item.isDerived
        case .choice, .enumeration, .union, .none: return false
        }
    }

    /// Whether a structure has so many properties that its initialiser assigns them to an empty value.
    static func isWide(_ fields: [FieldPlan]) -> Bool { fields.count > 100 }

    /// Whether a case holds a value of a type from a module other than the runtime.
    var exposesOtherModules: Bool {
        switch content {
        case .choice(let fields, _): fields.contains(where: \.isExternal)
        case .union(let members): members.contains(where: \.isExternal)
        case .structure, .array, .enumeration, .none: false
        }
    }

    /// Whether visible declarations in the file that reads and writes the type mention types of the runtime beyond a
    /// conformance.
    var exposesCoding: Bool {
        switch content {
        case .enumeration(let cases): cases.contains { !$0.value.isCollapsed }
        case .none: false
        case .structure, .choice, .array, .union: true
        }
    }

    var key: TypeKey
    var name: String
    /// The enum inside the service's namespace that holds the type; nil for the latter itself.
    var container: String?
    var content: Content
    var isUnordered = false
    /// Whether text may occur among the alternatives of a choice.
    var isMixed = false
    /// The expression for a choice until its value is read.
    var placeholder = ""
    /// The protocols of its bases, its own first, with names for code outside of the service's namespace.
    var protocols: [String] = []
    /// The value of `xsi:type` for this type; nil when the type takes no part in derivation.
    var xmlName: QName?
    /// The protocol of all types derived from this one; nil when it has no derived types.
    var protocolPlan: ProtocolPlan?
    /// Whether the messages state the types of their elements (`xsi:type`).
    var writesTypes = false
    var documentation: String?

    /// The table of a structure or a choice; nil for any other declaration.
    var table: TablePlan? {
        switch content {
        case .structure(let fields), .choice(let fields, _): TablePlan(self, fields)
        case .enumeration, .union, .array, .none: nil
        }
    }

    /// Whether one of its own values is binary, so that MTOM may move it out of the envelope.
    var hasBinaryValues: Bool {
        switch content {
        case .structure(let fields), .choice(let fields, _): fields.contains(where: \.isBinary)
        case .array(let array): array.item.isBinary
        case .enumeration, .union, .none: false
        }
    }

    /// The approximate amount of generated text.
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

/// The name of a declared type. A type may have the same name as the service, and hide the service from the code beside
/// it.
struct TypeName {
    /// The name for code in the same namespace.
    var inside: String
    /// The name for code outside of the service's namespace.
    var outside: String
}

struct FieldPlan {
    enum Space { case preserved, replaced, collapsed }
    /// The kind of content of one value.
    enum Content { case value, structure, choice, fragment }

    /// The property's or case's name, escaped.
    var name: String
    var xmlName: String
    var namespace: String
    var kind: BoundField.Kind
    var content: Content
    /// The Swift type of one value.
    var type: String
    /// The built-in type; nil for any other type.
    var builtIn: BuiltInType?
    /// The type that the schema names.
    var declared: TypeName?
    /// Whether that type is abstract.
    var isAbstract = false
    /// Whether values may have derived types.
    var isDerived = false
    /// Whether the type comes from a module that the configuration names.
    var isExternal = false
    var occurrence: BoundField.Occurrence
    var bounds: Occurrences?
    var isNillable: Bool
    /// Whether the value is kept on the heap: the type is recursive, or large.
    var isBoxed: Bool
    /// How white space is handled when a string is read.
    var space = Space.preserved
    /// The namespaces that a wildcard allows.
    var namespaces: Wildcard.Namespaces?
    var rules: [String] = []
    /// The value of an element without text.
    var preset: String?
    /// The schema's type, for messages that state it.
    var schemaType: QName?
    /// The expression for a value until it is read, for code outside of the service's namespace.
    var placeholder: String
    var documentation: String?

    /// The type in a form to which `?` can be appended.
    private var marked: String { isDerived ? "(\(type))" : type }

    /// Whether values of its type may travel beside the envelope.
    var isBinary: Bool {
        type == "XSDBase64Binary" || isExternal && type.split(separator: ".").last == "MessageAttachment"
    }

    /// The property's type (the article SchemaReference).
    var propertyType: String {
        switch (occurrence, isNillable) {
        case (.required, false): type
        case (.required, true), (.optional, false): "\(marked)?"
        case (.optional, true): "Nillable<\(type)>?"
        case (.repeated, false): "[\(type)]"
        case (.repeated, true): "[Nillable<\(type)>]"
        }
    }

    /// The type of the stored property; nil when it is the property's own type.
    var storageType: String? {
        if isDerived { return "XMLDerived<\(propertyType)>" }
        return isBoxed ? "XMLBox<\(propertyType.dropLast())>" : nil
    }

    /// The default of the initialiser's parameter; nil when a value must be given.
    var defaultValue: String? {
        switch (occurrence, isNillable) {
        case (.required, false): nil
        // A list that must not be empty is required like any other value.
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
