/// One operation of a service: what goes in, what comes out, how it is named on the wire. Generated code makes these.
public struct ServiceOperation<Input: XMLStructure, Output: XMLStructure>: Sendable {
    /// The operation's name in the WSDL.
    public let name: String
    /// Sent in quotes as the `SOAPAction` field, even when empty (SOAP 1.1 §6.1.1).
    public let soapAction: String
    public let version: SOAPVersion
    /// The element that the body of the request holds.
    public let input: XMLName
    /// The element that the body of the answer holds.
    public let output: XMLName
    /// The faults that the WSDL declares.
    public let faults: [FaultBinding]
    /// The namespaces of the messages, declared once on the envelope.
    let namespaces: [(prefix: String, namespace: XMLNamespace)]

    public init(
        name: String, soapAction: String, version: SOAPVersion, input: XMLName, output: XMLName,
        faults: [FaultBinding] = [], namespaces: [String] = []
    ) {
        self.name = name
        self.soapAction = soapAction
        self.version = version
        self.input = input
        self.output = output
        self.faults = faults
        self.namespaces = namespaces.filter { !$0.isEmpty }.enumerated().map { index, uri in
            (index == 0 ? "m" : "m\(index + 1)", XMLNamespace(uri))
        }
    }
}

/// Ties the element inside a fault's detail to its type.
public struct FaultBinding: Sendable {
    let name: XMLName
    /// Reads the detail and makes the error to throw.
    let decode: @Sendable (inout XMLReader) throws(XMLError) -> @Sendable (SOAPFault) -> any Error
    /// Writes the detail of an error of this kind; nil for any other error.
    let encode: @Sendable (any Error) -> (fault: SOAPFault, write: @Sendable (inout XMLWriter) -> Void)?

    /// A fault whose detail is the element `name` of type `Detail`.
    public static func declared<Detail: XMLStructure>(_ name: XMLName, _ type: Detail.Type) -> FaultBinding {
        FaultBinding(
            name: name,
            decode: { (reader) throws(XMLError) in
                let detail = try reader.structure(Detail.self)
                return { DeclaredFault(detail, element: name, fault: $0) }
            },
            encode: { error in
                guard let declared = error as? DeclaredFault<Detail>, !declared.fault.isReceived,
                    declared.element == nil || declared.element == name
                else { return nil }
                return (declared.fault, { $0.element(name, declared.detail) })
            })
    }
}
