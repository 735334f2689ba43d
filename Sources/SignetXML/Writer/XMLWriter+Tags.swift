extension XMLWriter {
    /// Writes `<p:name` and the declarations that it needs; the caller adds attributes and closes the tag.
    mutating func beginTag(
        namespace: Int32, local: some Collection<UInt8>, declaring: [(prefix: String, namespace: XMLNamespace)] = []
    ) {
        if declaring.isEmpty, depth > 0, isReady(for: namespace) {
            depth += 1
            tagStart = count
            let (word, length) = (ready.open, ready.length + 1)
            short { $0.store(word, length) }
            return raw(local)
        }
        if layout != nil { layout?.begin(at: count) }
        depth += 1
        tagStart = count
        raw(UInt8(ascii: "<"))
        let outer = bindings.count
        if !declaring.isEmpty { bind(declaring) }
        let declared = outer..<bindings.count
        let known = namespace == XMLNamespace.none.id ? [] : prefix(of: namespace)
        let prefix = known ?? newPrefix(for: XMLNamespace.uri(of: namespace))
        write(prefix: prefix, local)
        if segments.isEmpty { for index in declared { writeDeclaration(bindings[index].prefix, bindings[index].uri) } }
        if depth == 1 { rootTag = segments.isEmpty ? count : nil }
        if known == nil { declare(XMLNamespace.uri(of: namespace), prefix: prefix) }
        if layout != nil { layout?.enter(isFixed: !segments.isEmpty) }
    }

    /// Writes the `>` of a start tag.
    @usableFromInline package mutating func closeTag() {
        if isPlain { return raw(UInt8(ascii: ">")) }
        if !segments.isEmpty { canonicalizeTag() }
        raw(UInt8(ascii: ">"))
        guard layout != nil else { return }
        let tag = WrittenTag(UnsafeBufferPointer(start: base + tagStart, count: count - 1 - tagStart))
        layout?.tagEnded(at: count, keepsSpace: tag.keepsSpace)
    }

    mutating func endTag(namespace: Int32, local: some Collection<UInt8>) {
        if isReady(for: namespace) {
            let (word, length) = (ready.close, ready.length + 2)
            short { $0.store(word, length) }
            raw(local)
            raw(UInt8(ascii: ">"))
            return leaveScope()
        }
        layout?.end(at: count)
        raw("</")
        write(prefix: namespace == XMLNamespace.none.id ? [] : prefix(of: namespace) ?? [], local)
        raw(UInt8(ascii: ">"))
        leaveScope()
        layout?.tagEnded(at: count)
    }

    mutating func write(prefix: [UInt8], _ local: some Collection<UInt8>) {
        if !prefix.isEmpty {
            raw(prefix)
            raw(UInt8(ascii: ":"))
        }
        raw(local)
    }

    /// Removes the declarations of the element that has ended from the scope.
    @inline(__always) mutating func leaveScope() {
        if lastDeclaration == depth { forgetScope() }
        depth -= 1
    }

    private mutating func forgetScope() {
        while let last = bindings.last, last.depth >= depth { bindings.removeLast() }
        while let last = rendered.last, last.depth >= depth { rendered.removeLast() }
    }
}

/// Writes tags of fields, whose names are prepared in a table.
extension XMLWriter {
    /// `<p:` and `</p:` for one namespace, each in a word.
    struct ReadyTag {
        var namespace: Int32 = .min
        var open: UInt64 = 0
        var close: UInt64 = 0
        /// The length of `p:`.
        var length = 0

        mutating func forget() { namespace = .min }

        /// Prepares the tags of a prefix; false for a prefix that is too long for a word.
        mutating func set(_ namespace: Int32, _ prefix: [UInt8]) -> Bool {
            guard prefix.count <= 5 else { return false }
            self.namespace = namespace
            length = prefix.isEmpty ? 0 : prefix.count + 1
            var name: UInt64 = 0
            for (index, byte) in prefix.enumerated() { name |= UInt64(byte) << UInt64(index * 8) }
            if length > 0 { name |= UInt64(UInt8(ascii: ":")) << UInt64(prefix.count * 8) }
            open = name << 8 | UInt64(UInt8(ascii: "<"))
            close = name << 16 | UInt64(UInt8(ascii: "/")) << 8 | UInt64(UInt8(ascii: "<"))
            return true
        }
    }

    /// Writes `<p:name`, and `>` when the tag has no attributes.
    mutating func startField(_ field: UnsafePointer<XMLTable.Field>, closed: Bool) {
        guard isReady(for: field.pointee.namespace) else {
            beginTag(namespace: field.pointee.namespace, local: field.pointee.bytes)
            if closed { closeTag() }
            return
        }
        depth += 1
        tagStart = count
        write(ready.open, ready.length + 1, field, field.pointee.length + (closed ? 1 : 0))
    }

    mutating func endField(_ field: UnsafePointer<XMLTable.Field>) {
        if isReady(for: field.pointee.namespace) {
            write(ready.close, ready.length + 2, field, field.pointee.length + 1)
            leaveScope()
        } else {
            endTag(namespace: field.pointee.namespace, local: field.pointee.bytes)
        }
    }

    /// Whether the tags of a namespace are prepared. They cannot be prepared when copying them is not enough: when the
    /// prefix is not declared yet, or not where a segment needs it, when it is too long, or when white space precedes
    /// the tags.
    @inline(__always) mutating func isReady(for namespace: Int32) -> Bool {
        ready.namespace == namespace || makeReady(namespace)
    }

    @inline(never) private mutating func makeReady(_ namespace: Int32) -> Bool {
        guard layout == nil else { return false }
        if namespace == XMLNamespace.none.id { return segments.isEmpty && ready.set(namespace, []) }
        guard let prefix = prefix(of: namespace) else { return false }
        if !segments.isEmpty, !isRendered(prefix, XMLNamespace.uri(of: namespace)) { return false }
        return ready.set(namespace, prefix)
    }

    /// Writes `length` bytes of a word and then `count` bytes of a name; the bytes after them are overwritten later.
    @inline(__always) private mutating func write(
        _ word: UInt64, _ length: Int, _ field: UnsafePointer<XMLTable.Field>, _ nameCount: Int
    ) {
        reserve(length + nameCount + 16)
        var cursor = ByteCursor(base + count)
        cursor.store(word, length)
        cursor.copy(field, nameCount)
        count = cursor.p - base
    }
}

extension XMLTable.Field {
    /// The local name.
    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: name, count: length) }
}
