import NIOCore
import SignetHTTP
import Synchronization

/// Whom a connection belongs to: an origin, and the identity it was opened with. Another identity never gets it.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    /// SHA-256 of the client certificate; nil without one.
    let identity: [UInt8]?
}

/// Lends connections; carries out what ``PoolState`` decides.
final class ConnectionPool: Sendable {
    enum Lease: Sendable {
        case use(HTTPConnection)
        case open(number: Int)
    }

    private struct State {
        var pool: PoolState<PoolKey, HTTPConnection>
        var waiting: [UInt64: CheckedContinuation<Lease, any Error>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state: Mutex<State>
    private let loop: any EventLoop

    init(limit: Int, loop: any EventLoop) {
        state = Mutex(State(pool: .init(limit: limit)))
        self.loop = loop
    }

    /// A connection that nobody else uses, or the order to open one, waiting for either until `deadline`.
    func lease(_ key: PoolKey, deadline: CallDeadline) async throws -> Lease {
        switch state.withLock({ $0.pool.lease(key) }) {
        case .use(let connection): .use(connection)
        case .open(let number): .open(number: number)
        case .shutDown: throw TransportError.shutDown()
        case .wait: try await wait(for: key, deadline: deadline)
        }
    }

    func opened(_ connection: HTTPConnection, key: PoolKey) throws {
        guard state.withLock({ $0.pool.opened(connection.number, connection, key: key) }) else {
            connection.close()
            throw TransportError.shutDown()
        }
    }

    func openingFailed(key: PoolKey) { hand(state.withLock { $0.pool.openingFailed(key: key) }) }

    func giveBack(_ connection: HTTPConnection) { hand(state.withLock { $0.pool.giveBack(connection.number) }) }

    func remove(_ number: Int) { hand(state.withLock { $0.pool.remove(number) }) }

    func expire(_ number: Int) -> Bool { state.withLock { $0.pool.expire(number) } }

    func shutDown() -> [HTTPConnection] {
        let (connections, waiting) = state.withLock { state in
            let ended = state.pool.shutDown()
            let waiting = ended.waiters.compactMap { state.waiting.removeValue(forKey: $0) }
            return (ended.connections, waiting)
        }
        for continuation in waiting {
            continuation.resume(throwing: TransportError.shutDown())
        }
        return connections
    }

    // MARK: Waiting

    private func wait(for key: PoolKey, deadline: CallDeadline) async throws -> Lease {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = loop.scheduleTask(deadline: deadline.total) { [self] in
            stopWaiting(waiter, key: key, with: deadline.exceeded(while: "waiting for a free connection"))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Asked again in one step with entering the queue: a connection may have come back meanwhile.
                let answer: Result<Lease, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(TransportError.cancelled()) }
                    if deadline.hasPassed { return .failure(deadline.exceeded(while: "waiting for a free connection")) }
                    switch state.pool.lease(key, for: waiter) {
                    case .use(let connection): return .success(.use(connection))
                    case .open(let number): return .success(.open(number: number))
                    case .shutDown: return .failure(TransportError.shutDown())
                    case .wait:
                        state.waiting[waiter] = continuation
                        return nil
                    }
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            stopWaiting(waiter, key: key, with: .cancelled())
        }
    }

    private func stopWaiting(_ waiter: UInt64, key: PoolKey, with error: TransportError) {
        let continuation = state.withLock { state -> CheckedContinuation<Lease, any Error>? in
            guard state.waiting[waiter] != nil, state.pool.stopWaiting(waiter, key: key) else { return nil }
            return state.waiting.removeValue(forKey: waiter)
        }
        continuation?.resume(throwing: error)
    }

    private func hand(_ handover: PoolState<PoolKey, HTTPConnection>.Handover?) {
        switch handover {
        case nil: break
        case .use(let connection, let waiter): resume(waiter, with: .use(connection))
        case .open(let number, let waiter): resume(waiter, with: .open(number: number))
        }
    }

    private func resume(_ waiter: UInt64, with lease: Lease) {
        state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: lease)
    }
}
