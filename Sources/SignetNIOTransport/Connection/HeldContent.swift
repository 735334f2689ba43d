import NIOCore
import NIOHTTP1

/// What has come of an answer before the caller asked for it; a value without I/O.
struct HeldContent {
    /// With more than this, nothing more is read from the connection.
    static let limit = 256 << 10
    /// What a part takes beside its bytes: a peer may send them one by one.
    private static let overhead = 64

    private var parts = CircularBuffer<HTTPClientResponsePart>()
    private var size = 0
    /// Whether the answer has come to its end.
    private(set) var hasEnd = false

    var isFull: Bool { size >= Self.limit }
    var isEmpty: Bool { parts.isEmpty }

    /// Whether nothing but the end is left of the answer.
    var isAtEnd: Bool { if case .end? = parts.first { true } else { false } }

    mutating func append(_ part: HTTPClientResponsePart) {
        size += Self.size(of: part)
        if case .end = part { hasEnd = true }
        parts.append(part)
    }

    /// The next part; of content no more than `limit` bytes.
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

    /// Takes back what was the next.
    mutating func putBack(_ part: HTTPClientResponsePart) {
        size += Self.size(of: part)
        parts.prepend(part)
    }

    private static func size(of part: HTTPClientResponsePart) -> Int {
        if case .body(let bytes) = part { bytes.readableBytes + overhead } else { overhead }
    }
}
