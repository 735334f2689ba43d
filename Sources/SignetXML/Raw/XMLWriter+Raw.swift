/// Writes elements and content that were kept as they were written.
extension XMLWriter {
    /// Writes a kept element.
    public mutating func wildcard(_ fragment: XMLFragment) {
        if isCollected { return handOver(XMLFieldCollector.Part.any, fragment) }
        wildcard(fragment, attributes: [])
    }

    /// Writes a kept element with more attributes, none of which it has itself.
    ///
    /// Its name is copied and never becomes an ``XMLName``: a namespace from a document is not kept as a number.
    package mutating func wildcard(_ fragment: XMLFragment, attributes: [(name: XMLName, value: String)]) {
        if layout != nil { layout?.begin(at: count) }
        if segments.isEmpty {
            raw(fragment.element[..<fragment.nameEnd])
            // Other elements may need the same declarations, so a surrounding element may have declared them already.
            write(fragment.declarations.filter { !isInScope($0) })
            if !attributes.isEmpty {
                write(attributes, among: fragment.read { $0.namespacesInScope }, fragment.localName)
            }
            raw(fragment.element[fragment.nameEnd...])
        } else {
            fragment.read { reader in noteValues(&reader) }
            fragment.read { reader in writeCanonically(&reader, fragment.localName, attributes) }
        }
        layout?.tagEnded(at: count)
    }

    private func isInScope(_ declaration: XMLDeclaration) -> Bool {
        bindings.last { $0.prefix.elementsEqual(declaration.prefix.utf8) }?.uri.isExactly(declaration.uri) == true
    }

    private mutating func write(
        _ attributes: [(name: XMLName, value: String)], among scope: [(prefix: String, uri: String)], _ element: String
    ) {
        var scope = scope
        for (name, value) in attributes {
            let (prefix, isNew) = prefix(of: name.namespace.uri, among: scope)
            if isNew {
                writeDeclaration(prefix, name.namespace.uri)
                scope.append((String(decoding: prefix, as: UTF8.self), name.namespace.uri))
            }
            raw(UInt8(ascii: " "))
            write(prefix: prefix, name.localName.utf8)
            raw("=\"")
            self.value(of: name.localName, behind: "\(element)/") { $0.escape(value, isAttribute: true) }
            raw(UInt8(ascii: "\""))
        }
    }

    /// The prefix of an attribute in a tag that brings `scope` into scope, and whether the prefix must be declared.
    func prefix(of uri: String, among scope: [(prefix: String, uri: String)]) -> (prefix: [UInt8], isNew: Bool) {
        if uri.isEmpty { return ([], false) }
        if uri == XMLNamespace.xml.uri { return (Array("xml".utf8), false) }
        if let own = scope.last(where: { !$0.prefix.isEmpty && $0.uri.isExactly(uri) }) {
            return (Array(own.prefix.utf8), false)
        }
        if let known = prefix(ofURI: uri), !scope.contains(where: { known.elementsEqual($0.prefix.utf8) }) {
            return (known, false)
        }
        return (newPrefix(for: uri, besides: scope.map(\.prefix)), true)
    }

    mutating func wildcard(_ fragment: XMLFragment?) {
        if let fragment { wildcard(fragment) }
    }

    /// Writes kept elements in their order, each with the namespace declarations that it needs and that are not in
    /// scope.
    public mutating func wildcard(_ fragments: [XMLFragment]) {
        if isCollected { return handOver(XMLFieldCollector.Part.any, fragments) }
        for fragment in fragments { wildcard(fragment) }
    }

    /// Writes attributes that the table does not name into the start tag that is being written.
    ///
    /// An invalid name, or an attribute that occurs twice or is in the table, is a defect.
    package mutating func anyAttributes(_ attributes: [XMLAnyAttribute]) {
        var seen = Set<[String]>()
        for attribute in attributes {
            guard XMLName.isNCName(attribute.localName), attribute.localName != "xmlns" || attribute.namespaceURI != ""
            else { return fail("“\(attribute.localName.prefix(80))” is no name of an attribute.") }
            guard seen.insert([attribute.namespaceURI, attribute.localName]).inserted, !isInTable(attribute) else {
                return fail("the attribute “\(attribute.localName.prefix(80))” would stand twice in one tag.")
            }
            let prefix = attribute.namespaceURI.isEmpty ? [] : boundPrefix(uri: attribute.namespaceURI, nil)
            raw(UInt8(ascii: " "))
            write(prefix: prefix, attribute.localName.utf8)
            raw("=\"")
            value(of: attribute.localName) { $0.escape(attribute.value, isAttribute: true) }
            raw(UInt8(ascii: "\""))
        }
    }

