/// A temporary failure: the same request may succeed a little later.
package struct TransientFailure {
    /// Whether the service may have acted on the request.
    package let mayHaveBeenProcessed: Bool
    /// When the service wants to be asked again, if it says so.
    let retryAfter: Duration?

    /// No server, no connection, or no answer in time. Failures of trust between client and service are not included,
    /// nor failures that last until a person changes something.
    private static let silences: Set<TransportError.Code> = [
        .unknownHost, .connectionRefused, .networkUnreachable, .connectTimeout, .readTimeout, .deadlineExceeded,
        .connectionClosed,
    ]
    /// Temporary statuses, and whether the service may have acted on the request (RFC 6585 §4, RFC 9110 §15.6.3 to
    /// §15.6.5), with `Retry-After` and without it. Proxies also answer 503 when they have forwarded the request and
    /// lost the connection to the service; a service that refuses work says when it will accept it.
    private static let statuses: [Int: (hinted: Bool, bare: Bool)] = [
        429: (false, false), 502: (true, true), 503: (false, true), 504: (true, true),
    ]

    /// - Returns: nil for any other failure.
    package init?(_ error: any Error) {
        switch error {
        case let error as TransportError where Self.silences.contains(error.code):
            mayHaveBeenProcessed = error.mayHaveBeenProcessed
            retryAfter = nil
        case let error as ServiceError:
            guard let answer = error.answer, let processed = Self.statuses[answer.status] else { return nil }
            mayHaveBeenProcessed = answer.retryAfter == nil ? processed.bare : processed.hinted
            retryAfter = answer.retryAfter
        default: return nil
        }
    }
}
