/// Converts positions in a document into lines and columns. Positions mostly grow, so it continues from the last one.
struct PlaceCursor {
    private let start: UnsafePointer<UInt8>
    private var place = XMLPlace()

    init(_ start: UnsafePointer<UInt8>) { self.start = start }

    /// - Parameters:
    ///   - target: a position from the start of the document to its end.
    ///   - end: where the document ends.
    mutating func move(to target: UnsafePointer<UInt8>, of end: UnsafePointer<UInt8>) -> (line: Int, column: Int) {
        if target < start + place.offset { place = XMLPlace() }
        let from = start + place.offset
        place.advance(over: from, target - from, before: end)
        return (place.line, place.column)
    }
}
