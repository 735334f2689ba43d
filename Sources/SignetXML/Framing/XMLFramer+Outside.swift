/// Moves everything outside the repeated elements into the skeleton, token by token, and checks it with a reader.
extension XMLFramer {
    // MARK: The first bytes

    /// Finds the encoding: it must be UTF-8 (RFC 7303 §3, XML 1.0 appendix F).
    mutating func readHead() throws(XMLError) -> Step {
        guard isFinished || chunk.count >= 4 else { return .more }
        let signature = chunk.withUnsafeBufferPointer { XMLEncoding.signature(of: $0) }
        if let family = signature.refused ?? signature.encoding.flatMap({ $0 == .utf8 ? nil : $0.name }) {
            throw unsupported("is in \(family)")
        }
        let length = signature.markLength
        if length == 0, let charset, !charset.isEmpty, XMLEncoding(named: charset) != .utf8 {
            throw unsupported("comes with the charset “\(charset.prefix(40))”")
        }
        skeleton = Array(chunk[..<length])
        (position, checked, tokenStart, place.offset) = (length, length, length, length)
        places.first = XMLRun(start: length, place: place)
        stage = .outside
        return .again
    }

    private func unsupported(_ what: String) -> XMLError {
        XMLError(
            .unsupportedEncoding,
            "the document \(what), and only UTF-8 can be read while it arrives; send UTF-8, or read it as a whole.",
            offset: place.offset, line: place.line, column: place.column)
    }

    // MARK: Tokens

    mutating func scanOutside() throws(XMLError) -> Step {
        let chunk = chunk
        return try chunk.withUnsafeBufferPointer { (buffer) throws(XMLError) -> Step in
            guard let bytes = buffer.baseAddress else { return .more }
            while position < buffer.count {
                if let step = try takePredicted(bytes, buffer.count) { return step }
                guard let token = try scanToken(bytes, buffer.count) else { break }
                if token == .startTag || token == .emptyTag, let step = try takeElement(token) { return step }
                tokenStart = skeleton.count
            }
            try check(to: tokenStart)
            return .again
        }
    }

    /// Moves the bytes of the next token to the skeleton; nil when the token is incomplete.
    private mutating func scanToken(
        _ bytes: UnsafePointer<UInt8>, _ count: Int
    ) throws(XMLError) -> XMLTokenScanner.Token? {
        let room = documentRoom
        let stop = room < count - position ? position + max(room, 0) + 1 : count
        let found = scanner.token(in: bytes, from: position, to: stop)
        let end = found?.end ?? stop
        skeleton.append(contentsOf: UnsafeBufferPointer(start: bytes + position, count: end - position))
        guard end - position <= room else {
            try check(to: tokenStart)
            throw refusal(
                .documentTooLarge,
                "the document is larger than \(limits.documentBytes) bytes without its repeated elements "
                    + "(XMLLimits.documentBytes).")
        }
        position = end
        guard let token = found?.token else { return nil }
        let isText = skeleton.withUnsafeBufferPointer { skeleton in
            skeleton.baseAddress.map {
                XMLCharacters.survey($0 + tokenStart, skeleton.count - tokenStart).defect == nil
            }
        }
        if token == .broken || isText != true {
            // The reader reports the defect, unless there is one before it.
            try check(to: tokenStart)
            if token == .broken { skeleton.append(Self.wrongByte) }
            try check(to: skeleton.count)
            throw refusal(.malformed, "a tag or a comment is not complete.")
        }
        if scanner.depth < path.count - 1 {
            predicted = []
            context = nil
        }
        // The declaration is read by itself, so that the result does not depend on how much has arrived with it.
        if tokenStart == places.first.start { try check(to: skeleton.count) }
        return token
    }

    /// Replaces the byte that ends a broken token, which may be half of a character, so that the end of the bytes does
    /// not count as the end of the document.
    static var wrongByte: UInt8 { UInt8(ascii: "?") }

