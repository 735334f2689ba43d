/// The actions by which WS-Addressing names the messages of an operation (Metadata 1.0 §4.4). Generated code supplies
/// them when the WSDL uses WS-Addressing.
public struct OperationActions: Sendable, Hashable {
    /// The action of the request; nil when it is the `soapAction`.
    public var input: String?
    /// The action of the answer; nil when the WSDL does not state it.
    public var output: String?

    /// - Parameters:
    ///   - input: the action of the request; nil when it is the `soapAction`.
    ///   - output: the action of the answer; nil when the WSDL does not state it.
    public init(input: String? = nil, output: String? = nil) {
        self.input = input
        self.output = output
    }
}

extension OperationRequest {
    /// The actions, with the `soapAction` where the WSDL states no other (Metadata 1.0 §4.4.2).
    var statedActions: OperationActions {
        OperationActions(input: actions.input ?? (soapAction.isEmpty ? nil : soapAction), output: actions.output)
    }
}
