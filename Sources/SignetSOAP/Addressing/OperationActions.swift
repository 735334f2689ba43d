/// What the messages of an operation mean: the actions that WS-Addressing names them by (Metadata 1.0 §4.4). Generated code gives
/// them where the WSDL speaks of WS-Addressing.
public struct OperationActions: Sendable, Hashable {
    /// That of the request; nil where it is the `soapAction`.
    public var input: String?
    /// That of the answer; nil where the WSDL does not say.
    public var output: String?

    /// - Parameters:
    ///   - input: the action of the request; nil where it is the `soapAction`.
    ///   - output: the action of the answer; nil where the WSDL does not say.
    public init(input: String? = nil, output: String? = nil) {
        self.input = input
        self.output = output
    }
}

extension OperationRequest {
    /// The actions with the `soapAction` where nothing else is said (Metadata 1.0 §4.4.2).
    var statedActions: OperationActions {
        OperationActions(input: actions.input ?? (soapAction.isEmpty ? nil : soapAction), output: actions.output)
    }
}
