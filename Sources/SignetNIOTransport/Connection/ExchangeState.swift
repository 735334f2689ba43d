import NIOHTTP1
import SignetHTTP

/// A whole answer as it came.
struct Answer: Sendable {
    let head: HTTPResponseHead
    let body: [UInt8]
    /// Whether the connection can carry another exchange.
    let isReusable: Bool
}

/// Where a connection stands in its exchange of one request and one answer; a value without I/O.
enum ExchangeState: ~Copyable {
    case idle
    case awaitingHead(limit: Int, opensTunnel: Bool)
    case receiving(limit: Int, HTTPResponseHead, [UInt8], hasContent: Bool, opensTunnel: Bool)
    case closed

    enum Action {
        case nothing
        case complete(Answer)
        case fail(TransportError)
        /// Close the connection; nobody waits for it.
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

    /// Whether content has come, compressed or not.
    var hasContent: Bool {
        switch self {
        case .receiving(_, _, _, let hasContent, _): hasContent
        default: false
        }
    }

    /// - Parameter opensTunnel: for `CONNECT`: after a success the connection goes on, whatever the answer says of itself.
    mutating func begin(limit: Int, opensTunnel: Bool = false) -> Bool {
        guard isIdle else { return false }
        self = .awaitingHead(limit: limit, opensTunnel: opensTunnel)
        return true
    }

    mutating func received(_ part: HTTPClientResponsePart) -> Action {
        switch consume self {
        case .awaitingHead(let limit, let opensTunnel):
            guard case .head(let head) = part else {
                self = .closed
                return .fail(.init(.malformedResponse, "The answer has no head.", mayHaveBeenProcessed: true))
            }
            let opensTunnel = opensTunnel && (200..<300).contains(head.status.code)
            let announced = opensTunnel ? 0 : head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
            guard announced <= limit else {
                self = .closed
                return .fail(Self.tooLarge(limit))
            }
            var body: [UInt8] = []
            body.reserveCapacity(announced)
            self = .receiving(limit: limit, head, body, hasContent: false, opensTunnel: opensTunnel)
            return .nothing
        case .receiving(let limit, let head, var body, _, let opensTunnel):
            switch part {
            case .head:
                self = .closed
                return .fail(.init(.malformedResponse, "The answer has two heads.", mayHaveBeenProcessed: true))
            case .body(let bytes):
                guard bytes.readableBytes <= limit - body.count else {
                    self = .closed
                    return .fail(Self.tooLarge(limit))
                }
                body.append(contentsOf: bytes.readableBytesView)
                self = .receiving(limit: limit, head, body, hasContent: true, opensTunnel: opensTunnel)
                return .nothing
            case .end:
                let isReusable = head.isKeepAlive || opensTunnel
                if isReusable { self = .idle } else { self = .closed }
                return .complete(.init(head: head, body: body, isReusable: isReusable))
            }
        default:
            self = .closed
            return .close
        }
    }

    /// Ends whatever goes on.
    mutating func close() { self = .closed }

    private static func tooLarge(_ limit: Int) -> TransportError {
        .init(
            .responseTooLarge, "The answer is larger than the \(limit) bytes that the call allows.",
            mayHaveBeenProcessed: true)
    }
}
