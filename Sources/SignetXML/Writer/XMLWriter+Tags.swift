/// Tags of fields, whose names stand ready in a table.
extension XMLWriter {
    /// `<p:` and `</p:` for one namespace, each in a word.
    struct ReadyTag {
        var namespace: Int32 = .min
        var open: UInt64 = 0
        var close: UInt64 = 0
        /// The length of `p:`.
        var length = 0

        mutating func forget() { namespace = .min }

        /// False for a prefix that is too long for a word.
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
    mutating func startField(_ field: XMLTable.Field, closed: Bool) {
        if ready.namespace != field.namespace, !isReady(field.namespace) {
            beginTag(
                namespace: field.namespace, local: Array(UnsafeBufferPointer(start: field.name, count: field.length)))
            if closed { raw(UInt8(ascii: ">")) }
            return
        }
        depth += 1
        tagStart = count
        write(ready.open, ready.length + 1, field, field.length + (closed ? 1 : 0))
    }

    mutating func endField(_ field: XMLTable.Field) {
        if ready.namespace == field.namespace || isReady(field.namespace) {
            write(ready.close, ready.length + 2, field, field.length + 1)
        } else {
            raw("</")
            write(
                prefix: prefix(of: field.namespace) ?? [],
                Array(UnsafeBufferPointer(start: field.name, count: field.length)))
            raw(UInt8(ascii: ">"))
        }
        leaveScope()
    }

    /// What was declared on the element that has ended is in scope no longer.
    @inline(__always) mutating func leaveScope() {
        while lastDeclaration == depth, depth > 0 { prefixes.removeLast() }
        depth -= 1
    }

    /// Makes the tags of a namespace ready; false when it has no prefix yet, or one that is too long.
    private mutating func isReady(_ namespace: Int32) -> Bool {
        if namespace == XMLNamespace.none.id { return ready.set(namespace, []) }
        return prefix(of: namespace).map { ready.set(namespace, $0) } ?? false
    }

    /// Writes `length` bytes of a word and then `count` bytes of a name; what is written behind them is overwritten later.
    @inline(__always)
    private mutating func write(_ word: UInt64, _ length: Int, _ field: XMLTable.Field, _ nameCount: Int) {
        reserve(length + nameCount + 16)
        UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
        let to = UnsafeMutableRawPointer(base + count + length)
        let from = UnsafeRawPointer(field.name)
        var i = 0
        // A name in a table has sixteen readable bytes behind it.
        repeat {
            to.storeBytes(of: from.loadUnaligned(fromByteOffset: i, as: UInt64.self), toByteOffset: i, as: UInt64.self)
            i += 8
        } while i < nameCount
        count += length + nameCount
    }
}
