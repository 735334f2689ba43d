import NIOCore
import NIOHTTP1

/// The state of one exchange of a connection, from its request to the end of the answer.
struct OngoingExchange {
    let readDeadline: TimeAmount
    let deadline: CallDeadline
    /// Whether the transport, and not the caller, chose the codings of the answer. Another coding is then an error.
    let transportChoseCoding: Bool
    /// Whether the whole request has been written.
    var isWritten = false
    /// Whether the end of streamed content is being written.
    var hasEnded = false
    /// Whether the caller waits for a piece.
    var isDemanded = false
    /// The parts that wait until the caller has judged the head, or takes them.
    var held: ResponseBuffer?
    /// The piece that the caller gets next.
    var piece: [UInt8] = []
    /// The head of an answer that is compressed.
    private(set) var coded: HTTPResponseHead?
    /// The coding of content that cannot be decoded.
    private(set) var unknownCoding: String?
    private(set) var decoder: ContentDecoder?

    init(
        readDeadline: TimeAmount, deadline: CallDeadline, transportChoseCoding: Bool, isWritten: Bool
    ) {
        self.readDeadline = readDeadline
        self.deadline = deadline
        self.transportChoseCoding = transportChoseCoding
        self.isWritten = isWritten
    }

    /// From now on, parts that arrive are held.
    mutating func hold() { held = ResponseBuffer() }

    mutating func takeHeld() -> ResponseBuffer? {
        defer { held = nil }
        return held
    }

    /// The piece for the waiting caller.
    mutating func takePiece() -> [UInt8] {
        defer {
            piece = []
            isDemanded = false
        }
        return piece
    }

    /// Records the compression of the content after a head.
    mutating func noteCoding(of head: HTTPResponseHead) {
        switch ContentCoding(head) {
        case .identity: break
        case .read: coded = head
        case .unknown(let name): if transportChoseCoding { unknownCoding = name }
        }
    }

    /// - Returns: the decoder of the content; nil when it is not compressed.
    mutating func makeDecoder() throws -> ContentDecoder? {
        guard decoder == nil, let coded else { return decoder }
        decoder = try ContentDecoder(coded)
        return decoder
    }
}
