extension XMLReader {
    /// Runs `body` with a reader over a piece of a document.
    ///
    /// The reader stands before the piece's root element, as before that of a document. Open elements and declarations around
    /// it count for ``depth``, for limits, and for the path and the place of errors; ``offset`` counts from the start of the
    /// piece. An element of which `body` leaves something unread is checked no further: end with ``finish()``.
    ///
    /// - Throws: what `body` throws. A defect is thrown by the call that meets it, never here.
    public static func read<Result, Failure: Error>(
        _ excerpt: XMLExcerpt, _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let context = excerpt.context
        return try excerpt.bytes.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
            guard let around = context.around else {
                let source = XMLSource(bytes, charset: "utf-8", limits: context.limits)
                var reader = XMLReader(
                    UnsafeBufferPointer(rebasing: bytes[source.markLength...]), of: source, limits: context.limits)
                reader.places = context.places
                return try body(&reader)
            }
            return try around.names.withUnsafeBufferPointer { (names) throws(Failure) -> Result in
                var reader = XMLReader(
                    part: bytes, in: around.surroundings, names: names, at: excerpt.place, limits: context.limits)
                reader.outerDepth = around.surroundings.depth
                return try body(&reader)
            }
        }
    }

    /// The structure that the root element of an excerpt holds, read to its end tag.
    mutating func rootStructure<T: XMLFielded>(_ type: T.Type) throws(XMLError) -> T {
        beginLeaf()
        let value = filled(type)
        try settle()
        return value
    }

    /// A reader over a part of a document that is not its beginning.
    init(
        part bytes: UnsafeBufferPointer<UInt8>, in surroundings: XMLSurroundings, names: UnsafeBufferPointer<UInt8>,
        at place: XMLPlace, limits: XMLLimits
    ) {
        self.init(bytes, of: XMLSource(part: bytes), limits: limits)
        places = XMLPlaces(first: XMLRun(start: 0, place: place))
        if !hasFailed { surroundings.enter(&self, base: names.baseAddress ?? Self.nowhere) }
    }

    /// A defect with its place in the document, when the bytes are an excerpt of it.
    func placed(_ failure: XMLError) -> XMLError {
        guard let place = places?.place(of: failure.offset, in: base, before: end) else { return failure }
        var failure = failure
        (failure.offset, failure.line, failure.column) = (place.offset, place.line, place.column)
        return failure
    }
}