    private func isInTable(_ attribute: XMLAnyAttribute) -> Bool {
        guard let table else { return false }
        return table.attributes.contains { field in
            field.bytes.elementsEqual(attribute.localName.utf8)
                && XMLNamespace.uri(of: field.namespace).isExactly(attribute.namespaceURI)
        }
    }

    mutating func write(_ declarations: [XMLDeclaration]) {
        for declaration in declarations { writeDeclaration(declaration.prefix.utf8, declaration.uri) }
    }

    // MARK: Content of any type

    /// Completes the start tag that is being written with declarations and attributes of `any`.
    ///
    /// The declarations of `any` must not change the meaning of the tag's own prefixes; if they would, the tag is
    /// rewritten with other prefixes. Nothing in `any` is changed, except a default namespace when the element is in no
    /// namespace.
    mutating func openTag(for any: XMLAny) {
        let written = UnsafeBufferPointer(start: base + tagStart, count: count - tagStart)
        let name = written.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        let colon = name.firstIndex(of: UInt8(ascii: ":"))
        let prefix = colon.map { String(decoding: name[..<$0], as: UTF8.self) } ?? ""
        let isBare = name.count + 1 == written.count
        if isBare, !any.declarations.contains(where: { $0.prefix == prefix }) {
            return write(any, any.declarations.filter { !segments.isEmpty || !isInScope($0) })
        }
        var any = any
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
        replaced = any
        write(any, any.declarations)
    }

    private mutating func write(_ any: XMLAny, _ declarations: [XMLDeclaration]) {
        if segments.isEmpty {
            write(declarations)
            raw(any.attributeBytes)
        } else {
            any.read { reader in noteValues(&reader) }
            kept += declarations
            any.read { reader in writeAttributes(&reader) }
        }
    }

    mutating func content(of any: XMLAny) {
        let any = replaced ?? any
        replaced = nil
        if segments.isEmpty { raw(any.content) } else { any.read { reader in writeContentCanonically(&reader) } }
    }

    /// Rewrites the open start tag, so that it uses no prefix that `any` binds to something else.
    private mutating func rewriteTag(_ tag: WrittenTag, around any: XMLAny) {
        let declarations = any.declarations
        let taken = declarations.map(\.prefix)
        // The meanings of the prefixes, before any binding is dropped.
        let meanings = bindings
        func uri(_ prefix: [UInt8]) -> String? {
            prefix.elementsEqual("xml".utf8) ? XMLNamespace.xml.uri : meanings.last { $0.prefix == prefix }?.uri
        }
        let here = depth
        bindings.removeAll { entry in
            entry.depth == here
                && declarations.contains { entry.prefix.elementsEqual($0.prefix.utf8) && !entry.uri.isExactly($0.uri) }
        }
        for attribute in any.attributes
        where tag.attributes.contains(where: {
            $0.localName.elementsEqual(attribute.localName.utf8)
                && ($0.prefix.isEmpty ? "" : uri($0.prefix))?.isExactly(attribute.namespaceURI) == true
        }) { return fail("the attribute “\(attribute.localName.prefix(80))” would stand twice in one tag.") }
        // Declarations that the root's tag was to get in the end are declared by `any` instead.
        if here == 1 {
            hoisted.removeAll { $0.offset > tagStart && taken.contains(String(decoding: $0.prefix, as: UTF8.self)) }
        }
        count = tagStart
        var added: [(prefix: [UInt8], uri: String)] = []
        func renamed(_ prefix: [UInt8], _ writer: inout XMLWriter) -> [UInt8] {
            guard let rival = declarations.first(where: { prefix.elementsEqual($0.prefix.utf8) }),
                let uri = uri(prefix), !uri.isExactly(rival.uri)
            else { return prefix }
            if let known = writer.prefix(ofURI: uri), !taken.contains(String(decoding: known, as: UTF8.self)) {
                return known
            }
            let prefix = writer.newPrefix(for: uri, besides: taken)
            writer.bind(prefix, uri, depth: here)
            added.append((prefix, uri))
            return prefix
        }
        raw(UInt8(ascii: "<"))
        write(prefix: renamed(tag.prefix, &self), tag.localName)
        if here == 1, rootTag != nil { moveRootTag(to: count) }
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
        if segments.isEmpty { for (prefix, uri) in added { writeDeclaration(prefix, uri) } }
    }

    /// Declarations that are still to be inserted into the root's start tag are inserted after its new name.
    private mutating func moveRootTag(to place: Int) {
        for index in hoisted.indices where hoisted[index].offset == rootTag { hoisted[index].offset = place }
        rootTag = place
    }
}
