import Signet
import Synchronization

/// Runs an exchange of another HTTP client until it ends, the task is cancelled, ``/SignetHTTP/Deadlines/total`` passes, or the
/// server is silent for ``/SignetHTTP/Deadlines/read``.
///
/// The exchange is cancelled then, and not waited for: a ``/SignetHTTP/ContentReceiver`` need not listen to cancellation.
///
/// - Parameter silence: nil if the HTTP client itself watches for silence.
/// - Throws: the error of the exchange, or ``/SignetHTTP/TransportError``.
func withDeadlines<Answer: Sendable>(
    _ deadlines: Deadlines, silence: Silence? = nil, _ exchange: @escaping @Sendable () async throws -> Answer
) async throws -> Answer {
    func cancelled(_ mayHaveBeenProcessed: Bool) -> TransportError {
        TransportError(.cancelled, "The call was cancelled.", mayHaveBeenProcessed: mayHaveBeenProcessed)
    }
    if Task.isCancelled { throw cancelled(false) }
    let end = ContinuousClock.now + deadlines.total
    // Whatever comes first is the result.
    let (results, first) = AsyncStream.makeStream(
        of: Result<Answer, any Error>.self, bufferingPolicy: .bufferingOldest(1))
    let tasks = [
        Task {
            do { first.yield(.success(try await exchange())) } catch { first.yield(.failure(error)) }
        },
        Task {
            try await Task.sleep(until: end)
            first.yield(
                .failure(
                    TransportError(
                        .deadlineExceeded, "The call took longer than \(deadlines.total).", mayHaveBeenProcessed: true))
            )
        },
        Task {
            try await silence?.wait(for: deadlines.read)
            guard silence != nil else { return }
            first.yield(
                .failure(
                    TransportError(
                        .readTimeout, "The server sent nothing for \(deadlines.read).", mayHaveBeenProcessed: true)))
        },
    ]
    defer { for task in tasks { task.cancel() } }
    for await result in results { return try result.get() }
    // The stream ends without a result when the task is cancelled.
    throw cancelled(true)
}

/// How long the server has sent nothing.
final class Silence: Sendable {
    /// Nil while the receiver works: the server may wait for it.
    private let beginning = Mutex<ContinuousClock.Instant?>(.now)

    func begin() { beginning.withLock { $0 = .now } }
    func end() { beginning.withLock { $0 = nil } }

    /// Returns when the silence has lasted for `limit`.
    func wait(for limit: Duration) async throws {
        while true {
            let end = (beginning.withLock { $0 } ?? .now) + limit
            if end <= .now { return }
            try await Task.sleep(until: end)
        }
    }
}
