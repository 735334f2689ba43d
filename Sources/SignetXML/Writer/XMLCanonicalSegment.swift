/// The position of a segment in a document, and the parameters of its canonical form.
public struct XMLCanonicalSegment: Sendable, Hashable {
    /// The range of the segment in the result of ``XMLWriter/finishWithSegments()``.
    public let range: Range<Int>
    /// The PrefixList of Exclusive XML Canonicalization §3: the requested prefixes and those that only values use;
    /// `#default` means the default namespace. Empty when the list is not needed.
    public let inclusiveNamespaces: [String]
}

extension XMLWriter {
    /// Writes one element of the document in exclusive canonical form, and passes its bytes on while it is written.
    ///
    /// ```swift
    /// var digest = SHA256()
    /// writer.segment(into: { digest.update(bufferPointer: $0) }) { $0.element(body, value) }
    /// ```
    ///
    /// The form is that of Exclusive XML Canonicalization 1.0 without comments: canonicalizing the element in the
    /// finished document results in exactly its bytes there. A namespace is declared where its prefix is first used
    /// inside the segment, even if it is declared around it. Pieces kept as they were written are read and rewritten
    /// without their comments and processing instructions. There is no indentation inside.
    ///
    /// Prefixes that only values use (`xsi:type="t:Person"`) are declared as well and are named in the list that is
    /// returned, which a signature must repeat (§3 InclusiveNamespaces PrefixList). The same applies to a declaration
    /// in a piece kept as it was written, when its element does not use it itself, and its prefix is before a colon in
    /// one of the piece's values, or it declares a default namespace.
    ///
    /// Segments may be nested. The inner segment then uses prefixes of its own, because the inner form declares what
    /// the outer one must not repeat; if a kept piece does not allow another prefix, that is a defect.
    ///
    /// - Parameters:
    ///   - inclusiveNamespaces: prefixes to declare on the element itself if they are in scope there, and inside
    ///     wherever they are declared, used or not.
    ///   - sink: receives the bytes, in order and piece by piece. They are valid only during the call.
    ///   - write: writes exactly one element; anything else is a defect.
    /// - Returns: the PrefixList, sorted. The bytes that the sink received count only if ``finish()`` or
    ///   ``finishWithSegments()`` does not throw.
    @discardableResult
    public mutating func segment(
        inclusiveNamespaces: [String] = [], into sink: (UnsafeRawBufferPointer) -> Void,
        _ write: (inout XMLWriter) -> Void
    ) -> [String] {
        // The closure is released before this function returns.
        withoutActuallyEscaping(sink) { sink in
            beginSegment(inclusiveNamespaces, sink)
            write(&self)
            return endSegment()
        }
    }

    /// Like ``finish()``, with the segments in the order in which they began.
    public consuming func finishWithSegments() throws(XMLError) -> (bytes: [UInt8], segments: [XMLCanonicalSegment]) {
        if let failure { throw failure }
        let segments = finished.sorted { $0.number < $1.number }.map {
            XMLCanonicalSegment(range: completed($0.range), inclusiveNamespaces: Segment.list($0.prefixes))
        }
        return (complete(), segments)
    }

    /// A segment that is being written.
    struct Segment {
        /// The approximate number of bytes that the sink gets at a time.
        static let chunk = 32 << 10

        let number: Int
        let sink: (UnsafeRawBufferPointer) -> Void
        let start: Int
        /// The sink has received everything before this position.
        var digested: Int
        /// The number of elements that are open around it.
        let depth: Int
        /// The number of rendered declarations around it.
        let outerRendered: Int
        /// The prefixes in scope around it.
        let outerPrefixes: Set<[UInt8]>
        /// Prefixes that are treated as in Canonical XML 1.0.
        var prefixes: [[UInt8]]
        var elements = 0

        /// The PrefixList in its written form.
        static func list(_ prefixes: [[UInt8]]) -> [String] {
            prefixes.map { $0.isEmpty ? "#default" : String(decoding: $0, as: UTF8.self) }.sorted()
        }
    }

    private mutating func beginSegment(_ inclusive: [String], _ sink: @escaping (UnsafeRawBufferPointer) -> Void) {
        for prefix in inclusive where prefix != "#default" && !XMLName.isNCName(prefix) {
            fail("“\(prefix.prefix(80))” in the list of inclusive namespaces is no prefix.")
        }
        let prefixes = inclusive.map { $0 == "#default" ? [] : Array($0.utf8) }
        segments.append(
            Segment(
                number: segmentCount, sink: sink, start: count, digested: count, depth: depth,
                outerRendered: rendered.count,
                outerPrefixes: Set(bindings.map(\.prefix) + rendered.map(\.prefix)), prefixes: prefixes))
        segmentCount += 1
        segmentsChanged()
    }

    private mutating func endSegment() -> [String] {
        digest(upTo: count)
        guard let segment = segments.popLast() else { return [] }
        let isElement =
            segment.elements == 1 && depth == segment.depth && count > segment.start
            && base[segment.start] == UInt8(ascii: "<") && base[count - 1] == UInt8(ascii: ">")
        if !isElement { fail("a segment must be exactly one element.") }
        finished.append((segment.number, segment.start..<count, segment.prefixes))
        segmentsChanged()
        return Segment.list(segment.prefixes)
    }

    private mutating func segmentsChanged() {
        isPlain = layout == nil && segments.isEmpty
        ready.forget()
        makeRoom()
    }

    /// Passes on everything before a position, which does not change any more.
    mutating func digest(upTo place: Int) {
        for index in segments.indices where segments[index].digested < place {
            let from = segments[index].digested
            segments[index].digested = place
            segments[index].sink(UnsafeRawBufferPointer(start: base + from, count: place - from))
        }
    }
}
