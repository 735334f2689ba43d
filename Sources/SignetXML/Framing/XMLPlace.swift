/// A position in a document, counted as in ``XMLError``.
struct XMLPlace: Sendable, Hashable {
    /// The offset in bytes from the start of the input.
    var offset = 0
    /// The line, from 1.
    var line = 1
    /// The column in characters, from 1.
    var column = 1

    /// Advances over `count` bytes at `start`. There is no byte at `end`: a carriage return before it ends a line.
    mutating func advance(over start: UnsafePointer<UInt8>, _ count: Int, before end: UnsafePointer<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var q = start
        let stop = start + count
        while q < stop {
            while stop - q >= 32 {
                let words = UnsafeRawPointer(q).loadUnaligned(as: SIMD4<UInt64>.self)
                // Where a line may end, each byte is checked.
                let low = (words &- SIMD4(repeating: ones &* 0x20)) & ~words
                guard (low[0] | low[1] | low[2] | low[3]) & highs == 0 else { break }
                column &+= 32
                if (words[0] | words[1] | words[2] | words[3]) & highs != 0 {
                    // A multi-byte character counts with its first byte.
                    let tails = words & ~(words &<< 1) & SIMD4(repeating: highs)
                    for index in 0..<4 { column &-= tails[index].nonzeroBitCount }
                }
                q += 32
            }
            let near = min(stop, q + 32)
            while q < near {
                let byte = q[0]
                if byte == 0x0A || (byte == 0x0D && !(q + 1 < end && q[1] == 0x0A)) {
                    line &+= 1
                    column = 1
                } else if byte & 0xC0 != 0x80 {
                    column &+= 1
                }
                q += 1
            }
        }
        offset &+= count
    }
}

/// A run of bytes of an excerpt that are adjacent in the document, up to the next run or the end.
struct XMLRun: Sendable, Hashable {
    /// The position in the excerpt.
    var start = 0
    var place = XMLPlace()
}

/// The positions in the document of the bytes of an excerpt.
struct XMLPlaces: Sendable, Hashable {
    var first = XMLRun()
    /// The runs after each group of removed elements.
    var others: [XMLRun] = []
    /// How many of the bytes are in the document; added end tags are not.
    var written = Int.max

    /// The position of a byte; the excerpt is in memory from `bytes` to `end`.
    func place(of offset: Int, in bytes: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>) -> XMLPlace {
        let offset = min(offset, written)
        let origin = others.last { $0.start <= offset } ?? first
        guard offset > origin.start else { return origin.place }
        var place = origin.place
        place.advance(over: bytes + origin.start, offset - origin.start, before: end)
        return place
    }
}
