import NIOHTTP1
import Synchronization

/// One request on one connection, and who waits for its answer.
final class Leg: Sendable {
    let deadline: CallDeadline
    private let cancelled = Atomic(false)
    private let continuation: CheckedContinuation<Answer, any Error>
    private let start: AsyncStream<Void>.Continuation?
    /// Who judges the head of the answer, and whether that is needed.
    typealias Judging = (
        heads: AsyncStream<HTTPResponseHead>.Continuation, mayTake: @Sendable (HTTPResponseHead) -> Bool
    )
    private let heads: Judging?

    /// - Parameters:
    ///   - start: of whoever writes the content: gets a value when it is wanted, and its end with the leg's.
    ///   - heads: of whoever judges the answer: gets its head, and its end with the leg's.
    init(
        deadline: CallDeadline, start: AsyncStream<Void>.Continuation? = nil,
        heads: Judging? = nil,
        _ continuation: CheckedContinuation<Answer, any Error>
    ) {
        self.deadline = deadline
        self.continuation = continuation
        self.start = start
        self.heads = heads
    }

    /// The content may be written now.
    func takeContent() { start?.yield() }

    /// Whether the answer is judged when its head has come.
    var isJudged: Bool { heads != nil }

    /// Has the answer judged, if its content could be wanted by somebody.
    func judge(_ head: HTTPResponseHead) -> Bool {
        guard let heads, heads.mayTake(head) else { return false }
        heads.heads.yield(head)
        return true
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }

    /// Called exactly once, by the handler that took the leg.
    func end(_ result: Result<Answer, any Error>) {
        start?.finish()
        heads?.heads.finish()
        continuation.resume(with: result)
    }
}
