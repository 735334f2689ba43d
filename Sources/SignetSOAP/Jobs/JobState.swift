/// The state of a job that a service performs, as its answer to a poll reports it.
public enum JobState: Sendable {
    /// The job is not done yet.
    ///
    /// - Parameter retryAfter: how long the service wants the client to wait before it asks again, if it says so.
    case pending(retryAfter: Duration? = nil)
    /// The job is done: the answer is the result, or says where the result is.
    case done
    /// The job has failed permanently for this reason; the polling throws it unchanged.
    case failed(any Error)
}
