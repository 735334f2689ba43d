import Dispatch
import Synchronization

/// Runs what takes long or waits, such as slow arithmetic, a disk or a question of the operating system, on threads of its own.
///
/// The threads that tasks share are as few as the processor's cores: while they wait, no task goes on.
package struct BlockingQueue: Sendable {
    private let label: String
    private let shared: DispatchQueue?

    /// - Parameter isConcurrent: whether calls run beside each other; otherwise they run in their order.
    package init(_ label: String, isConcurrent: Bool = false) {
        self.label = label
        shared = isConcurrent ? nil : DispatchQueue(label: label)
    }

    /// Serial in either case: on Linux, a concurrent queue would run its calls on the threads that tasks share.
    private var queue: DispatchQueue { shared ?? DispatchQueue(label: label) }

    /// Runs `body` and waits for it.
    ///
    /// A task that is cancelled before its turn does not wait for it, and `body` is not run. What has begun is waited for, so that
    /// nothing it makes is left behind.
    ///
    /// - Throws: what `body` throws, or `CancellationError`.
    package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        let turn = Turn<Result>()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard turn.wait(continuation) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                queue.async { turn.take()?.resume(with: Swift.Result { try body() }) }
            }
        } onCancel: {
            turn.take()?.resume(throwing: CancellationError())
        }
    }

    /// Has `body` run some time, also when the task is cancelled.
    package func start(_ body: @escaping @Sendable () -> Void) { queue.async { body() } }
}

/// Who waits for a turn: whoever takes it has to resume them.
private final class Turn<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    /// - Returns: false when the turn is over already.
    func wait(_ continuation: CheckedContinuation<Value, any Error>) -> Bool {
        state.withLock { state in
            guard case .open = state else { return false }
            state = .waiting(continuation)
            return true
        }
    }

    func take() -> CheckedContinuation<Value, any Error>? {
        state.withLock { state in
            defer { state = .over }
            if case .waiting(let continuation) = state { return continuation }
            return nil
        }
    }
}
