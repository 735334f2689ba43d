/// Which connections are lent, idle or being opened, and who waits. A value without I/O.
///
/// Connections of different keys are never exchanged: a key names the origin and the identity they were opened with.
struct PoolState<Key: Hashable, Connection> {
    typealias ConnectionID = Int
    typealias WaiterID = UInt64

    enum Lease {
        case use(Connection)
        /// Open a connection; then call ``opened(_:_:key:)`` or ``openingFailed(key:)``.
        case open(number: ConnectionID)
        /// There are as many connections as may be: with a waiter's number, a ``Handover`` follows.
        case wait
        case shutDown
    }

    /// What a waiter gets.
    enum Handover {
        case use(Connection, by: WaiterID)
        case open(number: ConnectionID, by: WaiterID)
    }

    private struct Group {
        /// The last one returned is lent first, so that superfluous ones grow old.
        var idle: [ConnectionID] = []
        var lent: Set<ConnectionID> = []
        var opening = 0
        var waiters: [WaiterID] = []

        var count: Int { idle.count + lent.count + opening }
        var isEmpty: Bool { count == 0 && waiters.isEmpty }
    }

    private let limit: Int
    private var groups: [Key: Group] = [:]
    private var connections: [ConnectionID: (key: Key, connection: Connection)] = [:]
    private var lastNumber: ConnectionID = 0
    private(set) var isShutDown = false

    init(limit: Int) { self.limit = max(1, limit) }

    /// - Parameter waiter: Is put into the queue when there is nothing to lend.
    mutating func lease(_ key: Key, for waiter: WaiterID? = nil) -> Lease {
        guard !isShutDown else { return .shutDown }
        var group = groups[key] ?? Group()
        defer { groups[key] = group }
        if let id = group.idle.popLast(), let known = connections[id] {
            group.lent.insert(id)
            return .use(known.connection)
        }
        guard group.count < limit else {
            if let waiter { group.waiters.append(waiter) }
            return .wait
        }
        group.opening += 1
        lastNumber += 1
        return .open(number: lastNumber)
    }

    /// Records a new connection as lent. False after a shutdown: close it.
    mutating func opened(_ id: ConnectionID, _ connection: Connection, key: Key) -> Bool {
        guard !isShutDown else { return false }
        groups[key]?.opening -= 1
        groups[key]?.lent.insert(id)
        connections[id] = (key, connection)
        return true
    }

    mutating func openingFailed(key: Key) -> Handover? {
        groups[key]?.opening -= 1
        return handover(key)
    }

    /// Takes a lent connection back. One that was closed meanwhile is not known any more.
    mutating func giveBack(_ id: ConnectionID) -> Handover? {
        guard let known = connections[id], groups[known.key]?.lent.remove(id) != nil else { return nil }
        groups[known.key]?.idle.append(id)
        return handover(known.key)
    }

    /// Forgets a connection that is closed or will be.
    mutating func remove(_ id: ConnectionID) -> Handover? {
        guard let known = connections.removeValue(forKey: id) else { return nil }
        groups[known.key]?.lent.remove(id)
        groups[known.key]?.idle.removeAll { $0 == id }
        return handover(known.key)
    }

    /// Forgets a connection if nobody has it: true means close it, as it does for one that nobody can get any more.
    mutating func expire(_ id: ConnectionID) -> Bool {
        guard let known = connections[id] else { return true }
        guard groups[known.key]?.idle.contains(id) == true else { return false }
        _ = remove(id)
        return true
    }

    /// False when the waiter has been served already.
    mutating func stopWaiting(_ waiter: WaiterID, key: Key) -> Bool {
        guard let index = groups[key]?.waiters.firstIndex(of: waiter) else { return false }
        groups[key]?.waiters.remove(at: index)
        return true
    }

    /// Closes the pool for good; returns what is to be closed and who waits in vain.
    mutating func shutDown() -> (connections: [Connection], waiters: [WaiterID]) {
        isShutDown = true
        defer {
            groups = [:]
            connections = [:]
        }
        return (connections.values.map(\.connection), groups.values.flatMap(\.waiters))
    }

    private mutating func handover(_ key: Key) -> Handover? {
        guard var group = groups[key] else { return nil }
        defer { groups[key] = group.isEmpty ? nil : group }
        guard let waiter = group.waiters.first else { return nil }
        if let id = group.idle.last, let known = connections[id] {
            group.idle.removeLast()
            group.waiters.removeFirst()
            group.lent.insert(id)
            return .use(known.connection, by: waiter)
        }
        guard group.count < limit else { return nil }
        group.waiters.removeFirst()
        group.opening += 1
        lastNumber += 1
        return .open(number: lastNumber, by: waiter)
    }
}