    func refusal(_ code: XMLError.Code, _ message: String) -> XMLError {
        XMLError(
            code, message, offset: place.offset, line: place.line, column: place.column,
            path: surroundings.path(in: skeleton))
    }

    /// Handles the end of the input, or requests more bytes.
    mutating func endOutside() throws(XMLError) -> Step {
        guard isFinished else { return .more }
        try check(to: tokenStart)
        try check(to: skeleton.count, isEnd: true)
        stage = .whole
        return .again
    }

    // MARK: Checking

    /// The result of reading a part of the skeleton.
    private struct Walk {
        var surroundings: XMLSurroundings
        var matched: Int
        /// Whether the part ends with the start tag of a repeated element.
        var foundElement = false
        /// Whether the part has only white space, comments and processing instructions.
        var isIgnorable = true
    }

    /// Checks the skeleton up to `end`, where a token ends; with `isEnd` the document must be complete there.
    ///
    /// - Returns: whether the last token is the start tag of a repeated element, which is then not checked.
    @discardableResult
    mutating func check(to end: Int, isEnd: Bool = false) throws(XMLError) -> Bool {
        guard end > checked || isEnd else { return false }
        let walk = try walk(to: end, isEnd: isEnd)
        surroundings = walk.surroundings
        matched = walk.matched
        if !walk.isIgnorable { gap = nil }
        let stop = walk.foundElement && !handsOutContent ? tokenStart : end
        skeleton.withUnsafeBufferPointer { [checked] skeleton in
            guard let base = skeleton.baseAddress else { return }
            place.advance(over: base + checked, stop - checked, before: base + stop)
        }
        checked = stop
        return walk.foundElement
    }

    private func walk(to end: Int, isEnd: Bool) throws(XMLError) -> Walk {
        try skeleton.withUnsafeBufferPointer { (skeleton) throws(XMLError) -> Walk in
            let base = skeleton.baseAddress ?? XMLReader.nowhere
            // The tag after a text shows that the text has ended.
            let end = end < skeleton.count && skeleton[end] == UInt8(ascii: "<") ? end + 1 : end
            var reader: XMLReader
            if checked == places.first.start {
                let document = UnsafeBufferPointer(rebasing: skeleton[..<end])
                let charset = checked == 0 ? charset : nil
                let source = XMLSource(document, charset: charset, limits: limits)
                if source.encoding != .utf8 && source.failure == nil {
                    throw unsupported("says that it is in \(source.encoding.name)")
                }
                reader = XMLReader(
                    UnsafeBufferPointer(rebasing: document[source.markLength...]), of: source,
                    limits: limits)
            } else {
                reader = XMLReader(
                    part: UnsafeBufferPointer(rebasing: skeleton[checked..<end]), in: surroundings,
                    names: skeleton, at: place, limits: limits)
            }
            if !isEnd { reader.outerDepth = .max }
            return try walk(&reader, base)
        }
    }

    private func walk(_ reader: inout XMLReader, _ base: UnsafePointer<UInt8>) throws(XMLError) -> Walk {
        var walk = Walk(surroundings: surroundings, matched: matched)
        while let token = reader.advance(), token != .endOfDocument {
            switch token {
            case .startElement:
                let depth = reader.depth
                if path.count > 1, walk.matched == depth - 1, depth <= path.count, reader.isElement(path[depth - 1]) {
                    walk.matched = depth
                    walk.foundElement = depth == path.count
                }
                if walk.foundElement, !handsOutContent {
                    reader.popFrame()
                    walk.matched -= 1
                    walk.surroundings = XMLSurroundings(of: reader, base: base)
                    return walk
                }
                walk.isIgnorable = false
            case .endElement:
                walk.matched = min(walk.matched, reader.depth)
                walk.isIgnorable = false
            case .text:
                if !reader.currentTextIsSpace { walk.isIgnorable = false }
            case .endOfDocument: break
            }
        }
        try reader.check()
        walk.surroundings = XMLSurroundings(of: reader, base: base)
        return walk
    }
}
