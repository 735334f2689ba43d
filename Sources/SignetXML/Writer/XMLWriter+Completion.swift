/// What comes in at the end: declarations into the root's start tag, white space between elements.
extension XMLWriter {
    /// A declaration to put in at a place.
    struct Insertion {
        var offset: Int
        var prefix: [UInt8]
        var bytes: [UInt8]
    }

    /// Everything written and everything that comes in, in one pass.
    func complete() -> [UInt8] {
        var result: [UInt8] = []
        let breaks = layout?.breaks ?? []
        let unit = layout?.unit.bytes ?? []
        result.reserveCapacity(
            hoisted.reduce(count) { $0 + $1.bytes.count } + breaks.reduce(0) { $0 + 1 + $1.depth * unit.count })
        var from = 0
        forEachInsertion { offset, bytes, depth in
            result.append(contentsOf: UnsafeBufferPointer(start: base + from, count: offset - from))
            from = offset
            result.append(contentsOf: bytes)
            guard let depth else { return }
            result.append(UInt8(ascii: "\n"))
            for _ in 0..<depth { result.append(contentsOf: unit) }
        }
        result.append(contentsOf: UnsafeBufferPointer(start: base + from, count: count - from))
        return result
    }

    /// Where in what ``complete()`` gives something stands. Nothing ever comes into a segment.
    func completed(_ range: Range<Int>) -> Range<Int> {
        var shift = 0
        let unit = layout?.unit.bytes.count ?? 0
        forEachInsertion { offset, bytes, depth in
            if offset <= range.lowerBound { shift += bytes.count + (depth.map { 1 + $0 * unit } ?? 0) }
        }
        return range.lowerBound + shift..<range.upperBound + shift
    }

    /// Declarations and white space in the order of their places.
    private func forEachInsertion(_ body: (_ offset: Int, _ bytes: [UInt8], _ depth: Int?) -> Void) {
        var declarations = hoisted[...]
        for (offset, depth) in layout?.breaks ?? [] {
            while let first = declarations.first, first.offset <= offset {
                body(first.offset, first.bytes, nil)
                declarations.removeFirst()
            }
            body(offset, [], depth)
        }
        for insertion in declarations { body(insertion.offset, insertion.bytes, nil) }
    }
}
