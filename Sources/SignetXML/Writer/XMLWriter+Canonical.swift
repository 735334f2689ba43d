/// Writes start tags in exclusive canonical form (Exclusive XML Canonicalization 1.0 §3).
extension XMLWriter {
    /// A declaration in a start tag of a segment.
    struct Rendered {
        var prefix: [UInt8]
        var uri: String
        var depth: Int
    }

    /// A start tag before it is sorted.
    struct CanonicalTag {
        typealias Attribute = (prefix: [UInt8], localName: [UInt8], uri: String, value: [UInt8])
        var prefix: [UInt8]
        var localName: [UInt8]
        var uri: String
        /// The attributes, with their values as written.
        var attributes: [Attribute]
        /// Declarations that are to be written here although no name of the tag uses them.
        var kept: [XMLDeclaration]
    }

    /// Rewrites the start tag written last, which has no `>` yet, in canonical order.
    mutating func canonicalizeTag() {
        let bytes = UnsafeBufferPointer(start: base + tagStart, count: count - tagStart)
        if isInOrder(bytes) { return }
        let written = WrittenTag(bytes)
        let declared = kept
        kept = []
        let bindings = bindings
        func uri(_ prefix: [UInt8]) -> String {
            declared.last { prefix.elementsEqual($0.prefix.utf8) }?.uri
                ?? (prefix.elementsEqual("xml".utf8) ? XMLNamespace.xml.uri : nil)
                ?? bindings.last { $0.prefix == prefix }?.uri ?? ""
        }
        let tag = CanonicalTag(
            prefix: written.prefix, localName: written.localName,
            uri: written.prefix.isEmpty ? "" : uri(written.prefix),
            attributes: written.attributes.map {
                ($0.prefix, $0.localName, $0.prefix.isEmpty ? "" : uri($0.prefix), $0.value)
            },
            kept: forValues(declared))
        count = tagStart
        render(tag)
    }

    /// Whether a tag needs no declaration and no sorting, as most tags: its prefix is declared around it, and it has at
    /// most one attribute, in no namespace.
    private func isInOrder(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let segment = segments.last, depth > segment.depth + 1, kept.isEmpty,
            segments.allSatisfy({ $0.prefixes.isEmpty })
        else { return false }
        let name = tag.dropFirst().prefix { $0 != UInt8(ascii: " ") }
        let prefix = name.firstIndex(of: UInt8(ascii: ":")).map { name[..<$0] } ?? name.prefix(0)
        // A prefix in scope has one meaning only, except in kept content, which is not handled here.
        let isDeclared = declarations(in: segment).contains { $0.prefix.elementsEqual(prefix) }
        guard isDeclared != prefix.isEmpty else { return false }
        let attribute = tag[name.endIndex...].prefix { $0 != UInt8(ascii: "=") }
        guard !attribute.isEmpty else { return true }
        guard !attribute.contains(UInt8(ascii: ":")) else { return false }
        let value = tag[attribute.endIndex...].dropFirst(2)
        return value.firstIndex(of: UInt8(ascii: "\"")) == tag.endIndex - 1
    }

