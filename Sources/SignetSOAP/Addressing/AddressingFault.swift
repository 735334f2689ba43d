/// The codes of faults of WS-Addressing (SOAP Binding 1.0 §6.4, Submission 2004/08 §5). A fault of SOAP 1.1 has such a
/// code as its code, a fault of SOAP 1.2 as its first subcode; a more specific subcode follows where there is one.
extension SOAPFault.Code {
    /// A header block is invalid.
    public static let invalidAddressingHeader = addressing("InvalidAddressingHeader")
    /// A header block occurs more than once.
    public static let invalidCardinality = addressing("InvalidCardinality")
    /// A reference has no address.
    public static let missingAddressInEPR = addressing("MissingAddressInEPR")
    /// `Action` differs from the `SOAPAction` of HTTP.
    public static let actionMismatch = addressing("ActionMismatch")
    /// The service sends answers only on the connection of the request.
    public static let onlyAnonymousAddressSupported = addressing("OnlyAnonymousAddressSupported")
    /// A header block is absent.
    public static let messageAddressingHeaderRequired = addressing("MessageAddressingHeaderRequired")
    /// There is no service at the address `To`.
    public static let destinationUnreachable = addressing("DestinationUnreachable")
    /// The operation has another action.
    public static let actionNotSupported = addressing("ActionNotSupported")

    private static func addressing(_ localName: String) -> SOAPFault.Code {
        SOAPFault.Code(namespaceURI: AddressingVersion.v10.namespace.uri, localName: localName)
    }

    /// The code in the namespace of `version`; a code without a namespace of its own gets that of 1.0.
    fileprivate func code(in version: AddressingVersion) -> SOAPFault.Code {
        let names = [
            "InvalidAddressingHeader": "InvalidMessageInformationHeader",
            "MessageAddressingHeaderRequired": "MessageInformationHeaderRequired",
        ]
        let name = version == .submission ? names[localName] ?? localName : localName
        return SOAPFault.Code(namespaceURI: version.namespace.uri, localName: name)
    }
}

/// What is wrong with header blocks of WS-Addressing: codes for the peer, a reason for the operator.
struct AddressingDefect: Error {
    let code: SOAPFault.Code
    /// The more specific subcode; 2004/08 has none.
    let subcode: SOAPFault.Code?
    let reason: String
    /// The header block that is wrong or absent.
    var part: AddressingVersion.Part?
    /// The action that no operation of the service has.
    var action: String?

    init(
        _ code: SOAPFault.Code, subcode: SOAPFault.Code? = nil, _ reason: String, part: AddressingVersion.Part? = nil,
        action: String? = nil
    ) {
        self.code = code
        self.subcode = subcode
        self.reason = reason
        self.part = part
        self.action = action
    }

    /// The fault, in the words of the standard.
    func fault(_ version: AddressingVersion) -> SOAPFault {
        let words =
            switch code {
            case .messageAddressingHeaderRequired:
                "A required header representing a Message Addressing Property is not present"
            case .destinationUnreachable: "No route can be determined to reach [destination]"
            case .actionNotSupported: "The [action] cannot be processed at the receiver."
            default:
                "A header representing a Message Addressing Property is not valid and the message cannot be processed"
            }
        let more = version == .v10 ? subcode.map { [$0] } ?? [] : []
        return SOAPFault(.client, words, subcodes: [code.code(in: version)] + more)
    }

    /// The details, which stand in the detail of a fault of SOAP 1.2, and in the header of a fault of SOAP 1.1 (SOAP
    /// Binding 1.0 §6.3).
    func detail(_ version: AddressingVersion) -> XMLFragment? {
        guard version == .v10 else { return nil }
        return try? XMLFragment { writer in
            if let action {
                let name = version.name("ProblemAction")
                writer.startElement(name)
                writer.startElement(version.name(.action))
                writer.text(action)
                writer.endElement(version.name(.action))
                writer.endElement(name)
            } else if let part {
                let name = version.name("ProblemHeaderQName")
                writer.startElement(name)
                writer.text("\(writer.prefix(declaring: version.namespace.uri, wished: "wsa")):\(part.rawValue)")
                writer.endElement(name)
            }
        }
    }
}
