import SignetSOAP

/// A question to devices, in one version: Probe or Resolve.
struct DiscoveryRequest: Sendable {
    enum Kind: Sendable, Hashable {
        case probe(types: [XMLName], scopes: [String], ScopeMatching?)
        case resolve(String)
    }

    let messageID: String
    let bytes: [UInt8]

    init(_ kind: Kind, _ version: DiscoveryVersion, messageID: String = newMessageID()) throws(XMLError) {
        self.messageID = messageID
        let soap = SOAPVersion.soap12
        let (addressing, discovery) = (version.addressing.namespace, version.namespace)
        func element(_ name: XMLName, _ text: String, _ writer: inout XMLWriter) {
            writer.startElement(name)
            writer.text(text)
            writer.endElement(name)
        }
        var writer = XMLWriter()
        writer.declaration()
        writer.startElement(
            soap.envelope,
            declaring: [("soap", soap.namespace), ("wsa", addressing), ("d", discovery)])
        writer.startElement(soap.header)
        let action =
            switch kind {
            case .probe: "\(discovery.uri)/Probe"
            case .resolve: "\(discovery.uri)/Resolve"
            }
        element(XMLName(addressing, "Action"), action, &writer)
        element(XMLName(addressing, "MessageID"), messageID, &writer)
        let replyTo = XMLName(addressing, "ReplyTo")
        writer.startElement(replyTo)
        element(XMLName(addressing, "Address"), version.addressing.anonymous, &writer)
        writer.endElement(replyTo)
        element(XMLName(addressing, "To"), version.destination, &writer)
        writer.endElement(soap.header)
        writer.startElement(soap.body)
        switch kind {
        case .probe(let types, let scopes, let matching):
            let probe = XMLName(discovery, "Probe")
            writer.startElement(probe)
            if !types.isEmpty { Self.write(types, XMLName(discovery, "Types"), &writer) }
            if !scopes.isEmpty || matching != nil {
                let name = XMLName(discovery, "Scopes")
                let rule = matching?.uri(in: version)
                writer.startElement(name, attributes: rule.map { [(XMLName(.none, "MatchBy"), $0)] } ?? [])
                writer.text(scopes.joined(separator: " "))
                writer.endElement(name)
            }
            writer.endElement(probe)
        case .resolve(let address):
            let (resolve, reference) = (XMLName(discovery, "Resolve"), XMLName(addressing, "EndpointReference"))
            writer.startElement(resolve)
            writer.startElement(reference)
            element(XMLName(addressing, "Address"), address, &writer)
            writer.endElement(reference)
            writer.endElement(resolve)
        }
        writer.endElement(soap.body)
        writer.endElement(soap.envelope)
        bytes = try writer.finish()
    }

    private static func write(_ types: [XMLName], _ name: XMLName, _ writer: inout XMLWriter) {
        var words: [String] = []
        writer.startElement(name) { writer in
            for type in types {
                // Simple devices compare the text with that of ONVIF's examples, whose prefix is this one.
                let wished = type.namespace == DeviceDiscovery.onvifCamera.namespace ? "dn" : "t"
                let prefix = writer.prefix(declaring: type.namespace.uri, wished: wished)
                words.append(prefix.isEmpty ? type.localName : "\(prefix):\(type.localName)")
            }
        }
        writer.text(words.joined(separator: " "))
        writer.endElement(name)
    }

    /// A random UUID (RFC 9562 §5.4) as a URI.
    static func newMessageID() -> String {
        var generator = SystemRandomNumberGenerator()
        let (high, low) = (generator.next(), generator.next())
        func digits(_ value: UInt64, _ count: Int) -> String {
            let text = String(value, radix: 16)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let version = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        let variant = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return "urn:uuid:"
            + [
                digits(version >> 32, 8), digits(version >> 16 & 0xFFFF, 4), digits(version & 0xFFFF, 4),
                digits(variant >> 48, 4), digits(variant & 0xFFFF_FFFF_FFFF, 12),
            ].joined(separator: "-")
    }
}
