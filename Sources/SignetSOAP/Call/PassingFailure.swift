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
    /// §15.6.3 to §15.6.5).
    private static let statuses: [Int: Bool] = [429: false, 502: true, 503: false, 504: true]

    /// - Returns: nil for any other failure.
    init?(_ error: any Error) {
        switch error {
        case let error as TransportError where Self.silences.contains(error.code):
            mayHaveBeenProcessed = error.mayHaveBeenProcessed
            retryAfter = nil
        case let error as ServiceError:
            guard let answer = error.answer, let mayHaveBeenProcessed = Self.statuses[answer.status] else { return nil }
            self.mayHaveBeenProcessed = mayHaveBeenProcessed
            retryAfter = answer.retryAfter
        default: return nil
        }
    }
}
