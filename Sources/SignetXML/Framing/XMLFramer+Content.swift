/// Yields the content of one element as it arrives, while the element itself stays in the skeleton.
extension XMLFramer {
    /// Begins the content of an element when the start tag at the end of the skeleton is the right one; nil when it is
    /// not.
    mutating func takeContent(_ token: XMLTokenScanner.Token) throws(XMLError) -> Step? {
        let isTag = token == .startTag || token == .emptyTag
        guard try check(to: skeleton.count), isTag else { return nil }
        // An element without content stays in the skeleton, unless content was handed over.
        if token == .emptyTag, !hasOpened { return nil }
        guard !hasOpened else {
            throw refusal(
                .unexpected, "the element occurs twice, and the content of the first one was handed over already.")
        }
        hasOpened = true
        stage = .content
        tokenStart = skeleton.count
        var places = places
        places.written = skeleton.count
        return .event(.opening(document(skeleton + surroundings.endTags(in: skeleton), places)))
    }

    mutating func scanContent() throws(XMLError) -> Step {
        let end = chunk.withUnsafeBufferPointer { [position] chunk in
            chunk.baseAddress.map { XMLBytes.less($0, position, chunk.count) } ?? position
        }
        if end > position { return .event(.element(pieceOfContent(to: end))) }
        if end + 1 < chunk.count {
            guard chunk[end + 1] == UInt8(ascii: "/") else {
                throw refusal(
                    .unexpected,
                    "an element, a comment or a CDATA section stands in content that is handed over in pieces. If it is an xop:Include, the content came beside the message: make the call without streaming its answer, and read the attachment in pieces."
                )
            }
        } else if !isFinished {
            return .more
        }
        // The tag is read and checked as everywhere.
        places.others.append(XMLRun(start: skeleton.count, place: place))
        stage = .outside
        return .again
    }

    private mutating func pieceOfContent(to end: Int) -> XMLExcerpt {
        let bytes = chunk[position..<end]
        let excerpt = XMLExcerpt(bytes: bytes, context: XMLExcerpt.Context(limits: limits), place: place)
        place = excerpt.place(of: end)
        position = end
        return excerpt
    }

    /// The open elements, for error messages.
    var openPath: String { surroundings.path(in: skeleton) }
}

extension XMLExcerpt {
    /// The position in the document of a byte of the excerpt; only for an excerpt from which no elements were removed.
    func place(of index: Int) -> XMLPlace {
        var place = place
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            place.advance(over: base, min(index - bytes.startIndex, buffer.count), before: base + buffer.count)
        }
        return place
    }
}
