extension XMLReader {
    /// Runs `body` with a reader over a piece of a document.
    ///
    /// The reader starts before the piece's root element, as before that of a document. Open elements and declarations
    /// around the piece count for ``depth``, for limits, and for the path and the position of errors; ``offset`` counts
    /// from the start of the piece. If `body` leaves a part of the element unread, that part is not checked: end with
    /// ``finish()``.
    ///
    /// - Throws: the errors of `body`. The call that finds a defect throws it, never this method itself.
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

    /// Reads the root element of an excerpt as a structure, to its end tag.
    mutating func rootStructure<T: XMLFielded>(_ type: T.Type) throws(XMLError) -> T {
        beginLeaf()
        let value = filled(type)
        try settle()
        return value
    }

    /// Makes a reader over a part of a document that is not its beginning.
    init(
        part bytes: UnsafeBufferPointer<UInt8>, in surroundings: XMLSurroundings, names: UnsafeBufferPointer<UInt8>,
        at place: XMLPlace, limits: XMLLimits
    ) {
        self.init(bytes, of: XMLSource(part: bytes), limits: limits)
        places = XMLPlaces(first: XMLRun(start: 0, place: place))
        if !hasFailed { surroundings.enter(&self, base: names.baseAddress ?? Self.nowhere) }
    }

    /// A defect with its position in the document, when the bytes are an excerpt of it.
    func placed(_ failure: XMLError) -> XMLError {
        guard let place = places?.place(of: failure.offset, in: base, before: end) else { return failure }
        var failure = failure
        (failure.offset, failure.line, failure.column) = (place.offset, place.line, place.column)
        return failure
    }
}
