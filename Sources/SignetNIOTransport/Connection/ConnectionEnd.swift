import SignetHTTP

/// The exchange ended before its content was written or taken.
struct UnwantedContent: Error {}

/// The call was cancelled before any byte of the request was written; other calls can use the connection.
struct UntouchedConnection: Error {}

/// The connection was lost after the request was written and before any byte of an answer arrived.
struct UnansweredRequest: Error {
    let failure: TransportError

    /// - Returns: nil when the failure is not that the connection was closed.
    init?(_ error: any Error) {
        guard let failure = error as? TransportError, failure.code == .connectionClosed else { return nil }
        self.failure = failure
    }
}

/// The server did not process the request, and says so.
struct RefusedRequest: Error {
    let failure: TransportError
    /// How many refusals like this one a call answers with a repetition.
    let limit: Int
}

/// The server ended a new connection of HTTP/2 because it wants HTTP/1.1 (RFC 9113 §7).
struct HTTP1Required: Error {}

/// The connection was closed before any byte of the request was written; the request can be sent on another.
struct StaleConnection: Error {}

extension Error {
    /// The error as callers get it, when the request is not repeated.
    var failure: any Error {
        switch self {
        case let error as UnansweredRequest: error.failure
        case let error as RefusedRequest: error.failure
        default: self
        }
    }
}
