/// Where a segment stands in a document, and what its canonical form depends on.
public struct XMLSegment: Sendable, Hashable {
    /// The segment's bytes in what ``XMLWriter/finishWithSegments()`` gives.
    public let range: Range<Int>
    /// The PrefixList of Exclusive XML Canonicalization §3: the prefixes asked for and those that only values use;
    /// `#default` stands for the default namespace. Empty when nothing needs to be said.
    public let inclusiveNamespaces: [String]
}

extension XMLWriter {
    /// Writes one element that stands in the document in exclusive canonical form, and hands its bytes on while it is written.
    ///
    /// ```swift
    /// var digest = SHA256()
    /// writer.segment(into: { digest.update(bufferPointer: $0) }) { $0.element(body, value) }
    /// ```
    ///
    /// The form is that of Exclusive XML Canonicalization 1.0 without comments: whoever canonicalizes the element in the finished
    /// document gets the very bytes that stand there. A namespace is declared where its prefix is first used inside the
    /// segment, also when it is declared around it. Pieces kept as they were written are read and written anew; their
    /// comments and processing instructions are left out. There is no indentation inside.
    ///
    /// Prefixes that only values use (`xsi:type="t:Person"`) are declared as well and are named in the list that is returned, which
    /// a signature must repeat (§3 InclusiveNamespaces PrefixList). So is a declaration in a piece kept as it was
    /// written, when its prefix stands before a colon in one of the piece's values, or when it is of a default namespace, and its
    /// element does not use it itself.
    ///
    /// Segments may be nested. What is inside then uses prefixes of its own, because the inner form declares what the outer one
    /// must not repeat; where a kept piece forbids another prefix, that is a defect.
    ///
    /// - Parameters:
    ///   - inclusiveNamespaces: prefixes to be declared on the element itself when they are in scope there, and inside wherever
    ///     they are declared, used or not.
    ///   - sink: takes the bytes, in order and piece by piece. They are valid during the call only.
    ///   - write: writes exactly one element; anything else is a defect.
    /// - Returns: the PrefixList, sorted. What the sink got counts only if ``finish()`` or ``finishWithSegments()`` does
    ///   not throw.
    @discardableResult
    public mutating func segment(
        inclusiveNamespaces: [String] = [], into sink: (UnsafeRawBufferPointer) -> Void,
        _ write: (inout XMLWriter) -> Void
    ) -> [String] {
        // The closure is dropped again before this function returns.
        withoutActuallyEscaping(sink) { sink in
            beginSegment(inclusiveNamespaces, sink)
            write(&self)
            return endSegment()
        }
    }

    /// Like ``finish()``, with the segments in the order in which they began.
    public consuming func finishWithSegments() throws(XMLError) -> (bytes: [UInt8], segments: [XMLSegment]) {
        if let failure { throw failure }
        let segments = finished.sorted { $0.number < $1.number }.map {
            XMLSegment(range: completed($0.range), inclusiveNamespaces: Segment.list($0.prefixes))
        }
        return (complete(), segments)
    }

    /// A segment that is being written.
    struct Segment {
        /// So many bytes, roughly, the sink gets at once.
        static let chunk = 32 << 10

        let number: Int
        let sink: (UnsafeRawBufferPointer) -> Void
        let start: Int
        /// What stands before this place the sink has got.
        var digested: Int
        /// How many elements are open around it.
        let depth: Int
        /// How many of the declarations rendered stand around it.
        let outerRendered: Int
        /// The prefixes in scope around it.
        let outerPrefixes: Set<[UInt8]>
        /// Prefixes treated as Canonical XML 1.0 does.
        var prefixes: [[UInt8]]
        var elements = 0

        /// The PrefixList as it is written.
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

    /// Hands on what was written before a place and will not be changed any more.
    mutating func digest(upTo place: Int) {
        for index in segments.indices where segments[index].digested < place {
            let from = segments[index].digested
            segments[index].digested = place
            segments[index].sink(UnsafeRawBufferPointer(start: base + from, count: place - from))
        }
    }
}
