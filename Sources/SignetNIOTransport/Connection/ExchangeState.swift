import NIOCore
import NIOHTTP1
import SignetHTTP

/// A complete answer as received.
struct ReceivedResponse: Sendable {
    var head: HTTPResponseHead
    var body: [UInt8]
    /// Whether the connection can carry another exchange.
    var isReusable: Bool
    /// How many bytes the caller took as they arrived; nil when they are in ``body``.
    var taken: Int64?
    /// Whether the content arrived compressed.
    var isDecoded = false
    /// When the head had arrived.
    var headArrival: NIODeadline?
}

/// The state of a connection within its exchange of one request and one answer; a value without I/O.
enum ExchangeState: ~Copyable {
    /// The limits and special rules of an exchange.
    struct Terms {
        var limit: Int
        /// The limit of content that the caller takes as it arrives.
        var streamedLimit: Int64 = 0
        /// For `CONNECT`: after a success the connection stays open, whatever the answer says about it.
        var opensTunnel = false
        /// Whether ``collect()`` or ``stream()`` follows the head.
        var isJudged = false
    }

    case idle
    case awaitingHead(Terms)
    case judged(Terms, HTTPResponseHead)
    case receiving(Terms, HTTPResponseHead, [UInt8])
    case streaming(Terms, HTTPResponseHead, count: Int64)
    case closed

    enum Action {
        case nothing
        /// Ask the caller what to do with the content.
        case judge(HTTPResponseHead)
        /// Give the content to the caller.
        case hand(ByteBuffer)
        case complete(ReceivedResponse)
        case fail(TransportError)
        /// Close the connection; no caller waits for it.
        case close
    }

    var isIdle: Bool {
        switch self {
        case .idle: true
        default: false
        }
    }

    var isClosed: Bool {
        switch self {
        case .closed: true
        default: false
        }
    }

    var isStreaming: Bool {
        switch self {
        case .streaming: true
        default: false
        }
    }

    mutating func begin(_ terms: Terms) -> Bool {
        guard isIdle else { return false }
        self = .awaitingHead(terms)
        return true
    }

    mutating func received(_ part: HTTPClientResponsePart) -> Action {
        switch consume self {
        case .awaitingHead(var terms):
            guard case .head(let head) = part else {
                self = .closed
                return .fail(.init(.malformedResponse, "The answer has no head.", mayHaveBeenProcessed: true))
            }
            terms.opensTunnel = terms.opensTunnel && (200..<300).contains(head.status.code)
            self = .judged(terms, head)
            return terms.isJudged ? .judge(head) : collect()
        case .receiving(let terms, let head, var body):
            switch part {
            case .head:
                self = .closed
                return .fail(Self.twoHeads)
            case .body(let bytes):
                guard bytes.readableBytes <= terms.limit - body.count else {
                    self = .closed
                    return .fail(Self.tooLarge(Int64(terms.limit)))
                }
                body.append(contentsOf: bytes.readableBytesView)
                self = .receiving(terms, head, body)
                return .nothing
            case .end:
                self = .closed
                return end(terms, head, body)
            }
        case .streaming(let terms, let head, let count):
            switch part {
            case .head:
                self = .closed
                return .fail(Self.twoHeads)
            case .body(let bytes):
                guard Int64(bytes.readableBytes) <= terms.streamedLimit - count else {
                    self = .closed
                    return .fail(Self.tooLarge(terms.streamedLimit))
                }
                self = .streaming(terms, head, count: count + Int64(bytes.readableBytes))
                return .hand(bytes)
            case .end:
                self = .closed
                return end(terms, head, [], taken: count)
            }
        default:
            self = .closed
            return .close
        }
    }

    /// Keeps the content of an answer in memory after its head has arrived.
    mutating func collect() -> Action {
        guard case .judged(let terms, let head) = consume self else {
            self = .closed
            return .close
        }
        let announced = terms.opensTunnel ? 0 : Self.announced(head)
        guard announced <= terms.limit else {
            self = .closed
            return .fail(Self.tooLarge(Int64(terms.limit)))
        }
        var body: [UInt8] = []
        body.reserveCapacity(Int(announced))
        self = .receiving(terms, head, body)
        return .nothing
    }

    /// Passes the content of an answer to the caller after its head has arrived.
    mutating func stream() -> Action {
        guard case .judged(let terms, let head) = consume self else {
            self = .closed
            return .close
        }
        guard Self.announced(head) <= terms.streamedLimit else {
            self = .closed
            return .fail(Self.tooLarge(terms.streamedLimit))
        }
        self = .streaming(terms, head, count: 0)
        return .nothing
    }

    /// Makes further exchanges impossible.
    mutating func close() { self = .closed }

    private mutating func end(_ terms: Terms, _ head: HTTPResponseHead, _ body: [UInt8], taken: Int64? = nil) -> Action
    {
        let isReusable = head.isKeepAlive || terms.opensTunnel
        if isReusable { self = .idle } else { self = .closed }
        return .complete(.init(head: head, body: body, isReusable: isReusable, taken: taken))
    }

    private static func announced(_ head: HTTPResponseHead) -> Int64 {
        max(0, head.headers.first(name: "content-length").flatMap { Int64($0) } ?? 0)
    }

    static var twoHeads: TransportError {
        .init(.malformedResponse, "The answer has two heads.", mayHaveBeenProcessed: true)
    }

    private static func tooLarge(_ limit: Int64) -> TransportError {
        .init(
            .responseTooLarge, "The answer is larger than the \(limit) bytes that the call allows.",
            mayHaveBeenProcessed: true)
    }
}
