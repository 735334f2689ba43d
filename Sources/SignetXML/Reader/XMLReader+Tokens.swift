extension XMLReader {
    /// The kind of token that ``next()`` found.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Token: Sendable, Hashable {
        /// A start tag; its name and attributes are available until the next call.
        case startElement
        /// An end tag (also the second half of `<a/>`).
        case endElement
        /// Character data; ``XMLReader/currentText()`` returns it. A text may come in several pieces, which comments,
        /// processing instructions and the borders of CDATA sections separate.
        case text
        /// The document is complete and well-formed.
        case endOfDocument
    }

    /// Moves to the next start tag, end tag or piece of text; it skips comments and processing instructions.
    public mutating func next() throws(XMLError) -> Token {
        let token = advance()
        try check()
        return token ?? .endOfDocument
    }

    /// Does the same as ``next()``; returns nil after a defect.
    mutating func advance() -> Token? {
        if selfClosed {
            selfClosed = false
            popFrame()
            return .endElement
        }
        while !hasFailed {
            guard p < end else {
                if frames.count > outerDepth, let open = frames.last {
                    fail(.unexpectedEnd, "the document ends inside the element “\(string(open.name, open.length))”.")
                } else if !rootSeen && outerDepth == 0 {
                    fail(.unexpectedEnd, start == end ? "the document is empty." : "the document has no element.")
                } else {
                    return .endOfDocument
                }
                return nil
            }
            guard p[0] == UInt8(ascii: "<") else {
                if frames.isEmpty {
                    guard skipSpaceOutsideRoot() else { return nil }
                    continue
                }
                return readText() ? .text : nil
            }
            guard end - p >= 2 else {
                if outerDepth == .max { return .endOfDocument }
                fail(.unexpectedEnd, "the document ends inside a tag.")
                return nil
            }
            switch p[1] {
            case UInt8(ascii: "/"):
                return readEndTag() ? .endElement : nil
            case UInt8(ascii: "?"):
                guard skipProcessingInstruction() else { return nil }
            case UInt8(ascii: "!"):
                if starts(with: "<!--") {
                    guard skipComment() else { return nil }
                } else if starts(with: "<![CDATA[") && !frames.isEmpty {
                    return readCDATA() ? .text : nil
                } else if starts(with: "<!DOCTYPE") {
                    fail(.doctypeRefused, "a document type declaration (DOCTYPE) is not accepted here.")
                } else if beginsMarkup() {
                    fail(.unexpectedEnd, "the document ends inside a comment or a section.")
                } else {
                    fail(.malformed, "“<!” begins neither a comment nor a CDATA section that is allowed here.")
                }
            default:
                if frames.isEmpty && rootSeen {
                    fail(.malformed, "there is a second root element.")
                    return nil
                }
                return readStartTag() ? .startElement : nil
            }
        }
        return nil
    }

    /// Whether the document ends before it is clear what `<!` begins.
    private func beginsMarkup() -> Bool {
        let rest = UnsafeBufferPointer(start: p, count: end - p)
        return "<!--".utf8.starts(with: rest) || "<!DOCTYPE".utf8.starts(with: rest)
            || (!frames.isEmpty && "<![CDATA[".utf8.starts(with: rest))
    }

    private mutating func skipSpaceOutsideRoot() -> Bool {
        while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
        if p < end && p[0] != UInt8(ascii: "<") {
            fail(.malformed, "there is text outside the root element.")
            return false
        }
        return true
    }

    /// Whether the bytes at the cursor are `literal`.
    // Inlined: a call of a non-mutating function would copy the reader (Swift 6.3).
    @inline(__always) func starts(with literal: StaticString) -> Bool { starts(with: literal, at: p) }

    @inline(__always) func starts(with literal: StaticString, at q: UnsafePointer<UInt8>) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard end - q >= count else { return false }
        for i in 0..<count where q[i] != literal.utf8Start[i] { return false }
        return true
    }

    /// The first occurrence of `literal` from `q` on that begins before `stop`, or before the end of the document.
    func find(
        _ literal: StaticString, from q: UnsafePointer<UInt8>, before stop: UnsafePointer<UInt8>? = nil
    ) -> UnsafePointer<UInt8>? {
        var q = q
        let stop = stop ?? end
        let first = literal.utf8Start[0]
        let pattern = UInt64(first) &* 0x0101_0101_0101_0101
        let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
        while stop - q >= 8 {
            let x = word(q) ^ pattern
            // The high bit of each byte that is `first`, and of no other byte.
            var marks = ~(((x & low) &+ low) | x | low)
            while marks != 0 {
                let place = q + marks.trailingZeroBitCount >> 3
                if starts(with: literal, at: place) { return place }
                marks &= marks &- 1
            }
            q += 8
        }
        while q < stop {
            if q[0] == first && starts(with: literal, at: q) { return q }
            q += 1
        }
        return nil
    }

    // MARK: Text

    private mutating func readText() -> Bool {
        text = p
        textIsLiteral = true
        textIsCDATA = false
        var q = p
        while true {
            let run = q
            q = endOfPlainText(run)
            guard endsCleanly(run, q) else { return false }
            if q >= end || q[0] == UInt8(ascii: "<") { break }
            textIsLiteral = false
            guard isShort(p, q) else { return false }
            if q[0] == UInt8(ascii: "&") {
                // Checked here, because the program may never read the text.
                repeat {
                    guard let reference = reference(at: q) else { return false }
                    q += reference.length
                } while q < end && q[0] == UInt8(ascii: "&") && q - p <= limits.textBytes
            } else {
                q += 1
            }
        }
        guard isShort(p, q) else { return false }
        textLength = q - p
        p = q
        return true
    }

    /// Whether a text does not exceed the limit.
    @inline(__always)
    mutating func isShort(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) -> Bool {
        to - from <= limits.textBytes || failLongText(from)
    }

    private mutating func failLongText(_ place: UnsafePointer<UInt8>) -> Bool {
        fail(.textTooLong, "a text is longer than \(limits.textBytes) bytes (XMLLimits.textBytes).", at: place)
        return false
    }

    /// Checks a run of character data without references for `]]>`, which is not allowed there (XML 1.0 §2.4).
    @inline(__always)
    mutating func endsCleanly(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) -> Bool {
        !hasBracket || holdsNoSectionEnd(from, to)
    }

    private mutating func holdsNoSectionEnd(_ from: UnsafePointer<UInt8>, _ to: UnsafePointer<UInt8>) -> Bool {
        guard let bad = find("]]>", from: from, before: to) else { return true }
        fail(.malformed, "“]]>” must be written as “]]&gt;” in text.", at: bad)
        return false
    }

    private mutating func readCDATA() -> Bool {
        let content = p + 9
        guard let close = find("]]>", from: content) else {
            fail(.unexpectedEnd, "a CDATA section has no end.")
            return false
        }
        if close - content > limits.textBytes {
            fail(.textTooLong, "a CDATA section is longer than \(limits.textBytes) bytes (XMLLimits.textBytes).")
            return false
        }
        text = content
        textLength = close - content
        // In a CDATA section an ampersand means itself, but line ends are still normalised.
        textIsLiteral = false
        textIsCDATA = true
        p = close + 3
        return true
    }

    mutating func skipComment() -> Bool {
        guard !refusesCommentsAndInstructions else { return refuse("a comment") }
        guard let dashes = find("--", from: p + 4), dashes + 2 < end else {
            fail(.unexpectedEnd, "a comment has no end.")
            return false
        }
        guard dashes[2] == UInt8(ascii: ">") else {
            fail(.malformed, "“--” must not stand inside a comment.", at: dashes)
            return false
        }
        p = dashes + 3
        return true
    }

    mutating func skipProcessingInstruction() -> Bool {
        guard !refusesCommentsAndInstructions else { return refuse("a processing instruction") }
        let opening = p
        guard let target = scanName(p + 2) else { return false }
        if target.colon != nil {
            fail(.namespace, "the target of a processing instruction must not hold a colon.")
            return false
        }
        if target.length == 3, target.start[0] | 0x20 == 0x78, target.start[1] | 0x20 == 0x6D,
            target.start[2] | 0x20 == 0x6C
        {
            fail(.malformed, "an XML declaration stands only at the very start of a document.")
            return false
        }
        let rest = target.start + target.length
        guard let close = find("?>", from: rest) else {
            fail(.unexpectedEnd, "a processing instruction has no end.", at: opening)
            return false
        }
        if close != rest && !XMLCharacters.isSpace(rest[0]) {
            fail(.malformed, "a space must follow the target of a processing instruction.", at: rest)
            return false
        }
        p = close + 2
        return true
    }

    private mutating func refuse(_ what: String) -> Bool {
        fail(.unexpected, "\(what) must not stand here.")
        return false
    }

    // MARK: End tags

    private mutating func readEndTag() -> Bool {
        guard let open = frames.last else {
            fail(.malformed, "an end tag has no start tag.")
            return false
        }
        let name = p + 2
        guard same(name, open.name, min(open.length, end - name)) else { return mismatch(open) }
        var q = name + min(open.length, end - name)
        while q < end && XMLCharacters.isSpace(q[0]) { q += 1 }
        guard q < end else {
            fail(
                .unexpectedEnd, "the document ends inside the end tag “</\(string(open.name, min(open.length, 80)))>”.",
                at: q)
            return false
        }
        guard q[0] == UInt8(ascii: ">") else { return mismatch(open) }
        p = q + 1
        popFrame()
        return true
    }

    /// Whether the bytes at the cursor are the end tag of the innermost open element in its most common form; the
    /// cursor then moves past it.
    @inline(__always) mutating func takeEndTag() -> Bool {
        // The second byte distinguishes most start tags from end tags.
        guard end - p > 2, p[1] == UInt8(ascii: "/"), let open = frames.last,
            isEndTag(at: p, of: open.name, open.length)
        else { return false }
        p += open.length + 3
        popFrame()
        return true
    }

    /// Whether the bytes at `q` are the end tag of the element with this name, without space in it.
    @inline(__always)
    func isEndTag(at q: UnsafePointer<UInt8>, of name: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        end - q > length + 2 && q[0] == UInt8(ascii: "<") && q[1] == UInt8(ascii: "/") && same(q + 2, name, length)
            && q[length + 2] == UInt8(ascii: ">")
    }

    private mutating func mismatch(_ open: Frame) -> Bool {
        fail(
            .malformed,
            "“</\(string(open.name, min(open.length, 80)))>” is expected here, because that element is open.")
        return false
    }

    mutating func popFrame() {
        guard let frame = frames.popLast() else { return }
        if bindings.count > frame.bindings {
            closed = (p, Array(bindings[frame.bindings...]))
            bindings.removeLast(bindings.count - frame.bindings)
            prediction.forget()
        }
    }

    @inline(__always) func same(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        Self.same(a, b, count)
    }

    @inline(__always) static func same(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        // The last word overlaps the one before it, so that no byte is compared by itself where there are enough.
        if count >= 8 {
            var i = 0
            while count &- i > 8 {
                if word(a + i) != word(b + i) { return false }
                i &+= 8
            }
            return word(a + (count &- 8)) == word(b + (count &- 8))
        }
        if count >= 4 {
            return half(a) == half(b) && half(a + (count &- 4)) == half(b + (count &- 4))
        }
        var i = 0
        while i < count {
            if a[i] != b[i] { return false }
            i &+= 1
        }
        return true
    }

    @inline(__always) private static func half(_ q: UnsafePointer<UInt8>) -> UInt32 {
        UnsafeRawPointer(q).loadUnaligned(as: UInt32.self)
    }
}
