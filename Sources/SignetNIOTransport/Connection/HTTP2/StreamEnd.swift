import SignetHTTP

/// How an exchange over a stream ended before its answer was complete.
enum StreamEnd: Equatable, Sendable {
    /// What the server ended: one stream (RST_STREAM), or the connection before it processed the stream (GOAWAY).
    enum Scope { case stream, connection }

    /// Nothing of the request was sent; another connection can carry it.
    case stale
    /// The server did not process the request.
    ///
    /// - Parameter atMost: how many such ends a call may have before it fails.
    case refused(HTTP2Code, atMost: Int)
    /// The server ended the exchange, and may have processed the request.
    case reset(HTTP2Code)
    /// The answer breaks the rules of HTTP/2: the client has reset the stream with this code.
    case malformed(HTTP2Code)
    /// The time of the call was over before a stream was free.
    case late
    /// The connection was lost.
    case lost(ConnectionFailure.Progress)

    /// - Parameter hasHead: whether the head of an answer, or an interim head, has arrived.
    init(_ code: HTTP2Code, of scope: Scope, hasHead: Bool) {
        self =
            switch (scope, code) {
            case _ where hasHead: .reset(code)
            // A server that ends its connections in good order may do so after a few requests each.
            case (.connection, .noError): .refused(code, atMost: 32)
            // A server that ends connections for a reason may end every one.
            case (.connection, _): .refused(code, atMost: 1)
            case (.stream, .refusedStream): .refused(code, atMost: 5)
            // RFC 9113 §8.7 does not name it; a server that could not serve the request over HTTP/2 has not processed it.
            case (.stream, .http11Required): .refused(code, atMost: 1)
            case (.stream, _): .reset(code)
            }
    }

    /// The error that ends the leg.
    ///
    /// - Parameters:
    ///   - deadline: that of the leg.
    ///   - reasonOfLoss: describes why the connection was lost.
    func error(
        from host: String, deadline: CallDeadline, reasonOfLoss: (ConnectionFailure.Progress) -> any Error
    ) -> any Error {
        switch self {
        case .stale: StaleConnection()
        case .refused(let code, let limit):
            RefusedRequest(
                failure: TransportError(
                    .connectionClosed,
                    "\(host) did not process the request, and ended it with \(code) (RFC 9113 §7). Call again later."),
                limit: limit)
        case .reset(let code):
            TransportError(
                .connectionClosed,
                "\(host) ended the request with \(code) before the answer was complete (RFC 9113 §7).",
                mayHaveBeenProcessed: true)
        case .malformed(let code):
            TransportError(
                .malformedResponse, "The answer of \(host) breaks the rules of HTTP/2: \(code) (RFC 9113 §7).",
                mayHaveBeenProcessed: true)
        case .late: deadline.exceeded(while: "waiting for a free stream of the connection to \(host)")
        case .lost(let progress): Self.loss(reasonOfLoss(progress), progress)
        }
    }

    private static func loss(_ error: any Error, _ progress: ConnectionFailure.Progress) -> any Error {
        let isUnanswered = progress.hasRequest && !progress.hasAnswer
        return (isUnanswered ? UnansweredRequest(error) : nil) ?? error
    }
}
