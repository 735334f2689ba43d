import NIOCore
import NIOHTTP1

/// The parts of an answer that arrived before the caller asked for them; a value without I/O.
struct ResponseBuffer {
    /// When more than this is held, the connection reads no more.
    static let limit = 256 << 10
    /// The memory of a part besides its bytes: a peer may send them one by one.
    private static let overhead = 64

    private var parts = CircularBuffer<HTTPClientResponsePart>()
    private var size = 0
    /// Whether the answer has arrived to its end.
    private(set) var hasEnd = false

    var isFull: Bool { size >= Self.limit }
    var isEmpty: Bool { parts.isEmpty }

    /// Whether only the end of the answer is left.
    var isAtEnd: Bool { if case .end? = parts.first { true } else { false } }

    mutating func append(_ part: HTTPClientResponsePart) {
        size += Self.size(of: part)
        if case .end = part { hasEnd = true }
        parts.append(part)
    }

    /// The next part, with at most `limit` bytes of content.
    mutating func next(atMost limit: Int) -> HTTPClientResponsePart? {
        guard let part = parts.popFirst() else { return nil }
        size -= Self.size(of: part)
        guard case .body(var bytes) = part, bytes.readableBytes > limit, let first = bytes.readSlice(length: limit)
        else { return part }
        let rest = HTTPClientResponsePart.body(bytes)
        size += Self.size(of: rest)
        parts.prepend(rest)
        return .body(first)
    }

    /// Puts back the part that was returned last.
    mutating func putBack(_ part: HTTPClientResponsePart) {
        size += Self.size(of: part)
        parts.prepend(part)
    }

    private static func size(of part: HTTPClientResponsePart) -> Int {
        if case .body(let bytes) = part { bytes.readableBytes + overhead } else { overhead }
    }
}
