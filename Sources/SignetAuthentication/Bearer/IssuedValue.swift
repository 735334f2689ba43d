import Synchronization

/// That a server does not accept a client.
package enum IssuedValueRefusal: Sendable {
    /// Because of its credentials.
    case forGood
    /// For a reason that can pass, such as a clock that is wrong.
    case forAWhile
}

/// A value that a server issues for a time, such as a token. It is kept while it can be used. However many tasks need it, one
/// request is made at a time, and no further one when the server has refused the client.
package final class IssuedValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var running: (number: Int, task: Task<Value, any Error>)?
        var lastNumber = 0
        /// The error of a server that does not accept the client, and until when no request is sent.
        var refusal: (error: any Error, end: ContinuousClock.Instant?)?
        /// How many requests were refused for a reason that can pass, one after the other.
        var passingRefusals = 0
    }

    /// How long no request follows a refusal that can pass: a minute, then five, then twenty-five, then an hour. Servers may count each as a
    /// failed login.
    private static func pause(after count: Int) -> Duration {
        count < 4 ? .seconds([60, 300, 1500][max(0, count - 1)]) : .seconds(3600)
    }

    private let isUsable: @Sendable (Value) -> Bool
    private let refusal: @Sendable (any Error) -> IssuedValueRefusal?
    private let request: @Sendable () async throws -> Value
    private let state: Mutex<State>

    /// - Parameters:
    ///   - kept: a value that need not be requested; nil for none.
    ///   - isUsable: whether a value that was kept can still be used.
    ///   - refusal: whether the server does not accept the client: another request would be another failed login.
    ///   - request: asks the server for a value.
    package init(
        keeping kept: Value? = nil, isUsable: @escaping @Sendable (Value) -> Bool,
        refusal: @escaping @Sendable (any Error) -> IssuedValueRefusal?,
        request: @escaping @Sendable () async throws -> Value
    ) {
        state = Mutex(State(value: kept))
        self.isUsable = isUsable
        self.refusal = refusal
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
            if let refusal = state.refusal {
                if refusal.end.map({ $0 > .now }) ?? true { throw refusal.error }
                state.refusal = nil
            }
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
                    switch result {
                    case .success: state.passingRefusals = 0
                    case .failure(let error):
                        guard let refusal = refusal(error) else { break }
                        state.passingRefusals += 1
                        let pause = Self.pause(after: state.passingRefusals)
                        state.refusal = (error, refusal == .forAWhile ? .now + pause : nil)
                    }
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
