/// A failure after which the same request may well be answered a little later.
struct PassingFailure {
    /// Whether the service may have acted on the request.
    let mayHaveBeenProcessed: Bool
    /// When it wants to be asked again, where it says so.
    let retryAfter: Duration?

    /// No server, no connection, or no answer in time. What says that we or the service are not to be trusted is not
    /// among them, nor what stays as it is until a person changes it.
    private static let silences: Set<TransportError.Code> = [
        .unknownHost, .connectionRefused, .networkUnreachable, .connectTimeout, .readTimeout, .deadlineExceeded,
        .connectionClosed,
    ]
    /// Statuses, and whether the request may have reached the service that was to act on it (RFC 6585 §4, RFC 9110
    /// §15.6.3 to §15.6.5), with `Retry-After` and without it. Proxies answer 503 also when they have forwarded the
    /// request and the connection to the service was lost; a service that refuses work says when it will take it.
    private static let statuses: [Int: (hinted: Bool, bare: Bool)] = [
        429: (false, false), 502: (true, true), 503: (false, true), 504: (true, true),
    ]

    /// - Returns: nil for any other failure.
    init?(_ error: any Error) {
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