    /// Writes a start tag without its `>`, with declarations and attributes in canonical form.
    mutating func render(_ tag: CanonicalTag) {
        for index in segments.indices where depth == segments[index].depth + 1 { segments[index].elements += 1 }
        // The name is written before anything that may be refused, so that the path of an error ends with it.
        raw(UInt8(ascii: "<"))
        write(prefix: tag.prefix, tag.localName)
        var declarations: [Rendered] = []
        func isHere(_ prefix: [UInt8]) -> Bool { declarations.contains { $0.prefix == prefix } }
        // Visibly utilized: the prefixes of the names in the tag.
        let names = [(tag.prefix, tag.uri)] + tag.attributes.filter { !$0.prefix.isEmpty }.map { ($0.prefix, $0.uri) }
        for (prefix, uri) in names where !prefix.elementsEqual("xml".utf8) && !isHere(prefix) {
            if needs(prefix, uri) { declarations.append(Rendered(prefix: prefix, uri: uri, depth: depth)) }
        }
        for (prefix, uri) in inclusive(tag) where !isHere(prefix) && !names.contains(where: { $0.0 == prefix }) {
            guard needs(prefix, uri), list(prefix, uri) else { continue }
            declarations.append(Rendered(prefix: prefix, uri: uri, depth: depth))
        }
        declarations.sort { $0.prefix.lexicographicallyPrecedes($1.prefix) }
        rendered.append(contentsOf: declarations)
        for declaration in declarations { writeDeclaration(declaration.prefix, declaration.uri) }
        let attributes = tag.attributes.sorted {
            $0.uri.isExactly($1.uri)
                ? $0.localName.lexicographicallyPrecedes($1.localName)
                : $0.uri.utf8.lexicographicallyPrecedes($1.uri.utf8)
        }
        for attribute in attributes {
            raw(UInt8(ascii: " "))
            write(prefix: attribute.prefix, attribute.localName)
            raw("=\"")
            raw(attribute.value)
            raw(UInt8(ascii: "\""))
        }
    }

    /// The declarations that a tag must have whatever its names are: those to be kept, and those with a prefix of the
    /// list that come into scope here.
    private func inclusive(_ tag: CanonicalTag) -> [(prefix: [UInt8], uri: String)] {
        // Canonical XML 1.0 §2.3: `xml` is never declared.
        var result = tag.kept.filter { $0.prefix != "xml" }.map { (prefix: Array($0.prefix.utf8), uri: $0.uri) }
        for segment in segments {
            let isOutermost = depth == segment.depth + 1
            for prefix in segment.prefixes {
                guard let binding = bindings.last(where: { $0.prefix == prefix }),
                    isOutermost || binding.depth == depth,
                    !result.contains(where: { $0.prefix == prefix })
                else { continue }
                result.append((prefix, binding.uri))
            }
        }
        return result
    }

    /// The meaning of a prefix in the canonical form of a segment, at the current position.
    private func meaning(_ prefix: [UInt8], in segment: Segment) -> String? {
        declarations(in: segment).last { $0.prefix == prefix }?.uri ?? (prefix.isEmpty ? "" : nil)
    }

    /// The declarations inside a segment; those around it are gone when too many elements were ended in it.
    private func declarations(in segment: Segment) -> ArraySlice<Rendered> {
        rendered[min(segment.outerRendered, rendered.count)...]
    }

    /// Whether the innermost segment declares a prefix already.
    func isRendered(_ prefix: [UInt8], _ uri: String) -> Bool {
        segments.last.map { meaning(prefix, in: $0)?.isExactly(uri) == true } ?? false
    }

    /// Whether a prefix must be declared here.
    private mutating func needs(_ prefix: [UInt8], _ uri: String) -> Bool {
        let answers = segments.map { meaning(prefix, in: $0)?.isExactly(uri) != true }
        guard let answer = answers.last, answers.allSatisfy({ $0 == answer }) else {
            fail(
                "the inner of two nested segments needs the prefix “\(String(decoding: prefix, as: UTF8.self))” to be declared again, "
                    + "which the outer one does not allow. Sign both side by side, or use another prefix in what was kept as it was "
                    + "written.")
            return true
        }
        return answer
    }

    /// Adds a prefix to the lists of the segments that do not have it, because only a value uses it. False when it need
    /// not be declared because it has the same meaning around the segment.
    private mutating func list(_ prefix: [UInt8], _ uri: String) -> Bool {
        guard canList(prefix) else {
            if bindings.last(where: { $0.prefix == prefix })?.uri.isExactly(uri) == true { return false }
            let name = prefix.isEmpty ? "#default" : String(decoding: prefix, as: UTF8.self)
            fail("the prefix “\(name)” means something else around the segment: name it in `inclusiveNamespaces`.")
            return false
        }
        for index in segments.indices where !segments[index].prefixes.contains(prefix) {
            segments[index].prefixes.append(prefix)
        }
        return true
    }

