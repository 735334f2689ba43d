extension XMLWriter {
    /// Writes a qualified name as a value. Its namespace is declared in the start tag written last when no prefix in
    /// scope means it.
    ///
    /// Without a start tag around it, the name is written with its original prefix: there is no tag to declare it in.
    mutating func qualifiedName(_ name: XSDQName) {
        guard XMLName.isNCName(name.localName) else {
            return fail("“\(name.localName.prefix(80))” is no local part of a qualified name.")
        }
        // Without a start tag there is no place for a declaration, and a name needs a prefix to be in a namespace.
        let hint = XMLName.isNCName(name.prefix) ? name.prefix : "n1"
        let prefix =
            depth > 0 || name.namespaceURI.isEmpty ? prefix(declaring: name.namespaceURI, wished: name.prefix) : hint
        if !prefix.isEmpty {
            raw(prefix.utf8)
            raw(UInt8(ascii: ":"))
        }
        raw(name.localName.utf8)
    }
}
