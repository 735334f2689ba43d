import NIOCore
import SignetHTTP
import Synchronization

/// When a call has to be over, whatever it is doing.
struct CallDeadline: Sendable {
    let total: NIODeadline
    private let allowed: Duration

    init(_ deadlines: Deadlines) {
        allowed = deadlines.total
        total = .now() + TimeAmount(limited: deadlines.total)
    }

    var hasPassed: Bool { total <= .now() }

    func exceeded(while doing: String, mayHaveBeenProcessed: Bool = false) -> TransportError {
        .init(
            .deadlineExceeded, "The call took longer than the \(allowed) it may, while \(doing).",
            mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    /// Runs work of others, such as asking a user, that may not heed cancellation: it is cancelled and left behind when the
    /// deadline passes or the task is cancelled.
    ///
    /// - Parameter late: Gets the result that came too late.
    func race<Value: Sendable>(
        on loop: any EventLoop, while doing: String, late: @escaping @Sendable (Value) -> Void = { _ in },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let race = Race<Value>()
        let timer = loop.scheduleTask(deadline: total) { _ = race.end(.failure(exceeded(while: doing))) }
        let task = Task {
            do {
                let value = try await work()
                if !race.end(.success(value)) { late(value) }
            } catch {
                _ = race.end(.failure(error))
            }
        }
        defer {
            timer.cancel()
            task.cancel()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { race.begin($0) }
        } onCancel: {
            _ = race.end(.failure(TransportError.cancelled()))
        }
    }
}

/// The first result wins.
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

    /// False when the race was over before.
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

extension TimeAmount {
    /// A duration from outside, cut to what can be added to a date without overflow.
    init(limited duration: Duration) { self.init(max(.zero, min(duration, .seconds(1_000_000_000)))) }
}

extension TransportError {
    static func cancelled(mayHaveBeenProcessed: Bool = false) -> Self {
        .init(.cancelled, "The call was cancelled.", mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    static func shutDown(mayHaveBeenProcessed: Bool = false) -> Self {
        .init(
            .shutDown, "The transport was shut down; make a new one for further calls.",
            mayHaveBeenProcessed: mayHaveBeenProcessed)
    }
}
