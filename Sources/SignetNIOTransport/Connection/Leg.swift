import Synchronization

/// One request on one connection, and who waits for its answer.
final class Leg: Sendable {
    let deadline: CallDeadline
    private let cancelled = Atomic(false)
    private let continuation: CheckedContinuation<Answer, any Error>
    private let start: AsyncStream<Void>.Continuation?

    /// - Parameter start: of whoever writes the content: gets a value when it is wanted, and its end with the leg's.
    init(
        deadline: CallDeadline, start: AsyncStream<Void>.Continuation? = nil,
        _ continuation: CheckedContinuation<Answer, any Error>
    ) {
        self.deadline = deadline
        self.continuation = continuation
        self.start = start
    }

    /// The content may be written now.
    func takeContent() { start?.yield() }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Called exactly once, by the handler that took the leg.
    func end(_ result: Result<Answer, any Error>) {
        start?.finish()
        continuation.resume(with: result)
    }
}
