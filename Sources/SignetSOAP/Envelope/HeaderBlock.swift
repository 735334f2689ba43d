/// A header block to send (SOAP 1.1 §4.2).
public struct HeaderBlock: Sendable {
    public let name: XMLName
    /// The receiver must answer with a fault when it does not know this block.
    public let mustUnderstand: Bool
    /// Whom the block is for; nil for the ultimate receiver.
    public let actor: String?
    let write: @Sendable (inout XMLWriter, [(name: XMLName, value: String)]) -> Void

    /// A block that holds text.
    public init(_ name: XMLName, text: String, mustUnderstand: Bool = false, actor: String? = nil) {
        self.init(name: name, mustUnderstand: mustUnderstand, actor: actor) { writer, attributes in
            writer.startElement(name, attributes: attributes)
            writer.text(text)
            writer.endElement(name)
        }
    }

    private init(
        name: XMLName, mustUnderstand: Bool, actor: String?,
        write: @escaping @Sendable (inout XMLWriter, [(name: XMLName, value: String)]) -> Void
    ) {
        self.name = name
        self.mustUnderstand = mustUnderstand
        self.actor = actor
        self.write = write
    }
}

/// A header block that was received.
public struct ReceivedHeaderBlock: Sendable, Hashable {
    public let namespaceURI: String
    public let localName: String
    public let mustUnderstand: Bool
    public let actor: String?
    /// The block's content as received, markup included, without the namespace declarations around it.
    public let content: String
}
