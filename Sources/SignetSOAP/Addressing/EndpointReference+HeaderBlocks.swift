extension EndpointReference {
    /// The header blocks that go with a message to this endpoint (SOAP Binding 1.0 §3.3, Submission 2004/08 §2.4).
    ///
    /// The creator of the reference decides what the blocks contain, and must not be able to speak in the name of this
    /// program. No block may therefore be one of SOAP, WS-Addressing, WS-Security, signature or encryption, state which
    /// node must understand it, or have an identifier that a signature could refer to.
    func headerBlocks(_ version: AddressingVersion) throws(AddressingDefect) -> [HeaderBlock] {
        var blocks: [HeaderBlock] = []
        for parameter in referenceProperties + referenceParameters {
            if let reason = Self.objection(to: parameter) {
                throw AddressingDefect(
                    .invalidAddressingHeader,
                    "the reference parameter “\(parameter.localName.prefix(80))” \(reason)")
            }
            guard version == .v10 else {
                blocks.append(HeaderBlock(parameter))
                continue
            }
            do {
                blocks.append(
                    HeaderBlock(
                        try XMLFragment { writer in
                            writer.wildcard(parameter, attributes: [(AddressingVersion.isReferenceParameter, "true")])
                        }))
            } catch {
                throw AddressingDefect(.invalidAddressingHeader, "a reference parameter cannot be written")
            }
        }
        return blocks
    }

    /// Why an element may not become a header block; nil when it may.
    private static func objection(to fragment: XMLFragment) -> String? {
        if fragment.namespaceURI.isEmpty { return "has no namespace" }
        if isReserved(fragment.namespaceURI) { return "is of a standard" }
        if fragment.attributes.contains(where: { isReserved($0.namespaceURI) }) {
            return "has an attribute of a standard"
        }
        let hasIdentifier: Bool? = try? fragment.read { (reader) throws(XMLError) in
            repeat {
                // Software that resolves references recognizes some identifiers by their local names alone, in no
                // namespace.
                if reader.allAttributes().contains(where: { ["id", "assertionid"].contains($0.name.lowercased()) }) {
                    return true
                }
            } while try reader.advanceToElement()
            return false
        }
        return hasIdentifier == false ? nil : "has an identifier, or cannot be read"
    }

    private static func isReserved(_ namespace: String) -> Bool {
        reserved.contains(namespace) || families.contains { namespace.hasPrefix($0) }
    }

    /// WS-Security, WS-Trust, WS-SecureConversation, WS-ReliableMessaging, SAML, and older drafts of WS-Addressing.
    private static let families = [
        "http://docs.oasis-open.org/wss/", "http://docs.oasis-open.org/ws-sx/", "http://docs.oasis-open.org/ws-rx/",
        "http://schemas.xmlsoap.org/ws/2005/02/", "http://schemas.xmlsoap.org/ws/2004/04/",
        "http://schemas.xmlsoap.org/ws/2003/03/addressing", "http://schemas.xmlsoap.org/ws/2004/03/addressing",
        "urn:oasis:names:tc:SAML:", "http://www.w3.org/2009/xmldsig11#", "http://www.w3.org/2009/xmlenc11#",
    ]

    private static let utility = XMLNamespace(
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd")

    /// The namespaces of header blocks that Signet itself writes.
    private static let reserved: Set<String> = Set(
        SOAPVersion.all.map(\.namespace.uri) + AddressingVersion.all.map(\.namespace.uri) + [
            utility.uri, "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd",
            "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd",
            "http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2001/04/xmlenc#",
        ])
}

extension XMLReader {
    /// Moves to the next start tag inside the element whose start tag was read first; false when there is none.
    fileprivate mutating func advanceToElement() throws(XMLError) -> Bool {
        while true {
            switch try next() {
            case .startElement: return true
            case .endOfDocument: return false
            case .endElement, .text: continue
            }
        }
    }
}
