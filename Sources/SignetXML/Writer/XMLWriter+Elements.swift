extension XMLWriter {
    /// `<?xml version="1.0" encoding="UTF-8"?>`
    public mutating func declaration() { raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>") }

    /// Writes a start tag; the namespaces in `declaring` are declared on it, so that its content need not declare them.
    ///
    /// A namespace that has a prefix already keeps it. A prefix that is empty or already in scope is not used; the
    /// namespace gets another prefix when it is needed.
    public mutating func startElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: [(name: XMLName, value: String)] = []
    ) {
        openElement(name, declaring: declaring) { writer in
            for (name, value) in attributes { writer.attribute(name, value) }
        }
        closeTag()
    }

    /// Writes a start tag with the attributes that `attributes` writes.
    public mutating func startElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: (inout XMLWriter) -> Void
    ) {
        openElement(name, declaring: declaring, attributes: attributes)
        closeTag()
    }

    /// Writes a start tag without its `>`.
    mutating func openElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)], attributes: (inout XMLWriter) -> Void
    ) {
        if !XMLName.isNCName(name.localName) { fail("“\(name.localName.prefix(80))” is no name of an element.") }
        locating(name.localName) {
            $0.beginTag(namespace: name.namespace.id, local: name.localName.utf8, declaring: declaring)
        }
        enter()
        attributes(&self)
    }

    /// Writes the end tag of the element opened last. The name is not checked against that of the start tag: with
    /// another name the document is not well-formed (XML 1.0 §3).
    public mutating func endElement(_ name: XMLName) {
        endTag(namespace: name.namespace.id, local: name.localName.utf8)
        leave()
    }

    /// Writes an attribute into the start tag that is being written.
    public mutating func attribute(_ name: XMLName, _ value: String) {
        attribute(name) { $0.escape(value, isAttribute: true) }
    }

    /// Writes an attribute whose value is a qualified name, such as `xsi:type`, into the start tag that is being
    /// written.
    public mutating func attribute(_ name: XMLName, qualifiedName value: XMLName) {
        let prefix = prefix(declaring: value.namespace.uri)
        attribute(name) { writer in
            if !XMLName.isNCName(value.localName) {
                writer.fail("“\(value.localName.prefix(80))” is no local part of a qualified name.")
            }
            writer.write(prefix: Array(prefix.utf8), value.localName.utf8)
        }
    }

    private mutating func attribute(_ name: XMLName, _ write: (inout XMLWriter) -> Void) {
        if !XMLName.isNCName(name.localName) || (name.localName == "xmlns" && name.namespace == .none) {
            fail("“\(name.localName.prefix(80))” is no name of an attribute.")
        }
        attributeStart(namespace: name.namespace.id, local: name.localName.utf8)
        value(of: name.localName, write)
        raw(UInt8(ascii: "\""))
    }

    mutating func attributeStart(namespace: Int32, local: some Collection<UInt8>) {
        // An attribute in a namespace needs a prefix; the default namespace does not apply to it.
        let prefix = namespace == 0 ? [] : boundPrefix(namespace)
        raw(UInt8(ascii: " "))
        write(prefix: prefix, local)
        raw("=\"")
    }

    // MARK: Attributes of a table

    mutating func startAttribute(_ field: XMLTable.Field) {
        attributeStart(namespace: field.namespace, local: field.bytes)
        isInAttribute = true
    }

    mutating func endAttribute() {
        isInAttribute = false
        raw(UInt8(ascii: "\""))
    }
}
