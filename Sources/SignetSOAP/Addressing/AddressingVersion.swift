/// A version of WS-Addressing: its namespace, and the URIs that it gives a meaning to.
public struct AddressingVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The namespace of the header blocks.
    public let namespace: XMLNamespace
    /// The address of the requester: the service answers on the connection of the request.
    public let anonymous: String
    /// The address that has no receiver: a message to it is not sent; nil where the version does not define one.
    public let none: String?

    /// WS-Addressing 1.0 (W3C Recommendations: Core and SOAP Binding of 9 May 2006, Metadata of 4 September 2007).
    public static let v10 = AddressingVersion(
        description: "WS-Addressing 1.0", namespace: XMLNamespace("http://www.w3.org/2005/08/addressing"),
        anonymous: "http://www.w3.org/2005/08/addressing/anonymous", none: "http://www.w3.org/2005/08/addressing/none")

    /// WS-Addressing (W3C Member Submission, 10 August 2004), which older services speak.
    public static let submission = AddressingVersion(
        description: "WS-Addressing 2004/08",
        namespace: XMLNamespace("http://schemas.xmlsoap.org/ws/2004/08/addressing"),
        anonymous: "http://schemas.xmlsoap.org/ws/2004/08/addressing/role/anonymous", none: nil)

    /// The newest first.
    package static let all = [v10, submission]

    /// The header blocks that the version defines.
    var headerBlocks: Set<XMLName> { Set(Part.allCases.map(name)) }

    /// A header block.
    enum Part: String, CaseIterable {
        case action = "Action"
        case messageID = "MessageID"
        case to = "To"
        case from = "From"
        case replyTo = "ReplyTo"
        case faultTo = "FaultTo"
        case relatesTo = "RelatesTo"
    }

    func name(_ part: Part) -> XMLName { XMLName(namespace, part.rawValue) }
    func name(_ localName: String) -> XMLName { XMLName(namespace, localName) }

    /// The action of a fault: of a fault that WS-Addressing itself defines, or of any other to which the WSDL gives no
    /// action (SOAP Binding 1.0 §6).
    func faultAction(isOwn: Bool) -> String {
        self == .v10 && !isOwn ? "\(namespace.uri)/soap/fault" : "\(namespace.uri)/fault"
    }

    /// Marks a header block that was a reference parameter (SOAP Binding 1.0 §3.3).
    static let isReferenceParameter = XMLName(AddressingVersion.v10.namespace, "IsReferenceParameter")
}
