/// A header block that was received.
public struct ReceivedHeaderBlock: Sendable, Hashable {
    /// The block as it was received.
    public let fragment: XMLFragment
    /// Whether the receiver had to answer with a fault unless it knows this block.
    public let mustUnderstand: Bool
    /// Whom the block is for; nil for the ultimate receiver.
    public let role: SOAPRole?
    /// Whether a node on the way was to pass the block on although it did not process it (SOAP 1.2 Part 1 §5.2.4).
    public let relay: Bool

    /// The namespace of the block's element; empty when the sender has given it none.
    public var namespaceURI: String { fragment.namespaceURI }
    /// The name of the block's element in that namespace, without a prefix.
    public var localName: String { fragment.localName }

    /// What the block holds, when it is the one that `element` names; nil when it is another.
    ///
    /// - Throws: an error that says how the block departs from its type.
    public func value<Value>(_ element: HeaderElement<Value>) throws(XMLError) -> Value? {
        fragment.isElement(element.name) ? try fragment.structure(Value.self) : nil
    }

    var name: ReceivedName { ReceivedName(namespaceURI: namespaceURI, localName: localName) }

    /// Whether the block is for a node that acts in `roles`, beside those that every receiver has.
    package func isFor(_ roles: Set<SOAPRole>) -> Bool {
        guard let role, !role.uri.isEmpty else { return true }
        return role == .next || role == .ultimateReceiver || (role != .none && roles.contains(role))
    }
}

extension Sequence<ReceivedHeaderBlock> {
    /// What the first block with this name holds; nil when there is none.
    ///
    /// - Throws: an error that says how the block departs from its type.
    public func value<Value>(_ element: HeaderElement<Value>) throws(XMLError) -> Value? {
        for block in self { if let value = try block.value(element) { return value } }
        return nil
    }
}