    /// Whether a prefix can still be added to the lists: it must not be one that the first tags of the segments would
    /// have had to declare.
    private func canList(_ prefix: [UInt8]) -> Bool {
        segments.allSatisfy { segment in
            segment.prefixes.contains(prefix) || !segment.outerPrefixes.contains(prefix)
                || declarations(in: segment).contains {
                    $0.prefix == prefix && $0.depth == segment.depth + 1
                }
        }
    }

    // MARK: Prefixes

    /// In a nested segment a prefix that the outer one has declared already cannot be used.
    func prefixInNested(_ isWanted: (Binding) -> Bool) -> [UInt8]? {
        let outer = rendered[..<min(segments.last?.outerRendered ?? 0, rendered.count)]
        return bindings.last { binding in
            isWanted(binding) && !outer.contains { $0.prefix == binding.prefix }
        }?.prefix
    }

    /// The prefix for a value that is a qualified name, declared inside the segment.
    mutating func prefixInSegment(_ uri: String, _ wished: String?) -> [UInt8] {
        if uri == XMLNamespace.xml.uri { return Array("xml".utf8) }
        if let known = rendered.last(where: {
            $0.uri.isExactly(uri) && !$0.prefix.isEmpty && isRendered($0.prefix, uri)
        }) {
            return known.prefix
        }
        guard let tag = lastTag(), !tag.hasContent else {
            fail("a namespace is to be declared on an element that has content already.")
            return []
        }
        if let kept = kept.last(where: { $0.uri.isExactly(uri) && !$0.prefix.isEmpty }) {
            return Array(kept.prefix.utf8)
        }
        var prefix = prefix(ofURI: uri) ?? []
        // The tag declares its own prefix anyway.
        let own = UnsafeBufferPointer(start: base + tagStart + 1, count: tag.nameLength)
        if tag.length == nil, own.starts(with: prefix + [UInt8(ascii: ":")]), !prefix.isEmpty { return prefix }
        if prefix.isEmpty || !canList(prefix) {
            prefix = newPrefix(for: uri, wished)
            guard canBind(String(decoding: prefix, as: UTF8.self), uri) else { return [] }
            bind(prefix, uri, depth: depth)
        }
        if let length = tag.length {
            addDeclaration(prefix, uri, length)
        } else {
            kept.append(XMLDeclaration(prefix: String(decoding: prefix, as: UTF8.self), uri: uri))
            valuePrefixes.insert(prefix)
        }
        return prefix
    }

    /// Declares a prefix in a start tag of `length` bytes that is in canonical order already.
    private mutating func addDeclaration(_ prefix: [UInt8], _ uri: String, _ length: Int) {
        guard needs(prefix, uri), list(prefix, uri) else { return }
        let rest = cut(from: tagStart + length)
        let tag = WrittenTag(UnsafeBufferPointer(start: base + tagStart, count: length - 1))
        count = tagStart
        raw(UInt8(ascii: "<"))
        write(prefix: tag.prefix, tag.localName)
        var isWritten = false
        for attribute in tag.attributes {
            // A declaration of the default namespace comes first.
            let isDefault = attribute.prefix.isEmpty && attribute.localName.elementsEqual("xmlns".utf8)
            let isBefore =
                isDefault
                || attribute.prefix.elementsEqual("xmlns".utf8) && attribute.localName.lexicographicallyPrecedes(prefix)
            if !isBefore, !isWritten {
                writeDeclaration(prefix, uri)
                isWritten = true
            }
            raw(UInt8(ascii: " "))
            write(prefix: attribute.prefix, attribute.localName)
            raw("=\"")
            raw(attribute.value)
            raw(UInt8(ascii: "\""))
        }
        if !isWritten { writeDeclaration(prefix, uri) }
        raw(UInt8(ascii: ">"))
        raw(rest)
        rendered.append(Rendered(prefix: prefix, uri: uri, depth: depth))
    }
}
