/// Turns places in a document into lines and columns. Places mostly grow, so that it goes on from the one asked for last.
struct PlaceCursor {
    private let start: UnsafePointer<UInt8>
    private var place: UnsafePointer<UInt8>
    private var line = 1
    private var column = 1

    init(_ start: UnsafePointer<UInt8>) {
        self.start = start
        place = start
    }

    /// - Parameters:
    ///   - target: a place from the start of the document to its end.
    ///   - end: where the document ends.
    mutating func move(to target: UnsafePointer<UInt8>, of end: UnsafePointer<UInt8>) -> (line: Int, column: Int) {
        if target < place { self = PlaceCursor(start) }
        while place < target {
            let byte = place[0]
            place += 1
            if byte == 0x0A || (byte == 0x0D && !(place < end && place[0] == 0x0A)) {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return (line, column)
    }
}
