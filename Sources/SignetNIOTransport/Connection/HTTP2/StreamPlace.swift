import NIOHTTP1
import SignetHTTP

/// What a ``ConnectionHandler`` needs on a stream of an HTTP/2 connection.
struct StreamPlace {
    /// The limit of interim heads before the head of an answer. An origin sends few of them (RFC 9110 §15.2).
    private static let maximumInterimHeads = 100

    private let maximumFieldBytes: Int
    private var interimHeads = 0
    /// Tells the connection that the exchange has ended, and whether that was because of a deadline.
    let ended: (_ leg: Leg, _ isLate: Bool) -> Void

    init(maximumFieldBytes: Int, ended: @escaping (_ leg: Leg, _ isLate: Bool) -> Void) {
        self.maximumFieldBytes = maximumFieldBytes
        self.ended = ended
    }

    /// A head as the decoder of HTTP/1.1 would give it, so that what follows does not depend on the version.
    ///
    /// - Throws: an error for a head beyond the limits.
    mutating func read(
        _ head: HTTPResponseHead, from host: String
    ) throws(TransportError) -> HTTPResponseHead {
        if (100..<200).contains(head.status.code) {
            interimHeads += 1
            guard interimHeads <= Self.maximumInterimHeads else {
                throw TransportError(
                    .malformedResponse,
                    "\(host) sent more than \(Self.maximumInterimHeads) interim answers (1xx) to one request.",
                    mayHaveBeenProcessed: true)
            }
        }
        let bytes = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard head.headers.count <= ConnectionFailure.maximumFields, bytes <= maximumFieldBytes else {
            throw ConnectionFailure.largeHead(of: host, mayHaveBeenProcessed: true)
        }
        var head = head
        head.version = .http1_1
        // NIO adds it to an answer without a length. A server cannot send it over HTTP/2 (RFC 9113 §8.2.2).
        head.headers.remove(name: "transfer-encoding")
        return head
    }
}
