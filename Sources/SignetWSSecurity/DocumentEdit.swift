import SignetSignature

/// A piece of a document that others take the place of.
struct DocumentEdit: Sendable {
    var range: Range<Int>
    var bytes: [UInt8]

    init(_ range: Range<Int>, _ bytes: [UInt8]) {
        self.range = range
        self.bytes = bytes
    }

    /// Fills a gap, with the tags that it needs.
    init(_ gap: DocumentGap, _ content: [UInt8]) {
        range = gap.offset..<gap.rest
        bytes = gap.before + content + gap.after
    }
}

extension [UInt8] {
    /// The document with all edits, and where their bytes are in it. What is put in before an element stays before what replaces it.
    ///
    /// - Throws: ``SecurityDefect`` for pieces that overlap.
    func applying(_ edits: [DocumentEdit]) throws(SecurityDefect) -> (bytes: [UInt8], places: [Range<Int>]) {
        var result: [UInt8] = []
        var places: [Range<Int>] = []
        var position = 0
        for edit in edits.sorted(by: {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }) {
            guard position <= edit.range.lowerBound else {
                throw SecurityDefect(.invalidSecurity, "an encrypted element stands in another one")
            }
            result += self[position..<edit.range.lowerBound]
            places.append(result.count..<result.count + edit.bytes.count)
            result += edit.bytes
            position = edit.range.upperBound
        }
        return (result + self[position...], places)
    }
}
