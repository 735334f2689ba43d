import SignetHTTP
import Synchronization

/// When a call must be over.
struct SessionDeadline: Sendable {
    let total: Duration
    let end: ContinuousClock.Instant

    init(total: Duration, since start: ContinuousClock.Instant) {
        self.total = total
        end = start + total
    }

    var message: String { "The call took longer than the \(total) that it may." }

    /// Waits for something of the program's, and not beyond the end: what does not heed cancellation is left behind.
    ///
    /// - Parameter late: gets what comes after the end.
    func race<Value: Sendable>(
        late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        let task = Task {
            do {
                let value = try await work()
                if !race.finish(.success(value)) { late(value) }
            } catch { race.finish(.failure(error)) }
        }
        let timer = Task {
            try await Task.sleep(until: end)
            race.finish(.failure(TransportError(.deadlineExceeded, message)))
        }
        defer {
            timer.cancel()
            task.cancel()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { race.begin($0) }
        } onCancel: {
            race.finish(.failure(CancellationError()))
        }
    }

    /// The first end counts, also if it comes before somebody waits for it.
    private final class Race<Value: Sendable>: Sendable {
        private enum State {
            case open
            case waiting(CheckedContinuation<Value, any Error>)
            case ended(Result<Value, any Error>)
            case over
        }

        private let state = Mutex(State.open)

        func begin(_ continuation: CheckedContinuation<Value, any Error>) {
            let result = state.withLock { state -> Result<Value, any Error>? in
                if case .ended(let result) = state {
                    state = .over
                    return result
                }
                state = .waiting(continuation)
                return nil
            }
            if let result { continuation.resume(with: result) }
        }

        /// - Returns: whether it was the first.
        @discardableResult
        func finish(_ result: Result<Value, any Error>) -> Bool {
            let (isFirst, continuation) = state.withLock {
                state -> (Bool, CheckedContinuation<Value, any Error>?) in
                switch state {
                case .open:
                    state = .ended(result)
                    return (true, nil)
                case .waiting(let continuation):
                    state = .over
                    return (true, continuation)
                case .ended, .over: return (false, nil)
                }
            }
            continuation?.resume(with: result)
            return isFirst
        }
    }
}
