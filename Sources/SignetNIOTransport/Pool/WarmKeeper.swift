import NIOCore
import SignetConnection
import SignetHTTP
import Synchronization

/// Keeps connections open ahead of need: carries out what ``WarmPlan`` decides.
final class WarmKeeper: Sendable {
    private struct State {
        var plan: WarmPlan
        /// Where the last call went, and how long its connection might take.
        var last: (key: PoolKey, deadlines: Deadlines)?
        /// Opens what is missing, one connection after the other.
        var task: Task<Void, Never>?
        var isStopped = false
        weak var transport: NIOTransport?

        /// Whether fewer connections are open than there should be.
        var isMissing: Bool {
            guard !isStopped, plan.isActive(at: .now()), let last, let transport else { return false }
            return transport.pool.openCount(of: last.key) < plan.count
        }
    }

    private let state: Mutex<State>

    init(_ warm: WarmConnections) {
        state = Mutex(State(plan: .init(count: warm.count, duration: TimeAmount(limited: warm.duration))))
    }

    /// - Parameter transport: which owns this keeper.
    func begin(for transport: NIOTransport) { state.withLock { $0.transport = transport } }

    /// A call, or a warm-up, has got a connection to the service.
    func used(_ call: Call) {
        state.withLock { state in
            state.plan.used(at: .now())
            state.last = (call.key, call.deadlines)
        }
        check()
    }

    /// How many connections of a key do not expire.
    func floor(of key: PoolKey) -> Int {
        state.withLock { state in
            guard let last = state.last, state.plan.isActive(at: .now()) else { return 0 }
            return last.key == key ? state.plan.count : 0
        }
    }

    /// Looks whether connections are missing, and opens them.
    func check() {
        state.withLock { state in
            guard state.task == nil, state.isMissing else { return }
            state.task = Task { await self.fill() }
        }
    }

    func suspend() { state.withLock { $0.plan.isSuspended = true } }

    func resume() {
        state.withLock { $0.plan.isSuspended = false }
        check()
    }

    /// Opens nothing any more.
    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    // MARK: Opening

    private func fill() async {
        while let pause = await openOne() {
            if pause > .zero { try? await Task.sleep(for: .nanoseconds(pause.nanoseconds)) }
        }
    }

    /// Opens a connection, if one is missing. The transport is not held longer than that takes.
    ///
    /// - Returns: how long to wait before the next one; nil when there is none to open.
    private func openOne() async -> TimeAmount? {
        guard let (transport, deadlines, count) = next() else { return nil }
        do {
            let key = try await transport.openAhead(upTo: count, deadlines)
            return state.withLock { state in
                state.plan.succeeded()
                guard let key else {
                    state.task = nil
                    return nil
                }
                // The identity may be another one than that of the last call.
                state.last?.key = key
                return .zero
            }
        } catch {
            return state.withLock { $0.plan.failed() }
        }
    }

    /// What is needed to open a connection; nil, and the task is over, when none is missing.
    private func next() -> (NIOTransport, Deadlines, count: Int)? {
        state.withLock { state in
            guard state.isMissing, let transport = state.transport, let last = state.last else {
                state.task = nil
                return nil
            }
            return (transport, last.deadlines, state.plan.count)
        }
    }
}
