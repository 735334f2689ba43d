import NIOCore
import NIOHTTP1

/// What a connection remembers of one exchange, from its request to the end of the answer.
struct OngoingExchange {
    let readDeadline: TimeAmount
    let idleDeadline: TimeAmount
    let deadline: CallDeadline
    /// Whether the answer may be compressed only as the transport itself asked for.
    let isCodingOurs: Bool
    /// Whether all of the request is out.
    var isWritten = false
    /// Whether the end of streamed content is on its way.
    var hasEnded = false
    /// Whether the caller waits for a piece.
    var isDemanded = false
    /// What waits for the caller's judgement, or for the caller to take it.
    var held: HeldContent?
    /// The piece that the caller gets next.
    var piece: [UInt8] = []
    /// The head of an answer that is compressed.
    private(set) var coded: HTTPResponseHead?
    /// The coding of content that cannot be read.
    private(set) var unknownCoding: String?
    private(set) var decoder: ContentDecoder?

    init(
        readDeadline: TimeAmount, idleDeadline: TimeAmount, deadline: CallDeadline, isCodingOurs: Bool, isWritten: Bool
    ) {
        self.readDeadline = readDeadline
        self.idleDeadline = idleDeadline
        self.deadline = deadline
        self.isCodingOurs = isCodingOurs
        self.isWritten = isWritten
    }

    /// From now on what comes is held.
    mutating func hold() { held = HeldContent() }

    mutating func takeHeld() -> HeldContent? {
        defer { held = nil }
        return held
    }

    /// The piece for the caller that waits.
    mutating func takePiece() -> [UInt8] {
        defer {
            piece = []
            isDemanded = false
        }
        return piece
    }

    /// Looks how the content behind a head is compressed.
    mutating func noteCoding(of head: HTTPResponseHead) {
        switch ContentCoding(head) {
        case .identity: break
        case .read: coded = head
        case .unknown(let name): if isCodingOurs { unknownCoding = name }
        }
    }

    /// - Returns: the decoder of the content; nil where it is not compressed.
    mutating func makeDecoder() throws -> ContentDecoder? {
        guard decoder == nil, let coded else { return decoder }
        decoder = try ContentDecoder(coded)
        return decoder
    }
}
