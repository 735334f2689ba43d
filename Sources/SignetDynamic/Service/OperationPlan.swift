import SignetSOAP
import SignetWSDL

/// What travels when an operation is called.
struct OperationPlan: Sendable {
    /// The name that it is called by; overloads have names of their own.
    var name: String
    /// As the WSDL calls it.
    var wsdlName: String
    var documentation: String?
    var soapAction = ""
    /// What WS-Addressing names the messages by.
    var actions: MessageActions?
    /// How it travels without SOAP; nil with SOAP.
    var http: HTTPExchange?
    /// The element of the request's body; in RPC style a wrapper made up for it.
    var input: ElementDeclaration?
    /// Nil when there is no answer.
    var output: ElementDeclaration?
    var headers: [PlannedBlock] = []
    var answerHeaders: [PlannedBlock] = []
    var faults: [PlannedBlock] = []
    /// Whether the input's element is made up and only what is in it travels, as the content of the body itself.
    var inputIsContent = false
    /// The same for the output.
    var outputIsContent = false
    /// Whether messages are written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    var isEncoded = false
    /// Whether it is a remote procedure (WSDL 1.1 §3.4).
    var isRPC = false
    /// What its policies ask for beyond those of the port.
    var requirements: [ServiceRequirement] = []
    /// What policies ask for and nobody does here.
    var unsupported: [String] = []
    /// Why it is not known what policies ask for.
    var unknown: [String] = []
    var reasonNotCallable: String?

    var description: DynamicOperation {
        DynamicOperation(
            name: name, documentation: documentation, soapAction: soapAction, input: input.map { "\($0.name)" },
            output: output.map { "\($0.name)" }, headers: Key.texts(of: headers.map(\.name)),
            faults: faults.map { "\($0.name)" }, requirements: requirements,
            unsupportedRequirements: unsupported, unknownRequirements: unknown, reasonNotCallable: reasonNotCallable)
    }
}

/// A header block, or what the detail of a fault holds.
struct PlannedBlock: Sendable {
    /// That of the schema; made up where the message's part has a type.
    var element: ElementDeclaration
    /// Whether it is written by the rules of SOAP's encoding.
    var isEncoded: Bool
    var name: QName { element.name }

    /// Nil where the type has none.
    var typeName: QName? { if case .named(let name) = element.type { name } else { nil } }
}
