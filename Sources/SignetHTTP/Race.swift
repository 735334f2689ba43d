import Synchronization

/// Runs other code that may ignore cancellation, such as asking a person. When the time is over or the task is
/// cancelled, the work is cancelled and no longer waited for.
///
/// - Parameters:
///   - end: when the time is over.
///   - exceeded: the error that is thrown then.
///   - late: gets a result that came too late.
/// - Throws: the error of the work, `exceeded`, or ``TransportError`` with `cancelled`.
package func race<Value: Sendable>(
    until end: ContinuousClock.Instant, exceeded: TransportError,
    late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    let timer = Task {
        try await Task.sleep(until: end)
        race.end(.failure(exceeded))
    }
    let task = Task {
        do {
            let value = try await work()
            if !race.end(.success(value)) { late(value) }
        } catch {
            race.end(.failure(error))
        }
    }
    defer {
        timer.cancel()
        task.cancel()
    }
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { race.begin($0) }
    } onCancel: {
        race.end(.failure(TransportError.cancelled()))
    }
}

/// Keeps the first result.
private final class Race<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case decided(Result<Value, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    func begin(_ continuation: CheckedContinuation<Value, any Error>) {
        let decided: Result<Value, any Error>? = state.withLock { state in
            if case .decided(let result) = state {
                state = .over
                return result
            }
            state = .waiting(continuation)
            return nil
        }
        if let decided { continuation.resume(with: decided) }
    }

    /// False when there was a result before.
    @discardableResult
    func end(_ result: Result<Value, any Error>) -> Bool {
        let (won, continuation): (Bool, CheckedContinuation<Value, any Error>?) = state.withLock { state in
            switch state {
            case .open:
                state = .decided(result)
                return (true, nil)
            case .waiting(let continuation):
                state = .over
                return (true, continuation)
            case .decided, .over:
                return (false, nil)
            }
        }
        continuation?.resume(with: result)
        return won
    }
}
