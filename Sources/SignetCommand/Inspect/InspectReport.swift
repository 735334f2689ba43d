#if CommandLine
/// The services of a WSDL, as `signet inspect --json` prints them. Names and meanings stay stable; more may be added.
struct InspectReport: Encodable {
    /// The file as the user named it.
    var wsdl: String
    var services: [Service]
    /// The diagnostics of the load, `file:line:column: severity: message`.
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
        /// The address as written in the WSDL; absent when the WSDL gives none.
        var address: String?
        /// `SOAP 1.1`, `SOAP 1.2`, `HTTP`, or the namespace of another binding.
        var binding: String
        var documentation: String?
        /// The reason why the port cannot be used; absent when it can.
        var reasonNotUsable: String?
        /// The demands of the port's policies, one sentence each.
        var security: [String]
        /// The requirements for every call.
        var requirements: [Requirement]
        /// The requirements that a message may satisfy.
        var acceptedRequirements: [Requirement]
        /// The demands that Signet does not satisfy by itself, each with its place.
        var unsupportedRequirements: [String]
    }

    struct Operation: Encodable {
        var name: String
        var documentation: String?
        /// `document` or `rpc`.
        var style: String
        /// The ports that bind it.
        var ports: [String]
        /// The action of the first of these ports.
        var soapAction: String?
        var input: Message?
        /// Absent for an operation without an answer.
        var output: Message?
        var faults: [Message]
        /// The demands of the operation's policies, one sentence each.
        var security: [String]
        /// The requirements for a call beyond those of the first port.
        var requirements: [Requirement]
        /// The demands that Signet does not satisfy by itself, each with its place.
        var unsupportedRequirements: [String]
        /// The reason why `signet call` cannot call it; absent when it can.
        var reasonNotCallable: String?
        /// The reasons why `signet generate` leaves it out; empty when it does not.
        var reasonsNotGenerated: [String]
    }

    /// One requirement of a call.
    struct Requirement: Encodable {
        /// `tls`, `clientCertificate`, `httpAuthentication`, `timestamp`, `usernameToken`, `addressing` or `mtom`.
        var kind: String
        /// The scheme of HTTP authentication; the form of a token: `noPassword`, `text`, `textWithNonce` or `digest`.
        var value: String?
        /// The description in words.
        var text: String
    }

    struct Message: Encodable {
        /// The name of the fault, or of the message when the WSDL gives it one.
        var name: String?
        /// The content of the body, or of a fault's detail.
        var body: [SchemaNode]
        /// The header blocks.
        var headers: [SchemaNode]
    }
}

extension InspectReport {
    /// The reason why `signet generate` could generate none of the shown operations; nil when it could generate one.
    ///
    /// - Parameter service: the default service when the user names none. When one operation is shown, any service that
    ///   has it counts.
    func reasonNotGenerated(service: String?) -> String? {
        let all = services.filter { !$0.operations.isEmpty }
        let operations = (all.first { $0.name == service } ?? all.first)?.operations ?? []
        guard operations.allSatisfy({ !$0.reasonsNotGenerated.isEmpty }) else { return nil }
        return operations.first?.reasonsNotGenerated.first ?? "it has no operation that is bound."
    }
}

/// An element, an attribute, or a group of elements, with its children.
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

    /// The reason why the children, or some of them, are not shown.
    enum Cut: String, Encodable {
        /// The type is already shown further up.
        case recursion
        /// The tree has reached the requested depth, or the maximum size.
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
    /// The type's name: `xs:…` for a built-in type, else the local name; absent for an anonymous type.
    var type: String?
    /// The built-in type from which it is derived; absent for a built-in type itself.
    var base: String?
    var minOccurs = 1
    var maxOccurs = Maximum.number(1)
    var nillable: Bool?
    /// Whether another type or element must replace it.
    var abstract: Bool?
    /// Whether text may occur between the children.
    var mixed: Bool?
    /// The default value.
    var `default`: String?
    /// The only allowed value.
    var fixed: String?
    /// The values of an enumeration.
    var values: [String]?
    /// Other rules of the type, `maxLength=20`.
    var rules: [String]?
    /// The types that may replace its own.
    var derivedTypes: [String]?
    /// The elements that may replace it.
    var substitutes: [String]?
    var documentation: String?
    var cut: Cut?
    var children: [SchemaNode] = []
}
#endif
