/// Finds the end of a message that has a length.
enum Framing {
    /// The length of the content, when all of it is there.
    static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let end = place(behind: "\r\n\r\n", in: bytes), let field = place(behind: "Content-Length: ", in: bytes)
        else {
            return nil
        }
        var length = 0
        for byte in bytes[field...] {
            guard (48...57).contains(byte) else { break }
            length = length * 10 + Int(byte) - 48
        }
        return bytes.count - end >= length ? length : nil
    }

    private static func place(behind text: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        text.withUTF8Buffer { text in
            guard bytes.count >= text.count else { return nil }
            return (0...bytes.count - text.count).first { start in
                text.indices.allSatisfy { bytes[start + $0] == text[$0] }
            }.map { $0 + text.count }
        }
    }
}
