/// A header block that was received.
public struct ReceivedHeaderBlock: Sendable, Hashable {
    /// The block as it was received.
    public let fragment: XMLFragment
    /// Whether the receiver had to answer with a fault unless it knows this block.
    public let mustUnderstand: Bool
    /// The role that the block is addressed to; nil for the ultimate receiver.
    public let role: SOAPRole?
    /// Whether an intermediary was to pass the block on although it did not process it (SOAP 1.2 Part 1 §5.2.4).
    public let relay: Bool

    /// The namespace of the block's element; empty when the element has none.
    public var namespaceURI: String { fragment.namespaceURI }
    /// The name of the block's element in that namespace, without a prefix.
    public var localName: String { fragment.localName }

    /// The value of the block, when `element` names this block; nil when it names another.
    ///
    /// - Throws: an error that says how the block departs from its type.
    public func value<Value>(_ element: HeaderElement<Value>) throws(XMLError) -> Value? {
        fragment.isElement(element.name) ? try fragment.structure(Value.self) : nil
    }

    var name: ReceivedName { ReceivedName(namespaceURI: namespaceURI, localName: localName) }

    /// Whether the block is addressed to a node that acts in `roles`, besides those that every receiver has.
    package func isFor(_ roles: Set<SOAPRole>) -> Bool { SOAPRole.isFor(role, roles) }
}

extension Sequence<ReceivedHeaderBlock> {
    /// The value of the first block with this name; nil when there is none.
    ///
    /// - Throws: an error that says how the block departs from its type.
    public func value<Value>(_ element: HeaderElement<Value>) throws(XMLError) -> Value? {
        for block in self { if let value = try block.value(element) { return value } }
        return nil
    }
}
