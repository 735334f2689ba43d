public import SignetSOAP
import SignetSignature

/// A part of a message that a signature can cover (SOAP Message Security 1.1 §8). The body and the UsernameToken can be encrypted, too.
public enum MessagePart: Sendable, Hashable {
    /// The body.
    case body
    /// The Timestamp in the Security header block.
    case timestamp
    /// The UsernameToken in the Security header block.
    case usernameToken
    /// The BinarySecurityToken with the certificate of the signer.
    case signingToken
    /// All header blocks of WS-Addressing that the message has.
    case addressing
    /// The header blocks with this name.
    case headerBlock(XMLName)
}

extension MessagePart: CustomStringConvertible {
    public var description: String {
        switch self {
        case .body: "the Body"
        case .timestamp: "the Timestamp"
        case .usernameToken: "the UsernameToken"
        case .signingToken: "the BinarySecurityToken"
        case .addressing: "the header blocks of WS-Addressing"
        case .headerBlock(let name): "the header block “\(name.localName)”"
        }
    }
}

extension SecuredEnvelope {
    /// The elements of a part of the message; the Security header block itself is never one.
    func elements(of part: MessagePart) -> [Part] {
        switch part {
        case .body: [body]
        case .timestamp: securityParts.filter { $0.is(SecurityName.timestamp) }
        case .usernameToken: securityParts.filter { $0.is(SecurityName.usernameToken) }
        case .signingToken: securityParts.filter { $0.certificates != nil }
        case .addressing: headerBlocks.filter(\.isAddressing)
        case .headerBlock(let name):
            name == SecurityName.security ? [] : headerBlocks.filter { $0.is(name) }
        }
    }
}

extension SecuredEnvelope.Part {
    var isAction: Bool { isAddressing && element.localName == "Action" }
    var isAddressing: Bool { AddressingVersion.all.contains { $0.namespace.uri == element.namespaceURI } }
}
