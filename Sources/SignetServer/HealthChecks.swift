#if Server
import Synchronization

/// Paths at which a server answers health checks, of balancers and service managers.
///
/// `GET` of ``livePath`` gets 200 while the server answers at all, and `GET` of ``readyPath`` 200 while ``isReady`` says that the server should
/// be sent requests, otherwise 503. The answers say nothing else, and the server asks for no credentials. What the server demands of every
/// connection and every request, it demands here, too: client certificates, and what its middlewares do.
public struct HealthChecks: Sendable {
    /// The path that says whether the server answers.
    public var livePath = "/health/live"
    /// The path that says whether the server should be sent requests.
    public var readyPath = "/health/ready"
    /// Whether what the services need is there, such as a database. One call at a time is made for all requests.
    public var isReady: @Sendable () async -> Bool
    /// How long ``isReady`` may take; afterwards the server is not ready, the task of ``isReady`` is cancelled, and ``isReady`` is not called
    /// again before it has returned. The default is 5 seconds.
    public var timeLimit = Duration.seconds(5)

    /// - Parameter isReady: see ``isReady``; always ready unless given.
    public init(isReady: @escaping @Sendable () async -> Bool = { true }) { self.isReady = isReady }
}

/// Answers health checks.
final class HealthProbe: Sendable {
    private struct State {
        /// What all requests wait for at this time.
        var verdict: Task<Bool, Never>?
        var isChecking = false
    }

    private let checks: HealthChecks
    private let state = Mutex(State())

    init(_ checks: HealthChecks) { self.checks = checks }

    func isAnswering(at path: Substring) -> Bool { path == checks.livePath || path == checks.readyPath }

    /// - Parameter path: one of the two.
    func isGood(at path: Substring) async -> Bool { path == checks.livePath ? true : await isReady() }

    private func isReady() async -> Bool {
        let verdict = state.withLock { state in
            if let verdict = state.verdict { return Task<Bool, Never>?.some(verdict) }
            // The last call has not returned in time, and still runs.
            guard !state.isChecking else { return nil }
            state.isChecking = true
            let (answers, answer) = AsyncStream<Bool>.makeStream(bufferingPolicy: .bufferingOldest(1))
            let check = Task {
                let isReady = await checks.isReady()
                self.state.withLock { $0.isChecking = false }
                answer.yield(isReady)
            }
            let limit = Task {
                try? await Task.sleep(for: checks.timeLimit)
                answer.yield(false)
                // A check that heeds this can be made again.
                if !Task.isCancelled { check.cancel() }
            }
            let verdict = Task {
                var isReady = false
                for await answer in answers {
                    isReady = answer
                    break
                }
                limit.cancel()
                self.state.withLock { $0.verdict = nil }
                return isReady
            }
            state.verdict = verdict
            return verdict
        }
        return await verdict?.value ?? false
    }
}
#endif
