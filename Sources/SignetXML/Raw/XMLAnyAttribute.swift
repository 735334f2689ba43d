/// An attribute that a schema allows without naming it (`xs:anyAttribute`).
public struct XMLAnyAttribute: Sendable, Hashable {
    /// The namespace name; empty for no namespace.
    public var namespaceURI: String
    /// The name without a prefix.
    public var localName: String
    /// The value after normalisation (XML 1.0 §3.3.3).
    public var value: String

    /// Makes an attribute without checking it. The writer refuses an invalid name, `xmlns` in no namespace, and an
    /// attribute that would occur twice in its tag.
    public init(namespaceURI: String = "", localName: String, value: String) {
        self.namespaceURI = namespaceURI
        self.localName = localName
        self.value = value
    }
}

extension Sequence<XMLAnyAttribute> {
    /// The value of the attribute with this name; nil when it is absent.
    public func value(named localName: String, namespace: XMLNamespace = .none) -> String? {
        first { $0.localName == localName && $0.namespaceURI.isExactly(namespace.uri) }?.value
    }
}
