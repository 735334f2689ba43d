#if CommandLine
/// What a WSDL offers, as `signet inspect --json` prints it. Names and meanings stay; more may be added.
struct InspectReport: Encodable {
    /// The file as it was named.
    var wsdl: String
    var services: [Service]
    /// What was met while reading, `file:line:column: severity: message`.
    var diagnostics: [String]

    struct Service: Encodable {
        var name: String
        var namespace: String
        var documentation: String?
        var ports: [Port]
        var operations: [Operation]
    }

    struct Port: Encodable {
        var name: String
        /// As the WSDL writes it; absent when it gives none.
        var address: String?
        /// `SOAP 1.1`, `SOAP 1.2`, `HTTP`, or the namespace of another binding.
        var binding: String
        var documentation: String?
        /// Why it cannot be used; absent when it can.
        var reasonNotUsable: String?
        /// What the policies of the port ask for, a sentence each.
        var security: [String]
        /// What of it every call must have.
        var requirements: [Requirement]
        /// What of it a message may have.
        var acceptedRequirements: [Requirement]
        /// What of it Signet does not do by itself, each with its place.
        var unsupportedRequirements: [String]
    }

    struct Operation: Encodable {
        var name: String
        var documentation: String?
        /// `document` or `rpc`.
        var style: String
        /// The ports that bind it.
        var ports: [String]
        /// As the first of these ports gives it.
        var soapAction: String?
        var input: Message?
        /// Absent where no answer is given.
        var output: Message?
        var faults: [Message]
        /// What the policies of the operation ask for, a sentence each.
        var security: [String]
        /// What of it a call must have beyond what the first of the ports asks for.
        var requirements: [Requirement]
        /// What of it Signet does not do by itself, each with its place.
        var unsupportedRequirements: [String]
        /// Why `signet call` cannot call it; absent when it can.
        var reasonNotCallable: String?
        /// Why `signet generate` makes nothing of it; empty when it does.
        var reasonsNotGenerated: [String]
    }

    /// What a call must have.
    struct Requirement: Encodable {
        /// `tls`, `clientCertificate`, `httpAuthentication`, `timestamp`, `usernameToken`, `addressing` or `mtom`.
        var kind: String
        /// The scheme of HTTP authentication; the form of a token: `noPassword`, `text`, `timedText` or `digest`.
        var value: String?
        /// The same in words.
        var text: String
    }

    struct Message: Encodable {
        /// Of the fault, or of the message where the WSDL gives it one.
        var name: String?
        /// What stands in the body, or in the detail of a fault.
        var body: [SchemaNode]
        /// The header blocks.
        var headers: [SchemaNode]
    }
}

extension InspectReport {
    /// Why `signet generate` would make nothing of the operations that are shown; nil when it would make something.
    ///
    /// - Parameter service: the one that it takes where none is named. Where one operation is shown, any that has it counts.
    func reasonNotGenerated(service: String?) -> String? {
        let all = services.filter { !$0.operations.isEmpty }
        let operations = (all.first { $0.name == service } ?? all.first)?.operations ?? []
        guard operations.allSatisfy({ !$0.reasonsNotGenerated.isEmpty }) else { return nil }
        return operations.first?.reasonsNotGenerated.first ?? "it has no operation that is bound."
    }
}

/// An element, an attribute, or a group of elements, with what stands inside.
struct SchemaNode: Encodable, Hashable {
    enum Kind: String, Encodable {
        case element, attribute
        /// All of the children in their order.
        case sequence
        /// One of the children.
        case choice
        /// All of the children in any order.
        case all
        /// Elements, or attributes, that the schema does not name.
        case any, anyAttribute
    }

    /// Why the children, or some of them, are not shown.
    enum Cut: String, Encodable {
        /// The type is shown further up.
        case recursion
        /// The tree is as deep as was asked for, or larger than a person reads.
        case depth, size
    }

    /// A number, or `unbounded`.
    enum Maximum: Encodable, Hashable {
        case number(Int)
        case unbounded

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .number(let number): try container.encode(number)
            case .unbounded: try container.encode("unbounded")
            }
        }
    }

    var kind: Kind
    /// The local name; absent for groups.
    var name: String?
    var namespace: String?
    /// The type's name: `xs:…` for one that is built in, else the local name; absent for one without a name.
    var type: String?
    /// The built-in type that it comes down to, where that is another one.
    var base: String?
    var minOccurs = 1
    var maxOccurs = Maximum.number(1)
    var nillable: Bool?
    /// Whether another type, or another element, must stand in its place.
    var abstract: Bool?
    /// Whether text may stand between the children.
    var mixed: Bool?
    /// What it has when nothing is given.
    var `default`: String?
    /// All that it may be.
    var fixed: String?
    /// The values of an enumeration.
    var values: [String]?
    /// Other rules of the type, `maxLength=20`.
    var rules: [String]?
    /// Types that may stand in the place of its own.
    var derivedTypes: [String]?
    /// Elements that may stand in its place.
    var substitutes: [String]?
    var documentation: String?
    var cut: Cut?
    var children: [SchemaNode] = []
}
#endif
