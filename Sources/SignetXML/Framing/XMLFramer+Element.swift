/// Finds the repeated elements by their start tags, delimits them, and yields them as they were written.
extension XMLFramer {
    // MARK: Start tags

    /// Takes a repeated element whose start tag most likely begins here, without a reader.
    mutating func takePredicted(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws(XMLError) -> Step? {
        guard !predicted.isEmpty, scanner.depth == path.count - 1, scanner.isBetweenTokens else { return nil }
        var begin = position
        while begin < count && XMLCharacters.isSpace(bytes[begin]) { begin += 1 }
        let nameEnd = begin + predicted.count
        guard nameEnd < count else { return nil }
        for i in predicted.indices where bytes[begin + i] != predicted[i] { return nil }
        var end = nameEnd + 1
        if bytes[nameEnd] != UInt8(ascii: ">") {
            var probe = XMLTokenScanner()
            guard let tag = probe.token(in: bytes, from: begin, to: count), tag.token != .broken,
                isLikePredicted(UnsafeBufferPointer(start: bytes + begin, count: tag.end - begin)),
                XMLCharacters.survey(bytes + begin, tag.end - begin).defect == nil
            else { return nil }
            end = tag.end
        }
        // Near a limit it takes the general way, which checks the limit.
        guard end - position <= documentRoom, begin - position <= limits.textBytes else {
            return nil
        }
        skeleton.append(UInt8(ascii: "<"))
        try check(to: skeleton.count - 1)
        skeleton.removeLast()
        place.advance(over: bytes + position, begin - position, before: bytes + begin)
        if gap == nil {
            skeleton.append(contentsOf: UnsafeBufferPointer(start: bytes + position, count: begin - position))
        }
        position = begin
        return enterElement(inside: false)
    }

    /// Whether a start tag that begins like the last one certainly has the same expanded name.
    private func isLikePredicted(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !predicted.isEmpty, tag.count > predicted.count, tag.starts(with: predicted) else { return false }
        let next = tag[predicted.count]
        guard next == UInt8(ascii: ">") || next == UInt8(ascii: "/") || XMLCharacters.isSpace(next) else {
            return false
        }
        return !Self.mayDeclare(tag.dropFirst(predicted.count))
    }

    /// Whether `xmlns` occurs in a start tag.
    private static func mayDeclare(_ tag: some Collection<UInt8>) -> Bool {
        var rest = tag[...]
        while let x = rest.firstIndex(of: UInt8(ascii: "x")) {
            rest = rest[x...]
            if rest.starts(with: "xmlns".utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    /// Begins a repeated element when the start tag at the end of the skeleton is the start tag of one; nil when it is
    /// not.
    mutating func takeElement(_ token: XMLTokenScanner.Token) throws(XMLError) -> Step? {
        let depth = token == .startTag ? scanner.depth : scanner.depth + 1
        guard depth == path.count, path.count > 1 else { return nil }
        let nameEnd = skeleton[tokenStart...].firstIndex {
            $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") || XMLCharacters.isSpace($0)
        }
        guard let nameEnd, let name = path.last?.localName.utf8 else { return nil }
        // Only a tag with the right local name is worth a reader.
        let written = skeleton[tokenStart..<nameEnd]
        guard written.count > name.count, written.suffix(name.count).elementsEqual(name) else { return nil }
        if handsOutContent { return try takeContent(token) }
        let isPredicted = skeleton.withUnsafeBufferPointer {
            isLikePredicted(UnsafeBufferPointer(rebasing: $0[tokenStart...]))
        }
        if isPredicted {
            try check(to: tokenStart)
        } else {
            guard try check(to: skeleton.count) else { return nil }
            // The tag's own declarations do not apply to the next element.
            if !Self.mayDeclare(skeleton[tokenStart...]) { predicted = Array(written) }
        }
        carried = Array(skeleton[tokenStart...])
        skeleton.removeLast(carried.count)
        isWhole = token == .emptyTag
        if token == .startTag { scanner.depth -= 1 }
        return enterElement(inside: true)
    }

    /// Switches from the skeleton to a repeated element whose start tag begins at ``place``.
    private mutating func enterElement(inside: Bool) -> Step {
        scanner.beginElement(inside: inside)
        stage = .element
        var opening: XMLExcerpt?
        if !hasOpened {
            hasOpened = true
            var places = places
            places.written = skeleton.count
            let bytes = skeleton + surroundings.endTags(in: skeleton)
            opening = document(bytes, places)
        }
        if context == nil {
            context = XMLExcerpt.Context(around: surroundings.alone(from: skeleton), limits: limits(of: elementBytes))
        }
        if let gap {
            skeleton.removeLast(skeleton.count - gap)
        } else {
            // The comment separates the texts on either side.
            skeleton.append(contentsOf: "<!---->".utf8)
            places.others.append(XMLRun(start: skeleton.count, place: place))
        }
        (checked, tokenStart) = (skeleton.count, skeleton.count)
        return opening.map { .event(.opening($0)) } ?? .again
    }

    // MARK: The element

    mutating func scanElement() throws(XMLError) -> Step {
        let room = elementBytes - carried.count
        guard room >= 0 else { throw tooLarge }
        var end = position
        if !isWhole {
            let stop = room < chunk.count - position ? position + room + 1 : chunk.count
            let found = chunk.withUnsafeBufferPointer { [position] chunk in
                chunk.baseAddress.flatMap { scanner.element(in: $0, from: position, to: stop) }
            }
            end = found?.end ?? stop
            guard end - position <= room else { throw tooLarge }
            if found == nil || found?.token == .broken {
                carry(to: end)
                if found == nil && !isFinished { return .more }
                if found != nil { carried.append(Self.wrongByte) }
                throw elementFailure(isEnd: found == nil)
            }
        }
        var bytes = chunk[position..<end]
        if !carried.isEmpty {
            carry(to: end)
            bytes = carried[...]
            carried = []
        }
        position = end
        isWhole = false
        return .event(.element(leaveElement(bytes)))
    }

    private mutating func carry(to end: Int) {
        let needed = carried.count + end - position
        if needed > carried.capacity {
            carried.reserveCapacity(min(max(needed, 2 * carried.capacity), max(needed, elementBytes)))
        }
        carried.append(contentsOf: chunk[position..<end])
        position = end
    }

    private func element(_ bytes: ArraySlice<UInt8>) -> XMLExcerpt {
        let context = context ?? XMLExcerpt.Context(limits: limits)
        return XMLExcerpt(bytes: bytes, context: context, place: place)
    }

    private mutating func leaveElement(_ bytes: ArraySlice<UInt8>) -> XMLExcerpt {
        let excerpt = element(bytes)
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return }
            place.advance(over: base, bytes.count, before: base + bytes.count)
        }
        if let last = places.others.indices.last { places.others[last].place = place }
        lastElement = (bytes.count, bytes.dropLast().last == UInt8(ascii: "/"))
        gap = skeleton.count
        stage = .outside
        return excerpt
    }

    private var tooLarge: XMLError {
        refusal(
            .elementTooLarge,
            "a repeated element is larger than \(elementBytes) bytes (XMLFramer.elementBytes), or its end tag is missing."
        )
    }

    /// The error for an element that does not end, or not before the defect at the end of its bytes.
    private func elementFailure(isEnd: Bool) -> XMLError {
        let excerpt = element(carried[...])
        do throws(XMLError) {
            try XMLReader.read(excerpt) { (reader) throws(XMLError) in
                if !isEnd { reader.outerDepth = .max }
                while try reader.next() != .endOfDocument {}
            }
        } catch {
            return error
        }
        return refusal(.malformed, "a tag or a comment in a repeated element is not complete.")
    }
}
