/// Writing what was kept as it was written.
extension XMLWriter {
    /// Writes a kept element.
    public mutating func wildcard(_ fragment: XMLFragment) {
        raw(fragment.element[..<fragment.nameEnd])
        write(fragment.declarations)
        raw(fragment.element[fragment.nameEnd...])
    }

    /// Writes a kept element with more attributes, none of which it has itself.
    ///
    /// Its name is copied, never made an ``XMLName``: a namespace met in a document is not kept as a number.
    package mutating func wildcard(_ fragment: XMLFragment, attributes: [(name: XMLName, value: String)]) {
        raw(fragment.element[..<fragment.nameEnd])
        write(fragment.declarations)
        var scope = fragment.read { reader in reader.namespacesInScope }
        for (name, value) in attributes {
            let prefix = prefix(of: name.namespace, among: &scope)
            raw(UInt8(ascii: " "))
            write(prefix: prefix, Array(name.localName.utf8))
            raw("=\"")
            escape(value, isAttribute: true)
            raw(UInt8(ascii: "\""))
        }
        raw(fragment.element[fragment.nameEnd...])
    }

    /// The prefix of an attribute in a tag that declares `scope`; a new one is declared there.
    private mutating func prefix(
        of namespace: XMLNamespace, among scope: inout [(prefix: String, uri: String)]
    ) -> [UInt8] {
        if namespace == .none { return [] }
        if namespace == .xml { return Array("xml".utf8) }
        if let own = scope.last(where: { !$0.prefix.isEmpty && $0.uri == namespace.uri }) {
            return Array(own.prefix.utf8)
        }
        if let known = prefix(of: namespace.id), !scope.contains(where: { known.elementsEqual($0.prefix.utf8) }) {
            return known
        }
        let prefix = newPrefix(for: namespace.id, besides: scope.map(\.prefix))
        writeDeclaration(prefix, namespace.uri)
        scope.append((String(decoding: prefix, as: UTF8.self), namespace.uri))
        return prefix
    }

    public mutating func wildcard(_ fragment: XMLFragment?) {
        if let fragment { wildcard(fragment) }
    }

    public mutating func wildcard(_ fragments: [XMLFragment]) {
        for fragment in fragments { wildcard(fragment) }
    }

    /// Writes attributes that the table does not name into the start tag that is being written.
    ///
    /// A name that is none, or that stands twice or among the attributes of the table, is a defect.
    public mutating func anyAttributes(_ attributes: [XMLAnyAttribute]) {
        var seen = Set<[String]>()
        // Namespaces met in documents are not kept as numbers, so that no sender can fill the memory.
        var declared: [XMLDeclaration] = []
        for attribute in attributes {
            guard XMLName.isNCName(attribute.localName), attribute.localName != "xmlns" || attribute.namespaceURI != "",
                attribute.namespaceURI != "http://www.w3.org/2000/xmlns/"
            else { return fail("“\(attribute.localName.prefix(80))” is no name of an attribute.") }
            guard seen.insert([attribute.namespaceURI, attribute.localName]).inserted, !isInTable(attribute) else {
                return fail("the attribute “\(attribute.localName.prefix(80))” would stand twice in one tag.")
            }
            raw(UInt8(ascii: " "))
            if !attribute.namespaceURI.isEmpty {
                // A new declaration would split the attribute, so it goes before the space just written.
                count -= 1
                let prefix = prefix(forURI: attribute.namespaceURI, &declared)
                raw(UInt8(ascii: " "))
                raw(prefix)
                raw(UInt8(ascii: ":"))
            }
            raw(attribute.localName.utf8)
            raw("=\"")
            escape(attribute.value, isAttribute: true)
            raw(UInt8(ascii: "\""))
        }
    }

    private func isInTable(_ attribute: XMLAnyAttribute) -> Bool {
        guard let table else { return false }
        return table.attributes.contains { field in
            UnsafeBufferPointer(start: field.name, count: field.length).elementsEqual(attribute.localName.utf8)
                && XMLNamespace.uri(of: field.namespace) == attribute.namespaceURI
        }
    }

    private mutating func prefix(forURI uri: String, _ declared: inout [XMLDeclaration]) -> [UInt8] {
        if let known = XMLNamespace.known(uri) {
            if known == .xml { return Array("xml".utf8) }
            if let prefix = prefix(of: known.id) { return prefix }
        }
        if let known = declared.first(where: { $0.uri == uri }) { return Array(known.prefix.utf8) }
        let prefix = newPrefix(for: XMLNamespace.none.id, besides: declared.map(\.prefix))
        writeDeclaration(prefix, uri)
        declared.append(XMLDeclaration(prefix: String(decoding: prefix, as: UTF8.self), uri: uri))
        // Nothing else of this element may take the prefix for another namespace.
        prefixes.append((Self.unnumbered, prefix, depth))
        return prefix
    }

    /// Stands for a namespace without a number among the prefixes in scope.
    static var unnumbered: Int32 { .min }

    mutating func write(_ declarations: [XMLDeclaration]) {
        for declaration in declarations { writeDeclaration(declaration.prefix.utf8, declaration.uri) }
    }

