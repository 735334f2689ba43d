extension XMLReader {
    /// The scalar that a reference at `q` stands for, and the reference's length (XML 1.0 §4.1, §4.6).
    mutating func reference(at q: UnsafePointer<UInt8>) -> (scalar: UInt32, length: Int)? {
        if starts(with: "&#", at: q) {
            let isHex = end - q > 2 && q[2] == UInt8(ascii: "x")
            var r = q + (isHex ? 3 : 2)
            let digits = r
            var value: UInt32 = 0
            while r < end, let digit = Self.digit(r[0], isHex: isHex) {
                // Saturates far above the last scalar, so that long runs of digits cannot overflow.
                value = min(value * (isHex ? 16 : 10) + digit, 0x00FF_FFFF)
                r += 1
            }
            guard r < end else { return endsInReference(q) }
            guard r > digits, r[0] == UInt8(ascii: ";") else {
                fail(.malformed, "a character reference is not complete.", at: q)
                return nil
            }
            guard XMLCharacters.isCharacter(value) else {
                fail(
                    .invalidCharacter,
                    "a character reference names U+\(String(value, radix: 16, uppercase: true)), which XML does not allow.",
                    at: q)
                return nil
            }
            return (value, r - q + 1)
        }
        if let known = predefined(at: q) { return known }
        var r = q + 1
        while r < end && XMLCharacters.isNameByte(r[0]) { r += 1 }
        guard r < end else { return endsInReference(q) }
        fail(
            .malformed, "“&” begins no reference that is known without a DTD; write “&amp;” for the character itself.",
            at: q)
        return nil
    }

    /// The five entities that are known without a declaration (XML 1.0 §4.6).
    private func predefined(at q: UnsafePointer<UInt8>) -> (scalar: UInt32, length: Int)? {
        let available = end - q
        guard available >= 4 else { return nil }
        switch (q[1], q[2]) {
        case (UInt8(ascii: "l"), UInt8(ascii: "t")): return q[3] == UInt8(ascii: ";") ? (0x3C, 4) : nil
        case (UInt8(ascii: "g"), UInt8(ascii: "t")): return q[3] == UInt8(ascii: ";") ? (0x3E, 4) : nil
        case (UInt8(ascii: "a"), UInt8(ascii: "m")): return starts(with: "p;", at: q + 3) ? (0x26, 5) : nil
        case (UInt8(ascii: "a"), UInt8(ascii: "p")): return starts(with: "os;", at: q + 3) ? (0x27, 6) : nil
        case (UInt8(ascii: "q"), UInt8(ascii: "u")): return starts(with: "ot;", at: q + 3) ? (0x22, 6) : nil
        default: return nil
        }
    }

    private mutating func endsInReference(_ place: UnsafePointer<UInt8>) -> (scalar: UInt32, length: Int)? {
        fail(.unexpectedEnd, "the document ends inside a reference.", at: place)
        return nil
    }

    private static func digit(_ byte: UInt8, isHex: Bool) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46 where isHex: UInt32(byte - 0x37)
        case 0x61...0x66 where isHex: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// How a run of bytes becomes the text it stands for.
    enum TextKind {
        /// Content: references resolved, line ends normalised (XML 1.0 §2.11).
        case content
        /// CDATA: only line ends.
        case cdata
        /// An attribute's value: references resolved, white space characters become spaces (§3.3.3).
        case attribute
    }

    /// Appends the text that `count` bytes at `from` stand for to the scratch buffer; false after a defect.
    mutating func rewrite(_ from: UnsafePointer<UInt8>, _ count: Int, as kind: TextKind) -> Bool {
        let stop = from + count
        var q = from
        while q < stop {
            // Content holds no `<`, so that plain text ends where something is to be done.
            var run = kind == .content ? min(endOfPlainText(q), stop) : q
            while run < stop {
                let byte = run[0]
                if byte == 0x0D || (byte == 0x26 && kind != .cdata)
                    || (kind == .attribute && (byte == 0x0A || byte == 0x09))
                {
                    break
                }
                run += 1
            }
            scratch.append(q, run - q)
            q = run
            guard q < stop else { break }
            if q[0] == 0x26 {
                guard let reference = reference(at: q) else { return false }
                scratch.append(scalar: reference.scalar)
                q += reference.length
            } else {
                if q[0] == 0x0D && q + 1 < stop && q[1] == 0x0A { q += 1 }
                scratch.append(kind == .attribute ? 0x20 : 0x0A)
                q += 1
            }
        }
        return true
    }

    /// An attribute's value after normalisation.
    mutating func attributeValue(_ attribute: Attribute) -> String {
        let bytes = attributeBytes(attribute)
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func attributeBytes(_ attribute: Attribute) -> UnsafeBufferPointer<UInt8> {
        let plain = (0..<attribute.valueLength).allSatisfy {
            attribute.value[$0] != 0x26 && attribute.value[$0] >= 0x20
        }
        if plain { return UnsafeBufferPointer(start: attribute.value, count: attribute.valueLength) }
        scratch.removeAll()
        guard rewrite(attribute.value, attribute.valueLength, as: .attribute) else {
            return UnsafeBufferPointer(start: start, count: 0)
        }
        return UnsafeBufferPointer(start: scratch.base, count: scratch.count)
    }

    /// Appends the text read last to the scratch buffer.
    mutating func appendCurrentText() -> Bool {
        if textIsLiteral {
            scratch.append(text, textLength)
            return true
        }
        return rewrite(text, textLength, as: textIsCDATA ? .cdata : .content)
    }

    /// Whether the text read last is white space only, as written.
    var currentTextIsSpace: Bool { !textIsCDATA && (0..<textLength).allSatisfy { XMLCharacters.isSpace(text[$0]) } }
}
