extension XMLWriter {
    /// Writes a qualified name as a value. Its namespace is declared in the start tag written last when no prefix in scope
    /// stands for it.
    ///
    /// Without a start tag around it, the name is written with the prefix that it came with: there is nothing to declare it in.
    mutating func qualifiedName(_ name: XSDQName) {
        guard XMLName.isNCName(name.localName) else {
            return fail("“\(name.localName.prefix(80))” is no local part of a qualified name.")
        }
        let prefix = prefix(for: name)
        if !prefix.isEmpty {
            raw(prefix)
            raw(UInt8(ascii: ":"))
        }
        raw(name.localName.utf8)
    }

    private mutating func prefix(for name: XSDQName) -> [UInt8] {
        // No default namespace is ever declared, so that a name without prefix is in none.
        if name.namespaceURI.isEmpty { return [] }
        if name.namespaceURI == XMLNamespace.xml.uri { return Array("xml".utf8) }
        let hint = XMLName.isNCName(name.prefix) && !name.prefix.hasPrefix("xml") ? Array(name.prefix.utf8) : []
        guard depth > 0 else { return hint.isEmpty ? Array("n1".utf8) : hint }
        let known = XMLNamespace.known(name.namespaceURI)?.id
        if let known, let prefix = prefix(of: known) { return prefix }
        if valueNamespaces.tag != tagStart { valueNamespaces = (tagStart, []) }
        if let own = valueNamespaces.declared.first(where: { $0.uri == name.namespaceURI }) { return own.prefix }
        let isFree = !hint.isEmpty && !prefixes.contains { $0.prefix == hint }
        let prefix = isFree ? hint : newPrefix(for: known ?? XMLNamespace.none.id)
        declareInLastTag(name.namespaceURI, prefix: prefix)
        // A namespace met in a document is not kept as a number, so that no sender can fill the memory.
        prefixes.append((known ?? Self.unnumbered, prefix, depth))
        if known == nil { valueNamespaces.declared.append((name.namespaceURI, prefix)) }
        return prefix
    }

    /// Puts a declaration behind the name in the start tag written last.
    private mutating func declareInLastTag(_ uri: String, prefix: [UInt8]) {
        var place = tagStart
        while place < count, ![UInt8(ascii: " "), UInt8(ascii: ">"), UInt8(ascii: "/")].contains(base[place]) {
            place += 1
        }
        let rest = Array(UnsafeBufferPointer(start: base + place, count: count - place))
        count = place
        writeDeclaration(prefix, uri)
        raw(rest)
    }
}
