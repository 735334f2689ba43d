import NIOHTTP1
import SignetHTTP
import Synchronization

/// One request on one connection, and the caller that waits for its answer.
final class Leg: Sendable {
    /// What the caller waits for.
    enum Outcome: Sendable {
        case answer(Answer)
        /// The head of an answer whose content the receiver may want: the caller waits once more, for the end of the leg.
        case head(HTTPResponseHead)

        /// The answer, where no head is to be judged any more.
        var answer: Answer {
            get throws {
                guard case .answer(let answer) = self else { throw ExchangeState.twoHeads }
                return answer
            }
        }
    }

    private typealias Waiting = CheckedContinuation<Outcome, any Error>

    private enum State {
        /// The caller does not wait yet, or not again.
        case open
        case waiting(Waiting)
        /// The leg has ended while the caller did not wait.
        case ended(Result<Outcome, any Error>)
    }

    let deadline: CallDeadline
    private let state = Mutex(State.open)
    private let cancelled = Atomic(false)
    private let start: AsyncStream<Void>.Continuation?
    let receiver: (any ContentReceiver)?

    /// - Parameters:
    ///   - start: for the task that writes the content: gets a value when it is wanted, and its end with the leg's.
    ///   - receiver: may want the content of the answer; nil where it is kept in memory anyway.
    init(
        deadline: CallDeadline, start: AsyncStream<Void>.Continuation? = nil, receiver: (any ContentReceiver)? = nil
    ) {
        self.deadline = deadline
        self.start = start
        self.receiver = receiver
    }

    // MARK: For the caller

    /// Waits for what comes next.
    ///
    /// - Parameter begin: starts the exchange. It is not called where the leg has ended already.
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

    /// The content may be written now.
    func takeContent() { start?.yield() }

    /// Whether the answer is judged when its head has come.
    var isJudged: Bool { receiver != nil }

    /// Has the caller judge the answer, if the receiver could want its content.
    func judge(_ head: HTTPResponseHead) -> Bool {
        let contentType = head.headers.first(name: "content-type")
        guard receiver?.mayTake(contentType: contentType) == true else { return false }
        takeWaiting(leaving: .open)?.resume(returning: .head(head))
        return true
    }

    /// Called exactly once, by the handler that took the leg.
    func end(_ result: Result<Answer, any Error>) {
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
