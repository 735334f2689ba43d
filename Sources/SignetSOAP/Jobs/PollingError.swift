/// The polling has ended before the job did.
public struct PollingError: Error, Sendable, CustomStringConvertible {
    /// New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// ``Polling/deadline`` would have passed before the next poll, or has passed during one. The job may still be
        /// running.
        public static let expired = Code("expired")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, and what to do next.
    public var message: String
    /// The number of polls.
    public var polls: Int
    /// The time since the start, by ``Polling/clock``.
    public var elapsed: Duration
    /// The last answer of the service, of the type that the poll returns; nil when no poll was answered.
    public var lastAnswer: (any Sendable)?
    /// Why the last poll was not answered; nil when it was.
    public var cause: (any Error)?

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - polls: the number of polls.
    ///   - elapsed: the time since the start.
    ///   - lastAnswer: the last answer of the service, of the type that the poll returns; nil when no poll was answered.
    ///   - cause: why the last poll was not answered; nil when it was.
    public init(
        _ code: Code, _ message: String, polls: Int = 0, elapsed: Duration = .zero, lastAnswer: (any Sendable)? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.polls = polls
        self.elapsed = elapsed
        self.lastAnswer = lastAnswer
        self.cause = cause
    }

    public var description: String { cause.map { "\(message) The last poll failed: \($0)" } ?? message }
}

extension PollingError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
