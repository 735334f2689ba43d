import Dispatch
import Synchronization

/// Runs calls that take long or wait, such as slow arithmetic, disk access or a question of the operating system to the
/// user, on separate threads.
///
/// Tasks share only as many threads as the processor has cores: if those threads wait, no task continues.
package struct BlockingQueue: Sendable {
    private typealias Body = @Sendable () -> Void

    private final class State: Sendable {
        let calls = Mutex((running: 0, waiting: [Body]()))
    }

    private let label: String
    private let width: Int
    private let state = State()

    /// - Parameter width: how many calls run at the same time, at least one. The others wait, and begin in order.
    package init(_ label: String, width: Int = 1) {
        self.label = label
        self.width = width
    }

    /// Runs `body` and waits for it.
    ///
    /// A task that is cancelled before its turn does not wait, and `body` is not run. A `body` that has begun is waited
    /// for, so that nothing it creates is lost.
    ///
    /// - Throws: the error of `body`, or `CancellationError`.
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

    /// Runs `body` later, also when the task is cancelled.
    package func start(_ body: @escaping @Sendable () -> Void) {
        let begins = state.calls.withLock { calls in
            guard calls.running < width else {
                calls.waiting.append(body)
                return false
            }
            calls.running += 1
            return true
        }
        // Each gets a serial queue: on Linux, a concurrent one would run its calls on the threads that tasks share.
        if begins { perform(body, on: DispatchQueue(label: label)) }
    }

    /// Runs `body`, and then the call that has waited longest.
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

/// The continuation that waits for a turn. The code that takes it must resume it.
private final class Turn<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value, any Error>)
        case over
    }

    private let state = Mutex(State.open)

    /// - Returns: false when the turn has already ended.
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
