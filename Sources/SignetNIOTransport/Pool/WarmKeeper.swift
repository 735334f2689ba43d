import NIOCore
import SignetConnection
import SignetHTTP
import Synchronization

/// Keeps connections open in advance. It carries out the decisions of ``WarmPlan``.
final class WarmKeeper: Sendable {
    private struct State {
        var plan: WarmPlan
        /// The key of the last call, and its deadlines for opening a connection.
        var last: (key: PoolKey, deadlines: Deadlines)?
        /// Opens the missing connections, one after the other.
        var task: Task<Void, Never>?
        /// Whether the task waits for the next try.
        var isWaiting = false
        var isStopped = false
        weak var transport: NIOTransport?
    }

    private let state: Mutex<State>
    private let pool: ConnectionPool

    init(_ warm: WarmConnections, _ pool: ConnectionPool) {
        state = Mutex(State(plan: .init(count: warm.count, duration: TimeAmount(limited: warm.duration))))
        self.pool = pool
    }

    /// - Parameter transport: the owner of this keeper.
    func begin(for transport: NIOTransport) { state.withLock { $0.transport = transport } }

    /// A call, or a warm-up, has got a connection to the service.
    func used(_ call: Call) {
        let key = call.key()
        state.withLock { state in
            state.plan.used(at: .now())
            state.last = (key, call.deadlines)
            stopWaiting(&state)
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

    /// Checks whether connections are missing, and opens them.
    func check() {
        state.withLock { state in
            guard state.task == nil, isMissing(state) else { return }
            state.task = Task { await self.fill() }
        }
    }

    func suspend() { state.withLock { $0.plan.isSuspended = true } }

    func resume() {
        state.withLock { state in
            state.plan.isSuspended = false
            stopWaiting(&state)
        }
        check()
    }

    /// Stops opening connections.
    func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    /// Whether fewer connections are open than there should be.
    private func isMissing(_ state: State) -> Bool {
        guard !state.isStopped, state.plan.isActive(at: .now()), let last = state.last else { return false }
        return pool.openCount(of: last.key) < state.plan.count
    }

    /// Ends a task that waits for the next try, so that a new one begins at once.
    private func stopWaiting(_ state: inout State) {
        guard state.isWaiting else { return }
        state.task?.cancel()
        (state.task, state.isWaiting) = (nil, false)
    }

    // MARK: Opening

    private func fill() async {
        while let pause = pauseBeforeOpening() {
            // A task whose wait was cut short has been replaced by another one.
            if pause > .zero {
                do { try await Task.sleep(for: .nanoseconds(pause.nanoseconds)) } catch { return }
                guard endPause() else { return }
            }
            guard await open() else { return }
        }
    }

    /// How long to wait before opening a connection; nil, which ends the task, when none is missing.
    private func pauseBeforeOpening() -> TimeAmount? {
        state.withLock { state in
            guard isMissing(state) else {
                state.task = nil
                return nil
            }
            let pause = state.plan.pauseBeforeOpening(at: .now())
            state.isWaiting = pause > .zero
            return pause
        }
    }

    /// False for a task that has been replaced by another one.
    private func endPause() -> Bool {
        state.withLock { state in
            guard !Task.isCancelled else { return false }
            state.isWaiting = false
            return true
        }
    }

    /// Opens a connection. The transport is retained only for as long as that takes.
    ///
    /// - Returns: false, which ends the task, when there is no room for a connection, or no transport.
    private func open() async -> Bool {
        // The last reference to the transport may end here, and with it this keeper; this must not happen while the
        // lock is held.
        let transport = state.withLock { $0.transport }
        let (deadlines, count) = state.withLock { ($0.last?.deadlines ?? .init(), $0.plan.count) }
        do {
            if let key = try await transport?.openAhead(upTo: count, deadlines) {
                // The identity may differ from that of the last call.
                state.withLock { $0.last?.key = key }
                return true
            }
        } catch {
            state.withLock { $0.plan.failed() }
            return true
        }
        state.withLock { $0.task = nil }
        return false
    }
}
