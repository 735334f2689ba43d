/// A header block to send (SOAP 1.1 §4.2, SOAP 1.2 Part 1 §5.2).
public struct HeaderBlock: Sendable {
    /// The namespace of the block's element. SOAP demands one (SOAP 1.1 §4.2, SOAP 1.2 Part 1 §5.2.1).
    public let namespaceURI: String
    /// The name of the block's element in that namespace, without a prefix.
    public let localName: String
    /// Whether the receiver must answer with a fault when it does not know this block.
    public let mustUnderstand: Bool
    /// The role that the block is addressed to; nil for the ultimate receiver.
    public let role: SOAPRole?
    /// Whether an intermediary is to pass the block on although it does not process it; SOAP 1.1 cannot express this.
    public let relay: Bool
    private let write: @Sendable (inout XMLWriter, [(name: XMLName, value: String)]) -> Void

    /// Makes a block with text.
    public init(_ name: XMLName, text: String, mustUnderstand: Bool = false, role: SOAPRole? = nil, relay: Bool = false)
    {
        self.init(name.namespace.uri, name.localName, mustUnderstand, role, relay) { writer, attributes in
            writer.startElement(name, attributes: attributes)
            writer.text(text)
            writer.endElement(name)
        }
    }

    /// Makes a block with a structure. Use ``HeaderElement`` for a block that a WSDL declares.
    public init<Value: XMLStructure>(
        _ name: XMLName, _ value: Value, mustUnderstand: Bool = false, role: SOAPRole? = nil, relay: Bool = false
    ) {
        self.init(name.namespace.uri, name.localName, mustUnderstand, role, relay) {
            $0.element(name, value, attributes: $1)
        }
    }

    /// Makes a block from an element that was made or received elsewhere. The element's own SOAP attributes stay
    /// unchanged.
    public init(_ fragment: XMLFragment, mustUnderstand: Bool = false, role: SOAPRole? = nil, relay: Bool = false) {
        self.init(fragment.namespaceURI, fragment.localName, mustUnderstand, role, relay) { writer, attributes in
            let missing = attributes.filter { name, _ in
                fragment.attribute(name.localName, namespace: name.namespace) == nil
            }
            writer.wildcard(fragment, attributes: missing)
        }
    }

    private init(
        _ namespaceURI: String, _ localName: String, _ mustUnderstand: Bool, _ role: SOAPRole?, _ relay: Bool,
        write: @escaping @Sendable (inout XMLWriter, [(name: XMLName, value: String)]) -> Void
    ) {
        self.namespaceURI = namespaceURI
        self.localName = localName
        self.mustUnderstand = mustUnderstand
        self.role = role
        self.relay = relay
        self.write = write
    }

    func write(to writer: inout XMLWriter, _ version: SOAPVersion) {
        var attributes: [(name: XMLName, value: String)] = []
        if mustUnderstand { attributes.append((version.mustUnderstand, version == .soap11 ? "1" : "true")) }
        if let role = role?.value(in: version) { attributes.append((version.role, role)) }
        if relay, version != .soap11 { attributes.append((version.relay, "true")) }
        write(&writer, attributes)
    }
}