    // MARK: Content of any type

    /// Completes the start tag that is being written with declarations and attributes of `any`.
    ///
    /// What `any` declares must not change what the tag's own prefixes mean; where it would, the tag is written anew with
    /// other prefixes. Nothing in `any` is changed, but for a default namespace when the element is in none.
    mutating func openTag(for any: XMLAny) {
        let written = UnsafeBufferPointer(start: base + tagStart, count: count - tagStart)
        let name = written.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        let colon = name.firstIndex(of: UInt8(ascii: ":"))
        let prefix = colon.map { String(decoding: name[..<$0], as: UTF8.self) } ?? ""
        let isPlain = name.count + 1 == written.count
        var any = any
        if isPlain, !any.declarations.contains(where: { $0.prefix == prefix }) {
            write(any.declarations)
            return raw(any.attributeBytes)
        }
        if prefix.isEmpty {
            roomForDeclarations += 8 * any.content.count
            guard let changed = any.withoutDefaultNamespace(room: roomForDeclarations) else {
                return fail(
                    "an element in no namespace cannot hold this content: its default namespace would have to be declared so "
                        + "often that it takes more than eight times the content. Use a prefix in the content.")
            }
            roomForDeclarations -= changed.content.count - any.content.count
            any = changed
        }
        rewriteTag(WrittenTag(written), around: any)
        replacedContent = any.content
        write(any.declarations)
        raw(any.attributeBytes)
    }

    mutating func content(of any: XMLAny) {
        raw(replacedContent ?? any.content)
        replacedContent = nil
    }

    /// Writes the open start tag anew, so that it uses no prefix that `any` binds to something else.
    private mutating func rewriteTag(_ tag: WrittenTag, around any: XMLAny) {
        let declarations = any.declarations
        let taken = declarations.map(\.prefix)
        // Before anything is dropped, what the prefixes mean.
        let meanings = prefixes
        func namespace(_ prefix: [UInt8]) -> Int32? { meanings.last { $0.prefix == prefix }?.namespace }
        let here = depth
        prefixes.removeAll { entry in
            entry.depth == here
                && declarations.contains {
                    entry.prefix.elementsEqual($0.prefix.utf8) && XMLNamespace.uri(of: entry.namespace) != $0.uri
                }
        }
        count = tagStart
        for attribute in any.attributes
        where tag.attributes.contains(where: {
            $0.localName.elementsEqual(attribute.localName.utf8)
                && ($0.prefix.isEmpty ? "" : XMLNamespace.uri(of: namespace($0.prefix) ?? XMLNamespace.none.id))
                    == attribute.namespaceURI
        }) { return fail("the attribute “\(attribute.localName.prefix(80))” would stand twice in one tag.") }
        var added: [(namespace: Int32, prefix: [UInt8])] = []
        func renamed(_ prefix: [UInt8], _ writer: inout XMLWriter) -> [UInt8] {
            guard let rival = declarations.first(where: { prefix.elementsEqual($0.prefix.utf8) }),
                let namespace = namespace(prefix), XMLNamespace.uri(of: namespace) != rival.uri
            else { return prefix }
            if let known = writer.prefix(of: namespace), !taken.contains(String(decoding: known, as: UTF8.self)) {
                return known
            }
            let prefix = writer.newPrefix(for: namespace, besides: taken)
            writer.prefixes.append((namespace, prefix, writer.depth))
            added.append((namespace, prefix))
            return prefix
        }
        raw(UInt8(ascii: "<"))
        write(prefix: renamed(tag.prefix, &self), tag.localName)
        for attribute in tag.attributes {
            if attribute.prefix == Array("xmlns".utf8) {
                if taken.contains(String(decoding: attribute.localName, as: UTF8.self)) { continue }
            }
            raw(UInt8(ascii: " "))
            write(prefix: renamed(attribute.prefix, &self), attribute.localName)
            raw("=\"")
            raw(attribute.value)
            raw(UInt8(ascii: "\""))
        }
        for (namespace, prefix) in added { writeDeclaration(prefix, XMLNamespace.uri(of: namespace)) }
    }
}

/// A start tag taken apart again; it was written by an ``XMLWriter``, so that there is one way only to write it.
private struct WrittenTag {
    var prefix: [UInt8]
    var localName: [UInt8]
    var attributes: [(prefix: [UInt8], localName: [UInt8], value: [UInt8])] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = Array(bytes.dropFirst())[...]
        (prefix, localName) = Self.name(rest.prefix { $0 != UInt8(ascii: " ") })
        rest = rest.drop { $0 != UInt8(ascii: " ") }
        while !rest.isEmpty {
            let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "=") }
            let value = rest[name.endIndex...].dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
            let (prefix, localName) = Self.name(name)
            attributes.append((prefix, localName, Array(value)))
            rest = rest[value.endIndex...].dropFirst()
        }
    }

    private static func name(_ name: ArraySlice<UInt8>) -> (prefix: [UInt8], localName: [UInt8]) {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return ([], Array(name)) }
        return (Array(name[..<colon]), Array(name[(colon + 1)...]))
    }
}
