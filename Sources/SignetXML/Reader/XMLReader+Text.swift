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
            guard r > digits, r < end, r[0] == UInt8(ascii: ";") else {
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
        let known: [(StaticString, UInt32)] = [
            ("&amp;", 0x26), ("&lt;", 0x3C), ("&gt;", 0x3E), ("&quot;", 0x22), ("&apos;", 0x27),
        ]
        for (literal, scalar) in known where starts(with: literal, at: q) { return (scalar, literal.utf8CodeUnitCount) }
        fail(
            .malformed, "“&” begins no reference that is known without a DTD; write “&amp;” for the character itself.",
            at: q)
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
                append(reference.scalar)
                q += reference.length
            } else {
                if q[0] == 0x0D && q + 1 < stop && q[1] == 0x0A { q += 1 }
                scratch.append(kind == .attribute ? 0x20 : 0x0A)
                q += 1
            }
        }
        return true
    }

    private mutating func append(_ scalar: UInt32) {
        switch scalar {
        case 0..<0x80: scratch.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            scratch.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            scratch.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        default:
            scratch.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
            scratch.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
        }
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

    // MARK: XML declaration

    /// Reads `<?xml …?>` (XML 1.0 §2.8): version 1.x, an encoding that is UTF-8 or part of it.
    mutating func readDeclaration() {
        guard starts(with: "<?xml"), end - p > 5, XMLCharacters.isSpace(p[5]) else { return }
        guard let close = find("?>", from: p) else {
            fail(.unexpectedEnd, "the XML declaration has no end.")
            return
        }
        let names: [StaticString] = ["version", "encoding", "standalone"]
        var next = 0
        var q = p + 5
        while true {
            let before = q
            while q < close && XMLCharacters.isSpace(q[0]) { q += 1 }
            if q >= close { break }
            guard q > before, let index = names.indices.first(where: { $0 >= next && starts(with: names[$0], at: q) }),
                next > 0 || index == 0
            else { return malformedDeclaration(q) }
            next = index + 1
            q += names[index].utf8CodeUnitCount
            while q < close && XMLCharacters.isSpace(q[0]) { q += 1 }
            guard q < close, q[0] == UInt8(ascii: "=") else { return malformedDeclaration(q) }
            q += 1
            while q < close && XMLCharacters.isSpace(q[0]) { q += 1 }
            guard q < close, q[0] == UInt8(ascii: "\"") || q[0] == UInt8(ascii: "'") else {
                return malformedDeclaration(q)
            }
            let quote = q[0]
            let value = q + 1
            q = value
            while q < close && q[0] != quote { q += 1 }
            guard q < close else { return malformedDeclaration(value) }
            guard accepts(string(value, q - value), for: index) else {
                if !hasFailed { malformedDeclaration(value) }
                return
            }
            q += 1
        }
        guard next > 0 else { return malformedDeclaration(p) }
        p = close + 2
    }

    private mutating func accepts(_ value: String, for index: Int) -> Bool {
        switch index {
        case 0:
            return value.hasPrefix("1.") && value.utf8.count > 2
                && value.utf8.dropFirst(2).allSatisfy { (0x30...0x39).contains($0) }
        case 1:
            if ["utf-8", "us-ascii", "ascii"].contains(value.lowercased()) { return true }
            fail(.unsupportedEncoding, "the encoding “\(String(value.prefix(40)))” is not read; send UTF-8.")
            return false
        default: return value == "yes" || value == "no"
        }
    }

    private mutating func malformedDeclaration(_ place: UnsafePointer<UInt8>) {
        fail(.malformed, "the XML declaration is malformed.", at: place)
    }
}
