/// One operation of a service: what goes in, what comes out, how it is named on the wire. Generated code makes these.
public struct ServiceOperation<Input: XMLStructure, Output: XMLStructure>: Sendable {
    /// The element that the body of the answer holds.
    public let output: XMLName
    /// The faults that the WSDL declares.
    public let faults: [FaultBinding]
    let request: OperationRequest

    /// - Parameters:
    ///   - name: the operation's name in the WSDL.
    ///   - soapAction: see ``soapAction``.
    ///   - version: the version of SOAP that the WSDL binds the operation to; a client may choose another.
    ///   - input: the element that the body of the request holds.
    ///   - output: the element that the body of the answer holds.
    ///   - faults: the faults that the WSDL declares.
    ///   - namespaces: those of the messages, to be declared once on the envelope.
    public init(
        name: String, soapAction: String, version: SOAPVersion, input: XMLName, output: XMLName,
        faults: [FaultBinding] = [], namespaces: [String] = []
    ) {
        request = OperationRequest(name, soapAction, version, input, namespaces)
        self.output = output
        self.faults = faults
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// Sent as the `SOAPAction` field, even when empty (SOAP 1.1 §6.1.1), or as the parameter `action` of the content
    /// type, unless empty (SOAP 1.2 Part 2 §6.5.3).
    public var soapAction: String { request.soapAction }
    public var version: SOAPVersion { request.version }
    /// The element that the body of the request holds.
    public var input: XMLName { request.input }
    var namespaces: [(prefix: String, namespace: XMLNamespace)] { request.namespaces }
}

/// An operation that is not answered (WSDL 1.1 §2.4.1). Generated code makes these.
public struct OneWayOperation<Input: XMLStructure>: Sendable {
    let request: OperationRequest

    /// The parameters are those of ``ServiceOperation``.
    public init(
        name: String, soapAction: String, version: SOAPVersion, input: XMLName, namespaces: [String] = []
    ) {
        request = OperationRequest(name, soapAction, version, input, namespaces)
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// See ``ServiceOperation/soapAction``.
    public var soapAction: String { request.soapAction }
    public var version: SOAPVersion { request.version }
    /// The element that the body of the request holds.
    public var input: XMLName { request.input }
}

/// What a request is made of, whether it will be answered or not.
struct OperationRequest: Sendable {
    let name: String
    let soapAction: String
    let version: SOAPVersion
    let input: XMLName
    let namespaces: [(prefix: String, namespace: XMLNamespace)]

    init(_ name: String, _ soapAction: String, _ version: SOAPVersion, _ input: XMLName, _ namespaces: [String]) {
        self.name = name
        self.soapAction = soapAction
        self.version = version
        self.input = input
        self.namespaces = namespaces.filter { !$0.isEmpty }.enumerated().map { index, uri in
            (index == 0 ? "m" : "m\(index + 1)", XMLNamespace(uri))
        }
    }
}
