package import SignetXML

/// An import or include of a document, as written and not yet resolved.
package struct DocumentReference: Sendable, Hashable {
    /// As written, white space at its ends left out.
    package var location: String
    /// The namespace that the import names; empty when it names none.
    package var namespace: String
    package var isSchema: Bool
    package var place: SourceLocation

    /// Whether no copy is needed, because the loader has the schema of the namespace built in.
    package var isStandard: Bool { isSchema && StandardSchemas.knows(namespace) }

    /// All references in a WSDL, a schema, or a document that contains these, in document order.
    ///
    /// - Parameter file: the document's name in messages.
    package static func all(in bytes: [UInt8], file: String, limits: XMLLimits = WSDLLoader.Limits().xml)
        throws(WSDLError) -> [DocumentReference]
    {
        let (content, _) = XMLNode.withoutLeadingSpace(bytes)
        var references: [DocumentReference] = []
        var open = [try XMLNode.parse(content, file: file, limits: limits)]
        while let node = open.popLast() {
            if let reference = DocumentReference(node) { references.append(reference) }
            open += node.children.reversed()
        }
        return references
    }

    private init?(_ node: XMLNode) {
        let location: String?
        switch (node.name.namespace, node.name.localName) {
        case (Namespaces.wsdl, "import"):
            location = node.attribute("location")
            isSchema = false
        case (Namespaces.schema, "import"), (Namespaces.schema, "include"), (Namespaces.schema, "redefine"),
            (Namespaces.schema, "override"):
            location = node.attribute("schemaLocation")
            isSchema = true
        default: return nil
        }
        guard let location, !location.isEmpty else { return nil }
        self.location = location
        namespace = node.name.localName == "import" ? node.attribute("namespace") ?? "" : ""
        place = node.location
    }
}
