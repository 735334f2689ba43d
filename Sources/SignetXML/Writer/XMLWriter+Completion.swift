/// Inserts what is known only at the end: declarations in the root's start tag, white space between elements.
extension XMLWriter {
    /// A declaration to insert at a position.
    struct Insertion {
        var offset: Int
        var prefix: [UInt8]
        var bytes: [UInt8]
    }

    /// Returns everything written with everything inserted, made in one pass.
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

    /// The range in the result of ``complete()`` of a range in the written bytes. Nothing is ever inserted into a
    /// segment.
    func completed(_ range: Range<Int>) -> Range<Int> {
        var shift = 0
        let unit = layout?.unit.bytes.count ?? 0
        forEachInsertion { offset, bytes, depth in
            if offset <= range.lowerBound { shift += bytes.count + (depth.map { 1 + $0 * unit } ?? 0) }
        }
        return range.lowerBound + shift..<range.upperBound + shift
    }

    /// Passes on declarations and white space in the order of their positions.
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
