/// A part of a message that a signature can cover (SOAP Message Security 1.1 §8). The body and the UsernameToken can be encrypted, too.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
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
    /// All header blocks that the message has, but for the Security header block.
    case allHeaderBlocks
    /// The header blocks of this namespace that the message has, but for the Security header block.
    case headerBlocks(XMLNamespace)
    /// The header blocks with this name.
    case headerBlock(XMLName)
    /// All attachments that the message has: their content (SOAP Messages with Attachments Profile 1.1.1 §5.4.2). Their media
    /// types, names and locations are not signed.
    case attachments
}

extension MessagePart: CustomStringConvertible {
    public var description: String {
        switch self {
        case .body: "the Body"
        case .timestamp: "the Timestamp"
        case .usernameToken: "the UsernameToken"
        case .signingToken: "the BinarySecurityToken"
        case .addressing: "the header blocks of WS-Addressing"
        case .allHeaderBlocks: "the header blocks"
        case .headerBlocks(let namespace): "the header blocks of “\(namespace.uri)”"
        case .headerBlock(let name): "the header block “\(name.localName)”"
        case .attachments: "the attachments"
        }
    }
}
