import NIOCore
import SignetAuthentication
import SignetHTTP
import Synchronization

/// How a connection gets to its origin.
enum Route: Hashable, Sendable {
    case direct
    case proxy(Proxy)
    /// The path of a socket in the file system.
    case unixSocket(String)
}

/// The identity with which a connection was opened.
enum ConnectionIdentity: Hashable, Sendable {
    case none
    /// SHA-256 of the client certificate.
    case certificate([UInt8])
    /// The identity that is looked up when the server asks.
    case onDemand
}

/// What a connection may be used for: an origin, the route to it, the identity with which it was opened, and the users
/// that are authenticated on it. Calls with another key never get it.
struct PoolKey: PoolPlacing {
    let origin: Origin
    var route = Route.direct
    let identity: ConnectionIdentity
    /// The users whose credentials bind to the connection, at the origin and at a proxy.
    var users: Set<ConnectionUser> = []
    /// Whether the client offers HTTP/2 when it opens the connection. A call that needs HTTP/1.1 never gets such a one.
    var offersHTTP2 = false

    var site: Origin { origin }
}

/// Lends connections. It carries out the decisions of ``PoolState``.
final class ConnectionPool: Sendable {
    enum Lease: Sendable {
        case use(HTTPConnection)
        case open(number: Int)
    }

    private typealias Pool = PoolState<PoolKey, HTTPConnection>

    private struct State {
        var pool: Pool
        var waiting: [UInt64: CheckedContinuation<Lease, any Error>] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state: Mutex<State>
    private let loop: any EventLoop

    /// - Parameter total: for all origins together.
    init(perOrigin: Int, total: Int, loop: any EventLoop) {
        state = Mutex(State(pool: .init(limits: .init(perSite: perOrigin, total: total))))
        self.loop = loop
    }

    /// A connection that has room for a call, or the order to open one; waits for either until `deadline`.
    ///
    /// - Parameter capacity: how many calls a new connection will probably carry at once.
    func lease(_ key: PoolKey, expecting capacity: Int, deadline: CallDeadline) async throws -> Lease {
        switch state.withLock({ $0.pool.lease(key, expecting: capacity) }) {
        case .use(let connection): .use(connection)
        case .open(let number, let victim): open(number, closing: victim)
        case .shutDown: throw TransportError.shutDown()
        case .wait: try await wait(for: key, expecting: capacity, deadline: deadline)
        }
    }

    /// - Parameter capacity: how many calls may use the connection at once.
    func opened(_ connection: HTTPConnection, key: PoolKey, capacity: Int) throws {
        let (isAccepted, handovers) = state.withLock {
            $0.pool.opened(connection.number, connection, key: key, capacity: capacity)
        }
        guard isAccepted else {
            connection.close()
            throw TransportError.shutDown()
        }
        hand(handovers)
    }

    func openingFailed(key: PoolKey) { hand(state.withLock { $0.pool.openingFailed(key: key) }) }

    func giveBack(_ connection: HTTPConnection) {
        let (handovers, retired) = state.withLock { $0.pool.giveBack(connection.number) }
        retired?.close()
        hand(handovers)
    }

    func resize(_ number: Int, to capacity: Int) { hand(state.withLock { $0.pool.resize(number, to: capacity) }) }

    func remove(_ number: Int) { hand(state.withLock { $0.pool.remove(number) }) }

    /// Lends a connection no more, and closes it as soon as no call uses it.
    func retire(_ number: Int) {
        let (handovers, idle) = state.withLock { $0.pool.retire(number) }
        idle?.close()
        hand(handovers)
    }

    /// Closes idle connections now, and the others when calls return them.
    func drain() { retireAll { $0.retire { _ in true } } }

    /// Keeps no connections until ``resume()``.
    func suspend() { retireAll { $0.suspend() } }

    /// Keeps connections again, but none of those that are open now.
    func resume() { retireAll { $0.resume() } }

    private func retireAll(_ work: (inout Pool) -> (handovers: [Pool.Handover], closing: [HTTPConnection])) {
        let (handovers, idle) = state.withLock { work(&$0.pool) }
        for connection in idle { connection.close() }
        hand(handovers)
    }

    var counts: ConnectionCounts { state.withLock { $0.pool.tally } }

    /// - Parameter floor: how many connections its key must keep.
    func expire(_ number: Int, keeping floor: Int) -> Bool {
        state.withLock { $0.pool.expire(number, keeping: floor) }
    }

    func openCount(of key: PoolKey) -> Int { state.withLock { $0.pool.openCount(of: key) } }

    func openAhead(_ key: PoolKey, upTo count: Int, expecting capacity: Int) -> Int? {
        state.withLock { $0.pool.openAhead(key, upTo: count, expecting: capacity) }
    }

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

    private func wait(for key: PoolKey, expecting capacity: Int, deadline: CallDeadline) async throws -> Lease {
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
                // The state is asked again together with entering the queue: a call may have returned a connection
                // meanwhile.
                let answer: Result<Lease, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(TransportError.cancelled()) }
                    if deadline.hasPassed { return .failure(deadline.exceeded(while: "waiting for a free connection")) }
                    switch state.pool.lease(key, for: waiter, expecting: capacity) {
                    case .use(let connection): return .success(.use(connection))
                    case .open(let number, let victim): return .success(open(number, closing: victim))
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

    private func hand(_ handovers: [Pool.Handover]) {
        for handover in handovers {
            switch handover {
            case .use(let connection, let waiter): resume(waiter, with: .use(connection))
            case .open(let number, let victim, let waiter): resume(waiter, with: open(number, closing: victim))
            }
        }
    }

    private func open(_ number: Int, closing victim: HTTPConnection?) -> Lease {
        victim?.close()
        return .open(number: number)
    }

    private func resume(_ waiter: UInt64, with lease: Lease) {
        state.withLock { $0.waiting.removeValue(forKey: waiter) }?.resume(returning: lease)
    }
}
