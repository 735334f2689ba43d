import NIOHTTP1
import SignetHTTP
import Synchronization

/// One request on one connection, and the caller that waits for its answer.
final class Leg: Sendable {
    /// What the caller waits for.
    enum Outcome: Sendable {
        case answer(ReceivedResponse)
        /// The head of an answer whose content the receiver may take: the caller then waits again, for the end of the
        /// leg.
        case head(HTTPResponseHead)

        /// The answer, where no head is left to judge.
        var answer: ReceivedResponse {
            get throws {
                guard case .answer(let answer) = self else { throw ExchangeState.twoHeads }
                return answer
            }
        }
    }

    private typealias Waiting = CheckedContinuation<Outcome, any Error>

    private enum State {
        /// The caller is not waiting yet, or not waiting again yet.
        case open
        case waiting(Waiting)
        /// The leg ended while the caller was not waiting.
        case ended(Result<Outcome, any Error>)
    }

    let deadline: CallDeadline
    private let state = Mutex(State.open)
    private let cancelled = Atomic(false)
    private let start: AsyncStream<Void>.Continuation?
    let receiver: (any ContentReceiver)?

    /// - Parameters:
    ///   - start: for the task that writes the content: yields a value when the server wants the content, and ends with
    ///     the leg.
    ///   - receiver: may take the content of the answer; nil when it is kept in memory in any case.
    init(
        deadline: CallDeadline, start: AsyncStream<Void>.Continuation? = nil, receiver: (any ContentReceiver)? = nil
    ) {
        self.deadline = deadline
        self.start = start
        self.receiver = receiver
    }

    // MARK: For the caller

    /// Waits for the next outcome.
    ///
    /// - Parameter begin: starts the exchange. It is not called when the leg has already ended.
    func wait(_ begin: () -> Void = {}) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            let early: Result<Outcome, any Error>? = state.withLock { state in
                if case .ended(let result) = state { return result }
                state = .waiting(continuation)
                return nil
            }
            if let early { continuation.resume(with: early) } else { begin() }
        }
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    func cancel() { cancelled.store(true, ordering: .releasing) }

    // MARK: For the connection

    /// Lets the caller write the content.
    func takeContent() { start?.yield() }

    /// Whether the caller judges the answer when its head has arrived.
    var isJudged: Bool { receiver != nil }

    /// Lets the caller judge the answer, if the receiver may take its content.
    func judge(_ head: HTTPResponseHead) -> Bool {
        let contentType = head.headers.first(name: "content-type")
        guard receiver?.mayTake(contentType: contentType) == true else { return false }
        takeWaiting(leaving: .open)?.resume(returning: .head(head))
        return true
    }

    /// The handler that took the leg calls it exactly once.
    func end(_ result: Result<ReceivedResponse, any Error>) {
        start?.finish()
        let outcome = result.map { Outcome.answer($0) }
        takeWaiting(leaving: .ended(outcome))?.resume(with: outcome)
    }

    private func takeWaiting(leaving next: State) -> Waiting? {
        state.withLock { state in
            guard case .waiting(let continuation) = state else {
                state = next
                return nil
            }
            state = .open
            return continuation
        }
    }
}
