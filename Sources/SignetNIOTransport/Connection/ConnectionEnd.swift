import SignetHTTP

/// The exchange is over before its content was written, or taken.
struct UnwantedContent: Error {}

/// The call was cancelled before anything of the request was written: others can use the connection.
struct UntouchedConnection: Error {}

/// The connection was lost after the request was written and before anything of an answer came.
struct UnansweredRequest: Error {
    let failure: TransportError

    /// - Returns: nil if the failure is not that the connection was closed.
    init?(_ error: any Error) {
        guard let failure = error as? TransportError, failure.code == .connectionClosed else { return nil }
        self.failure = failure
    }
}

/// The connection had been closed before anything of the request was written: it can be sent on another.
struct StaleConnection: Error {}
