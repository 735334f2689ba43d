extension XMLReader {
    /// A name as written, with the position of its colon.
    struct ScannedName {
        var start: UnsafePointer<UInt8>
        var length: Int
        var colon: Int?
    }

    /// Reads a qualified name (Namespaces in XML §4): one colon at most, not at an end, both parts proper names.
    mutating func scanName(_ begin: UnsafePointer<UInt8>) -> ScannedName? {
        let table = XMLCharacters.classes
        var q = begin
        var colon: Int?
        var atStart = true
        while q < end {
            let byte = q[0]
            if byte == UInt8(ascii: ":") {
                guard colon == nil, !atStart else {
                    fail(.namespace, "a name has a colon where none may stand.", at: q)
                    return nil
                }
                colon = q - begin
                atStart = true
                q += 1
                continue
            }
            if byte < 0x80 {
                let wanted = atStart ? XMLCharacters.nameStart : XMLCharacters.name
                guard table[Int(byte)] & wanted != 0 else { break }
                q += 1
                while q < end, table[Int(q[0])] & XMLCharacters.name != 0 { q += 1 }
            } else {
                let (scalar, length) = XMLCharacters.scalar(q)
                guard XMLCharacters.isNameScalar(scalar, start: atStart) else { break }
                q += length
            }
            atStart = false
        }
        guard !atStart else {
            if q >= end {
                fail(.unexpectedEnd, "the document ends where a name is expected.", at: q)
            } else {
                fail(colon == nil ? .malformed : .namespace, "a name is expected here.", at: q)
            }
            return nil
        }
        if q - begin > limits.nameBytes {
            fail(.nameTooLong, "a name is longer than \(limits.nameBytes) bytes (XMLLimits.nameBytes).", at: begin)
            return nil
        }
        return ScannedName(start: begin, length: q - begin, colon: colon)
    }

    mutating func readStartTag() -> Bool {
        if frames.count >= limits.depth {
            fail(.tooDeep, "elements are nested deeper than \(limits.depth) (XMLLimits.depth).")
            return false
        }
        guard let name = scanName(p + 1) else { return false }
        let frame = Frame(name: name.start, length: name.length, bindings: bindings.count)
        if !attributes.isEmpty { attributes.removeAll(keepingCapacity: true) }
        var declared = false
        p = name.start + name.length
        while true {
            let before = p
            while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
            guard p < end else { return endsInTag() }
            if p[0] == UInt8(ascii: ">") {
                p += 1
                break
            }
            if p[0] == UInt8(ascii: "/") {
                guard p + 1 < end else { return endsInTag() }
                guard p[1] == UInt8(ascii: ">") else {
                    fail(.malformed, "“/” in a start tag must be followed by “>”.")
                    return false
                }
                p += 2
                selfClosed = true
                break
            }
            guard p != before else {
                fail(.malformed, "a space must stand before an attribute.")
                return false
            }
            guard readAttribute(declared: &declared) else { return false }
        }
        frames.append(frame)
        rootSeen = true
        if declared { prediction.forget() }
        return resolve(name)
    }

    private mutating func endsInTag() -> Bool {
        fail(.unexpectedEnd, "the document ends inside a start tag.", at: end)
        return false
    }

    /// Whether a byte is the quote, `<`, `&` or a control character.
    @inline(__always) func holdsMarkup(_ bytes: UInt64, _ quote: UInt8) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let close = bytes ^ (ones &* UInt64(quote))
        let less = bytes ^ (ones &* 0x3C)
        let ampersand = bytes ^ (ones &* 0x26)
        let low = bytes &- (ones &* 0x20)
        let hit = (close &- ones) & ~close | (less &- ones) & ~less | (ampersand &- ones) & ~ampersand | low & ~bytes
        return hit & (ones &* 0x80) != 0
    }

    private mutating func readAttribute(declared: inout Bool) -> Bool {
        guard let name = scanName(p) else { return false }
        if attributes.count >= limits.attributes {
            fail(.tooManyAttributes, "an element has more than \(limits.attributes) attributes (XMLLimits.attributes).")
            return false
        }
        p = name.start + name.length
        while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
        guard p < end else { return endsInTag() }
        guard p[0] == UInt8(ascii: "=") else {
            fail(.malformed, "the attribute “\(string(name.start, min(name.length, 80)))” has no value.")
            return false
        }
        p += 1
        while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
        guard p < end else { return endsInTag() }
        guard p[0] == UInt8(ascii: "\"") || p[0] == UInt8(ascii: "'") else {
            fail(.malformed, "an attribute's value must stand in quotes.")
            return false
        }
        let quote = p[0]
        let value = p + 1
        // The search ends at the limit: nothing after it needs to be read.
        let stop = end - value > limits.textBytes ? value + limits.textBytes + 1 : end
        var q = value
        var isPlain = true
        // Eight bytes at a time, as long as all of them are plain.
        while stop - q >= 8, !holdsMarkup(word(q), quote) { q += 8 }
        while q < stop && q[0] != quote {
            let byte = q[0]
            if byte > UInt8(ascii: "<") {
                q += 1
            } else if byte == UInt8(ascii: "<") {
                fail(.malformed, "“<” must be written as “&lt;” in an attribute's value.", at: q)
                return false
            } else if byte == UInt8(ascii: "&") {
                guard let reference = reference(at: q) else { return false }
                q += reference.length
                isPlain = false
            } else {
                if byte < UInt8(ascii: " ") { isPlain = false }
                q += 1
            }
        }
        if q - value > limits.textBytes {
            fail(
                .textTooLong, "an attribute's value is longer than \(limits.textBytes) bytes (XMLLimits.textBytes).",
                at: value)
            return false
        }
        guard q < end else {
            fail(.unexpectedEnd, "an attribute's value has no closing quote.", at: value)
            return false
        }
        p = q + 1
        let prefixLength = name.colon ?? 0
        let skipped = name.colon.map { $0 + 1 } ?? 0
        attributes.append(
            Attribute(
                name: name.start, prefixLength: prefixLength, localName: name.start + skipped,
                localLength: name.length - skipped, value: value, valueLength: q - value, isPlain: isPlain,
                namespace: 0))
        if name.colon == nil && name.length == 5 && starts(with: "xmlns", at: name.start) {
            declared = true
            return declare(prefix: name.start, length: 0)
        }
        if name.colon == 5 && starts(with: "xmlns", at: name.start) {
            declared = true
            return declare(prefix: name.start + 6, length: name.length - 6)
        }
        return true
    }
}
