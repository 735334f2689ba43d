import Synchronization

/// One request on one connection, and who waits for its answer.
final class Leg: Sendable {
    let deadline: CallDeadline
    private let cancelled = Atomic(false)
    private let continuation: CheckedContinuation<Answer, any Error>

    init(deadline: CallDeadline, _ continuation: CheckedContinuation<Answer, any Error>) {
        self.deadline = deadline
        self.continuation = continuation
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Called exactly once, by the handler that took the leg.
    func end(_ result: Result<Answer, any Error>) { continuation.resume(with: result) }
}
