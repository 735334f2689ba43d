extension XMLReader {
    /// The scalar of the reference at `q`, and the reference's length (XML 1.0 §4.1, §4.6); nil after a defect.
    @inline(__always)
    mutating func reference(at q: UnsafePointer<UInt8>) -> (scalar: UInt32, length: Int)? {
        let found = readReference(at: q)
        guard found.length > 0 else {
            failReference(at: q)
            return nil
        }
        return found
    }

    /// The scalar and the length; the length is zero when there is no reference.
    func readReference(at q: UnsafePointer<UInt8>) -> (scalar: UInt32, length: Int) { Self.readReference(at: q, end) }

    // Static, because a call of a non-mutating function would copy the whole reader.
    static func readReference(
        at q: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> (scalar: UInt32, length: Int) {
        guard end - q >= 4 else { return (0, 0) }
        func ends(_ rest: StaticString) -> Bool {
            let count = rest.utf8CodeUnitCount
            guard end - q >= count + 2 else { return false }
            for i in 0..<count where q[i + 2] != rest.utf8Start[i] { return false }
            return true
        }
        switch q[1] {
        case UInt8(ascii: "#"):
            let (value, r) = readDigits(at: q, end)
            guard r < end, r[0] == UInt8(ascii: ";"), XMLCharacters.isCharacter(value) else { return (0, 0) }
            return (value, r - q + 1)
        // The five entities that are known without a declaration.
        case UInt8(ascii: "l"): return ends("t;") ? (0x3C, 4) : (0, 0)
        case UInt8(ascii: "g"): return ends("t;") ? (0x3E, 4) : (0, 0)
        case UInt8(ascii: "a"): return ends("mp;") ? (0x26, 5) : ends("pos;") ? (0x27, 6) : (0, 0)
        case UInt8(ascii: "q"): return ends("uot;") ? (0x22, 6) : (0, 0)
        default: return (0, 0)
        }
    }

    /// The value of the digits after `&#`, and the position where they end. Without a digit the value is zero, which is
    /// no character.
    private static func readDigits(
        at q: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> (value: UInt32, end: UnsafePointer<UInt8>) {
        var r = q + 2
        var value: UInt32 = 0
        // Saturates far above the last scalar, so that long runs of digits cannot overflow.
        let most: UInt32 = 0x00FF_FFFF
        if r < end && r[0] == UInt8(ascii: "x") {
            r += 1
            while r < end, let digit = hexDigit(r[0]) {
                value = min(value &* 16 &+ digit, most)
                r += 1
            }
        } else {
            while r < end, case let digit = UInt32(r[0] &- 0x30), digit < 10 {
                value = min(value &* 10 &+ digit, most)
                r += 1
            }
        }
        return (value, r)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x37)
        case 0x61...0x66: UInt32(byte - 0x57)
        default: nil
        }
    }

    /// Reports the defect of the reference at `q`.
    private mutating func failReference(at q: UnsafePointer<UInt8>) {
        if starts(with: "&#", at: q) {
            let (value, r) = Self.readDigits(at: q, end)
            let digits = q + (q + 2 < end && q[2] == UInt8(ascii: "x") ? 3 : 2)
            if r >= end {
                fail(.unexpectedEnd, "the document ends inside a reference.", at: q)
            } else if r == digits || r[0] != UInt8(ascii: ";") {
                fail(.malformed, "a character reference is not complete.", at: q)
            } else {
                fail(
                    .invalidCharacter,
                    "a character reference names U+\(String(value, radix: 16, uppercase: true)), which XML does not allow.",
                    at: q)
            }
            return
        }
        var r = q + 1
        while r < end && XMLCharacters.isNameByte(r[0]) { r += 1 }
        if r >= end {
            fail(.unexpectedEnd, "the document ends inside a reference.", at: q)
        } else {
            fail(
                .malformed,
                "“&” begins no reference that is known without a DTD; write “&amp;” for the character itself.", at: q)
        }
    }

    /// How a run of bytes becomes text.
    enum TextKind {
        /// Content: references resolved, line ends normalised (XML 1.0 §2.11).
        case content
        /// CDATA: only line ends are normalised.
        case cdata
        /// An attribute's value: references resolved, white space characters become spaces (§3.3.3).
        case attribute
    }

    /// Appends the text of `count` bytes at `from` to the scratch buffer; false after a defect.
    mutating func rewrite(_ from: UnsafePointer<UInt8>, _ count: Int, as kind: TextKind) -> Bool {
        let stop = from + count
        var q = from
        while q < stop {
            // Content has no `<`, so plain text ends at the next special character.
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
        if attribute.isPlain { return UnsafeBufferPointer(start: attribute.value, count: attribute.valueLength) }
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

    /// Whether the text read last is only white space, however it is written: a character reference and a CDATA section
    /// mean the same characters (XML Schema 1.0 part 1 §3.4.4, clause 2.3).
    var currentTextIsSpace: Bool {
        var q = text
        let stop = text + textLength
        while q < stop {
            if XMLCharacters.isSpace(q[0]) {
                q += 1
            } else if q[0] == UInt8(ascii: "&"), !textIsCDATA {
                // The reference was checked when the text was read.
                let (scalar, length) = readReference(at: q)
                guard length > 0, scalar < 0x80, XMLCharacters.isSpace(UInt8(scalar)) else { return false }
                q += length
            } else {
                return false
            }
        }
        return true
    }
}
