import SignetXML

/// An element of a schema, an instance or a catalogue of the suite, with all that stands in it.
struct SuiteElement {
    var namespaceURI = ""
    var name = ""
    /// By local name; by `{namespace}name` when they are in one.
    var attributes: [String: String] = [:]
    var children: [SuiteElement] = []
    var text = ""
    /// Namespace names by prefix.
    var scope: [String: String] = [:]

    static func read(_ bytes: [UInt8]) throws -> SuiteElement {
        try XMLReader.read(bytes) { reader in
            try reader.root()
            let element = try SuiteElement(&reader)
            try reader.finish()
            return element
        }
    }

    /// Reads the element whose start tag was read last.
    private init(_ reader: inout XMLReader) throws {
        namespaceURI = reader.namespaceURI
        name = reader.elementName
        for (prefix, uri) in reader.namespacesInScope { scope[prefix] = uri }
        for attribute in reader.allAttributes() {
            let uri = attribute.namespaceURI
            attributes[uri.isEmpty ? attribute.name : "{\(uri)}\(attribute.name)"] = attribute.value
        }
        while true {
            switch try reader.next() {
            case .startElement: children.append(try SuiteElement(&reader))
            case .text: text += try reader.currentText()
            case .endElement, .endOfDocument: return
            }
        }
    }

    func children(named name: String) -> [SuiteElement] { children.filter { $0.name == name } }

    /// The namespace name and local part of a qualified name in an attribute.
    func qualifiedName(_ attribute: String) -> (uri: String, name: String)? {
        guard let text = attributes[attribute] else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        if parts.count == 2 { return (scope[String(parts[0])] ?? "", String(parts[1])) }
        return (scope[""] ?? "", text)
    }
}
