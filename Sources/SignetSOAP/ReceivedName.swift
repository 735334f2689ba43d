/// An expanded name (Namespaces in XML 1.0 §2.1) from a message. Unlike ``/SignetXML/XMLName`` it adds nothing to the
/// table of namespaces, which only the program may fill.
public struct ReceivedName: Sendable, Hashable, CustomStringConvertible {
    /// The name of the namespace; empty for a name in no namespace.
    public let namespaceURI: String
    /// The name within the namespace, without a prefix.
    public let localName: String

    /// Makes a name from its two parts, for example to compare it with a received name. The parts are not checked.
    public init(namespaceURI: String, localName: String) {
        self.namespaceURI = namespaceURI
        self.localName = localName
    }

    public var description: String { namespaceURI.isEmpty ? localName : "{\(namespaceURI)}\(localName)" }

    /// The description, short enough for an error message, however long the name is that a peer has sent.
    var brief: String { namespaceURI.isEmpty ? localName : "{\(namespaceURI.prefix(200))}\(localName.prefix(200))" }

    /// The namespace for error messages: `in the namespace “urn:a”`.
    var place: String { namespaceURI.isEmpty ? "in no namespace" : "in the namespace “\(namespaceURI.prefix(200))”" }

    func `is`(_ name: XMLName) -> Bool { localName == name.localName && namespaceURI == name.namespace.uri }
}

extension ReceivedName {
    init(_ name: XMLName) { self.init(namespaceURI: name.namespace.uri, localName: name.localName) }

    /// The name of the element whose start tag was read last.
    init(_ reader: borrowing XMLReader) {
        self.init(namespaceURI: reader.namespaceURI, localName: reader.elementName)
    }
}
