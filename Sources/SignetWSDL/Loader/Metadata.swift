extension XMLNode {
    private static let exchange = "http://schemas.xmlsoap.org/ws/2004/09/mex"

    /// The `mex:Metadata` element: this element, or the one inside an envelope. It is a service's answer to a request
    /// for its metadata (WS-MetadataExchange of 2004 §3), which some tools save instead of a WSDL.
    var metadata: XMLNode? {
        if isNamed(Self.exchange, "Metadata") { return self }
        guard name.localName == "Envelope" else { return nil }
        let body = children.first { $0.name.localName == "Body" && $0.name.namespace == name.namespace }
        return body?.child(Self.exchange, "Metadata")
    }

    /// The documents inside.
    fileprivate var sections: [XMLNode] { children(Self.exchange, "MetadataSection").flatMap(\.children) }
}

extension Loading {
    /// Reads the WSDLs and schemas inside `mex:Metadata`; the documents that they import from each other are inside it
    /// too.
    mutating func readMetadata(_ root: XMLNode) throws(WSDLError) {
        var isMain = true
        for node in root.sections {
            if node.isNamed(Namespaces.wsdl, "definitions") {
                try readDefinitions(node, isMain: isMain)
                isMain = false
            } else if node.isNamed(Namespaces.schema, "schema") {
                try readSchema(node)
            } else if Namespaces.policies.contains(node.name.namespace) {
                policy(node)
            }
        }
        if isMain {
            throw WSDLError(.notWSDL, "the metadata holds no WSDL 1.1 (definitions).", at: root.location)
        }
    }
}
