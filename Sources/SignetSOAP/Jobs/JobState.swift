/// How a job is doing that a service has taken on, by its answer to a poll.
public enum JobState: Sendable {
    /// Not done yet.
    ///
    /// - Parameter retryAfter: when the service wants to be asked again, where it says so.
    case pending(retryAfter: Duration? = nil)
    /// Done: the answer is the result, or says where it is.
    case done
    /// Failed for good, for this reason, which ends the polling as it is.
    case failed(any Error)
}
