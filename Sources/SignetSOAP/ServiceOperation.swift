/// One operation of a service: its input, its output, and its names in messages. Generated code makes these.
public struct ServiceOperation<Input: XMLStructure, Output: XMLStructure>: Sendable {
    /// The element in the body of the answer; nil when the output is the content of the body itself.
    public let output: XMLName?
    /// The faults that the WSDL declares.
    public let faults: [FaultBinding]
    /// Whether the operation is a remote procedure.
    public let isRPC: Bool
    let request: OperationRequest

    /// - Parameters:
    ///   - name: the operation's name in the WSDL.
    ///   - soapAction: see ``soapAction``.
    ///   - version: the version of SOAP to which the WSDL binds the operation; a client may choose another.
    ///   - input: the element in the body of the request; nil when the input is the content of the body itself.
    ///   - output: the same for the answer.
    ///   - faults: the faults that the WSDL declares.
    ///   - isEncoded: whether messages are written by the rules of SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
    ///   - isRPC: whether the operation is a remote procedure (WSDL 1.1 §3.4): the name of its answer has no meaning,
    ///     nor has the name of the only value in it (SOAP 1.1 §7.1).
    ///   - requirements: what the policies of the operation demand of a call, besides those of the port.
    ///   - namespaces: the namespaces of the messages, to be declared once on the envelope.
    ///   - actions: the actions by which WS-Addressing names the messages, when the WSDL states more than `soapAction`.
    public init(
        name: String, soapAction: String, version: SOAPVersion, input: XMLName?, output: XMLName?,
        faults: [FaultBinding] = [], isEncoded: Bool = false, isRPC: Bool = false,
        requires requirements: [ServiceRequirement] = [],
        namespaces: [String] = [], actions: OperationActions = .init()
    ) {
        request = OperationRequest(
            name, soapAction, version, input, isEncoded, requirements, namespaces, actions, isOneWay: false)
        self.output = output
        self.faults = faults
        self.isRPC = isRPC
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// Sent as the `SOAPAction` field, even when empty (SOAP 1.1 §6.1.1), or as the parameter `action` of the content
    /// type, unless empty (SOAP 1.2 Part 2 §6.5.3).
    public var soapAction: String { request.soapAction }
    /// The version of SOAP to which the WSDL binds the operation. ``CallSettings/version`` takes precedence.
    public var version: SOAPVersion { request.version }
    /// The element in the body of the request; nil when the input is the content of the body itself.
    public var input: XMLName? { request.input }
    /// What the policies of the operation demand of a call, besides those of the port.
    public var requirements: [ServiceRequirement] { request.requirements }
    /// Whether messages are written by the rules of SOAP's encoding.
    public var isEncoded: Bool { request.isEncoded }
}

/// An operation that is not answered (WSDL 1.1 §2.4.1). Generated code makes these.
public struct OneWayOperation<Input: XMLStructure>: Sendable {
    let request: OperationRequest

    /// The parameters are those of ``ServiceOperation``.
    public init(
        name: String, soapAction: String, version: SOAPVersion, input: XMLName?, isEncoded: Bool = false,
        requires requirements: [ServiceRequirement] = [], namespaces: [String] = [],
        actions: OperationActions = .init()
    ) {
        request = OperationRequest(
            name, soapAction, version, input, isEncoded, requirements, namespaces, actions, isOneWay: true)
    }

    /// The operation's name in the WSDL.
    public var name: String { request.name }
    /// See ``ServiceOperation/soapAction``.
    public var soapAction: String { request.soapAction }
    /// The version of SOAP to which the WSDL binds the operation. ``CallSettings/version`` takes precedence.
    public var version: SOAPVersion { request.version }
    /// The element in the body of the request; nil when the input is the content of the body itself.
    public var input: XMLName? { request.input }
    /// What the policies of the operation demand of a call, besides those of the port.
    public var requirements: [ServiceRequirement] { request.requirements }
}

/// The constant parts of a request, for operations with and without an answer. It never changes; each call takes one
/// reference to it.
final class OperationRequest: Sendable {
    let name: String
    let soapAction: String
    /// ``soapAction`` as a quoted string (RFC 9110 §5.6.4); nil when an HTTP field cannot represent it.
    let quotedAction: String?
    let version: SOAPVersion
    let input: XMLName?
    let isEncoded: Bool
    let requirements: [ServiceRequirement]
    private let namespaces: [(prefix: String, namespace: XMLNamespace)]
    /// The beginning of envelopes of ``version``.
    private let opening: XMLDocumentPrefix
    let actions: OperationActions
    let isOneWay: Bool

    init(
        _ name: String, _ soapAction: String, _ version: SOAPVersion, _ input: XMLName?, _ isEncoded: Bool,
        _ requirements: [ServiceRequirement], _ namespaces: [String], _ actions: OperationActions, isOneWay: Bool
    ) {
        self.actions = actions
        self.isOneWay = isOneWay
        self.name = name
        self.soapAction = soapAction
        let isSendable = soapAction.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        quotedAction = isSendable ? soapAction.quoted : nil
        self.version = version
        self.input = input
        self.isEncoded = isEncoded
        self.requirements = requirements
        self.namespaces = namespaces.filter { !$0.isEmpty }.enumerated().map { index, uri in
            (index == 0 ? "m" : "m\(index + 1)", XMLNamespace(uri))
        }
        opening = Self.opening(version, self.namespaces, isEncoded)
    }

    private static func opening(
        _ version: SOAPVersion, _ namespaces: [(prefix: String, namespace: XMLNamespace)], _ isEncoded: Bool
    ) -> XMLDocumentPrefix {
        EnvelopeWriter.opening(version, namespaces + (isEncoded ? SOAPEncoding.prefixes(version) : []))
    }
}

extension OperationRequest {
    /// Makes an envelope around a message of this operation: its input or its output.
    ///
    /// - Parameters:
    ///   - element: the element that contains the message; nil when the message is the content of the body itself.
    ///   - collector: takes the values to send beside the envelope; nil to write everything into it.
    func envelope(
        _ version: SOAPVersion, _ headerBlocks: [HeaderBlock], _ element: XMLName?, _ message: some XMLStructure,
        collector: AttachmentCollector? = nil
    ) throws(XMLError) -> [UInt8] {
        let isEncoded = isEncoded
        let header: ((inout XMLWriter) -> Void)? = { writer in
            for block in headerBlocks { block.write(to: &writer, version) }
        }
        let style = isEncoded ? [(version.encodingStyle, SOAPEncoding.namespace(version).uri)] : []
        return try EnvelopeWriter.envelope(
            version, version == self.version ? opening : Self.opening(version, namespaces, isEncoded),
            namesTypes: isEncoded, header: headerBlocks.isEmpty ? nil : header, collector: collector
        ) { writer in
            if let element {
                writer.startElement(version.body)
                writer.element(element, message, attributes: style)
                writer.endElement(version.body)
            } else {
                // In SOAP 1.2 the body cannot have the style attribute (Part 1 §5.1.1).
                writer.element(version.body, message, attributes: version == .soap11 ? style : [])
            }
        }
    }
}
