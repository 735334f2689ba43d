import SignetSOAP
import SignetSignature

extension MessagePart {
    /// Whether the part is what a message has of a kind, which may be nothing.
    var isGroup: Bool {
        switch self {
        case .addressing, .allHeaderBlocks, .headerBlocks, .attachments: true
        case .body, .timestamp, .usernameToken, .signingToken, .headerBlock: false
        }
    }

    var isHeaderBlock: Bool { if case .headerBlock = self { true } else { false } }
}

extension SecuredEnvelope {
    /// The elements of a part of the message; the Security header block itself is never one, and attachments are no elements.
    func elements(of part: MessagePart) -> [Part] {
        switch part {
        case .body: [body]
        case .timestamp: securityParts.filter { $0.is(SecurityName.timestamp) }
        case .usernameToken: securityParts.filter { $0.is(SecurityName.usernameToken) }
        case .signingToken: securityParts.filter { $0.certificates != nil || $0.assertion != nil }
        case .addressing: headerBlocks.filter(\.isAddressing)
        case .allHeaderBlocks: headerBlocks.filter { !$0.is(SecurityName.security) }
        case .headerBlocks(let namespace):
            headerBlocks.filter { !$0.is(SecurityName.security) && $0.element.namespaceURI == namespace.uri }
        case .headerBlock(let name):
            name == SecurityName.security ? [] : headerBlocks.filter { $0.is(name) }
        case .attachments: []
        }
    }
}

extension SecuredEnvelope.Part {
    var isAction: Bool { isAddressing && element.localName == "Action" }
    var isAddressing: Bool { AddressingVersion.all.contains { $0.namespace.uri == element.namespaceURI } }
}
