import SignetSOAP
import SignetWSDL

/// The messages of an operation.
struct OperationPlan: Sendable {
    /// The name to call it by; overloads have names of their own.
    var name: String
    /// The name in the WSDL.
    var wsdlName: String
    var documentation: String?
    var soapAction = ""
    /// The actions by which WS-Addressing names the messages.
    var actions: MessageActions?
    /// The binding to HTTP without SOAP; nil with SOAP.
    var http: HTTPExchange?
    /// The element of the request's body; in RPC style a wrapper that the planner makes.
    var input: ElementDeclaration?
    /// The element of the answer's body; nil when there is no answer.
    var output: ElementDeclaration?
    var headers: [PlannedBlock] = []
    var answerHeaders: [PlannedBlock] = []
    var faults: [PlannedBlock] = []
    /// Whether the input's element is made by the planner, and only its content is sent, as the content of the body
    /// itself.
    var inputIsContent = false
    /// The same for the output.
    var outputIsContent = false
    /// Whether messages are written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    var isEncoded = false
    /// Whether it is a remote procedure (WSDL 1.1 §3.4).
    var isRPC = false
    /// What its policies demand besides the demands of the port.
    var requirements: [ServiceRequirement] = []
    /// Demands of policies that Signet does not meet.
    var unsupported: [String] = []
    /// Why some demands of policies are unknown.
    var unknown: [String] = []
    var reasonNotCallable: String?

    var description: DynamicOperation {
        DynamicOperation(
            name: name, documentation: documentation, soapAction: soapAction, input: input.map { "\($0.name)" },
            output: output.map { "\($0.name)" }, headers: ElementKey.texts(of: headers.map(\.name)),
            faults: faults.map { "\($0.name)" }, requirements: requirements,
            unsupportedRequirements: unsupported, unknownRequirements: unknown, reasonNotCallable: reasonNotCallable)
    }
}

/// A header block, or the content of a fault's detail.
struct PlannedBlock: Sendable {
    /// The element of the schema; made by the planner when the message's part has a type.
    var element: ElementDeclaration
    /// Whether the block is written by the rules of SOAP's encoding.
    var isEncoded: Bool
    var name: QName { element.name }

    /// The name of the type; nil when the type has none.
    var typeName: QName? { if case .named(let name) = element.type { name } else { nil } }
}
