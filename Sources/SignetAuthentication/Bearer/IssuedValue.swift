import Synchronization

/// A value that a server issues for a time, such as a token. It is kept while it can be used. However many tasks need it, one
/// request is made at a time, and no further one when the server has refused the client.
package final class IssuedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var running: (number: Int, task: Task<Value, any Error>)?
        var lastNumber = 0
        var refusal: (any Error)?
    }

    private let isUsable: @Sendable (Value) -> Bool
    private let isRefusal: @Sendable (any Error) -> Bool
    private let request: @Sendable () async throws -> Value
    private let state: Mutex<State>

    /// - Parameters:
    ///   - kept: a value that need not be requested; nil for none.
    ///   - isUsable: whether a value that was kept can still be used.
    ///   - isRefusal: whether the server does not accept the client: another request would be another failed login.
    ///   - request: asks the server for a value.
    package init(
        keeping kept: Value? = nil, isUsable: @escaping @Sendable (Value) -> Bool,
        isRefusal: @escaping @Sendable (any Error) -> Bool, request: @escaping @Sendable () async throws -> Value
    ) {
        state = Mutex(State(value: kept))
        self.isUsable = isUsable
        self.isRefusal = isRefusal
        self.request = request
    }

    /// The kept value, if it can be used; otherwise one that is requested.
    ///
    /// - Parameter isDropped: whether a kept value must not be used any more, because a service refused it.
    /// - Throws: what the request throws; `CancellationError` when the calling task is cancelled, while the request goes on for others.
    package func value(unless isDropped: (Value) -> Bool = { _ in false }) async throws -> Value {
        switch try step(isDropped) {
        case .use(let value): return value
        case .wait(let task): return try await result(of: task)
        }
    }

    private enum Step {
        case use(Value)
        case wait(Task<Value, any Error>)
    }

    private func step(_ isDropped: (Value) -> Bool) throws -> Step {
        try state.withLock { state in
            if let refusal = state.refusal { throw refusal }
            if let running = state.running { return .wait(running.task) }
            if let value = state.value, !isDropped(value), isUsable(value) { return .use(value) }
            state.value = nil
            state.lastNumber += 1
            let number = state.lastNumber
            // The task that began the request may be cancelled; others wait for the same answer.
            let task = Task { [self] in
                let result: Result<Value, any Error>
                do { result = .success(try await request()) } catch { result = .failure(error) }
                self.state.withLock { state in
                    guard state.running?.number == number else { return }
                    state.running = nil
                    state.value = try? result.get()
                    if case .failure(let error) = result, isRefusal(error) { state.refusal = error }
                }
                return try result.get()
            }
            state.running = (number, task)
            return .wait(task)
        }
    }

    private func result(of task: Task<Value, any Error>) async throws -> Value {
        let (results, arrival) = AsyncThrowingStream<Value, any Error>.makeStream()
        Task {
            arrival.yield(with: await task.result)
            arrival.finish()
        }
        for try await value in results { return value }
        throw CancellationError()
    }
}
