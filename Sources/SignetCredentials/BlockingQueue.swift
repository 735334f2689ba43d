import Dispatch
import Synchronization

/// Runs what takes long or waits, such as slow arithmetic, a disk or a question of the operating system, on threads of its own.
///
/// The threads that tasks share are as few as the processor's cores: while they wait, no task goes on.
package struct BlockingQueue: Sendable {
    private typealias Body = @Sendable () -> Void

    private final class State: Sendable {
        let calls = Mutex((running: 0, waiting: [Body]()))
    }

    private let label: String
    private let width: Int
    private let state = State()

    /// - Parameter width: how many calls run at a time, at least one. The others wait, and begin in their order.
    package init(_ label: String, width: Int = 1) {
        self.label = label
        self.width = width
    }

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
                start { turn.take()?.resume(with: Swift.Result { try body() }) }
            }
        } onCancel: {
            turn.take()?.resume(throwing: CancellationError())
        }
    }

    /// Has `body` run some time, also when the task is cancelled.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let begins = state.calls.withLock { calls in
            guard calls.running < width else {
                calls.waiting.append(body)
                return false
            }
            calls.running += 1
            return true
        }
        // A serial queue for each: on Linux, a concurrent one would run its calls on the threads that tasks share.
        if begins { perform(body, on: DispatchQueue(label: label)) }
    }

    /// Runs `body`, and then what has waited longest.
    private func perform(_ body: @escaping Body, on queue: DispatchQueue) {
        queue.async {
            body()
            let next: Body? = state.calls.withLock { calls in
                if !calls.waiting.isEmpty { return calls.waiting.removeFirst() }
                calls.running -= 1
                return nil
            }
            if let next { perform(next, on: queue) }
        }
    }
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
