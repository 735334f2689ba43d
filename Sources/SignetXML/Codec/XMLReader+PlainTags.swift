/// Reads common start tags that ``takeStartTag(_:)`` does not read: those of the expected element, with attributes
/// without prefixes and references, or without content.
extension XMLReader {
    /// Reads such a start tag if the table expects its field next, and returns the number of the field. It does nothing
    /// when the tag is written in another way.
    // Not inlined into its caller, because few start tags have attributes.
    @inline(never) mutating func nextWithAttributes(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        guard frames.count < limits.depth, end - p >= 24, word(p) & prediction.openMask == prediction.open else {
            return nil
        }
        let namespace = prediction.namespace
        let name = p + prediction.openLength
        var q = name
        while q < end, XMLCharacters.isNameByte(q[0]) { q += 1 }
        let length = q - name
        guard q - p - 1 <= limits.nameBytes, let index = nextNamed(table, progress, namespace, name, length) else {
            return nil
        }
        guard let stop = readPlainAttributes(q) else {
            attributes.removeAll(keepingCapacity: true)
            return nil
        }
        frames.append(
            Frame(name: p + 1, length: prediction.openLength - 1 + length, bindings: bindings.count))
        elementNamespace = namespace
        localName = name
        localLength = length
        selfClosed = stop[0] == UInt8(ascii: "/")
        p = selfClosed ? stop + 2 : stop + 1
        guard attributesAreDistinct() else { return nil }
        takeFramed()
        return accept(index, table, &progress) ? index : nil
    }

    /// Reads the start tag at the cursor, if it begins like `written`, which means an element of `namespace` here, and
    /// declares no namespace. It reads no tag that is written in another way.
    mutating func takeStartTag(like written: [UInt8], namespace: Int32) -> Bool {
        while p < end, XMLCharacters.isSpace(p[0]) { p += 1 }
        guard !written.isEmpty, frames.count < limits.depth, end - p > written.count + 1,
            written.withUnsafeBufferPointer({ $0.baseAddress.map { same($0, p, written.count) } ?? false }),
            let stop = readPlainAttributes(p + written.count), attributesAreDistinct()
        else { return false }
        let colon = written.lastIndex(of: UInt8(ascii: ":")) ?? 0
        frames.append(Frame(name: p + 1, length: written.count - 1, bindings: bindings.count))
        elementNamespace = namespace
        localName = p + colon + 1
        localLength = written.count - colon - 1
        selfClosed = stop[0] == UInt8(ascii: "/")
        p = selfClosed ? stop + 2 : stop + 1
        return true
    }

    /// Reads the attributes after the name that ends at `begin`; returns the position of the `>` or `/>` after them.
    /// Nil when an attribute is written in another way.
    @inline(__always) private mutating func readPlainAttributes(
        _ begin: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
        let most = min(limits.attributes, 12)
        let classes = XMLCharacters.classes
        var q = begin
        while true {
            let before = q
            while q < end, XMLCharacters.isSpace(q[0]) { q += 1 }
            // The least length of an attribute and the end of the tag.
            guard end - q >= 2 else { return nil }
            if q[0] == UInt8(ascii: ">") { return q }
            if q[0] == UInt8(ascii: "/") { return q[1] == UInt8(ascii: ">") ? q : nil }
            let name = q
            guard q != before, attributes.count < most, classes[Int(q[0])] & XMLCharacters.nameStart != 0 else {
                return nil
            }
            repeat { q += 1 } while q < end && classes[Int(q[0])] & XMLCharacters.name != 0
            let length = q - name
            guard end - q >= 3, q[0] == UInt8(ascii: "="), length <= limits.nameBytes,
                length != 5 || !starts(with: "xmlns", at: name)
            else { return nil }
            let quote = q[1]
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
            let value = q + 2
            q = value
            while end - q >= 8, !holdsMarkup(word(q), quote) { q += 8 }
            while q < end, q[0] != quote {
                guard q[0] >= UInt8(ascii: " "), q[0] != UInt8(ascii: "<"), q[0] != UInt8(ascii: "&") else {
                    return nil
                }
                q += 1
            }
            guard q < end, q - value <= limits.textBytes else { return nil }
            attributes.append(
                Attribute(
                    name: name, prefixLength: 0, localName: name, localLength: length, value: value,
                    valueLength: q - value, isPlain: true, namespace: 0))
            q += 1
        }
    }
}
