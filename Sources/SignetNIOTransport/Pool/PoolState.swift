import SignetHTTP

/// What a connection belongs to. Connections of different keys are never exchanged.
protocol PoolPlacing: Hashable, Sendable {
    associatedtype Site: Hashable, Sendable
    /// The place whose connections are counted together, whoever they belong to.
    var site: Site { get }
}

/// Which connections are lent, idle or being opened, and who waits. A value without I/O.
///
/// The queue is one for all keys and fair: a connection or the room for one goes to whoever has waited longest and can use it.
/// An idle connection makes room for one that is waited for: the one that has been idle longest is closed.
struct PoolState<Key: PoolPlacing, Connection: Sendable>: Sendable {
    typealias ConnectionID = Int
    /// Grows with every waiter, so that the smaller one came first.
    typealias WaiterID = UInt64

    /// Connections open at the same time, idle, lent and being opened.
    struct Limits: Sendable, Hashable {
        var perSite: Int
        var total: Int

        init(perSite: Int, total: Int = .max) {
            self.perSite = max(1, perSite)
            self.total = max(1, total)
        }
    }

    enum Lease: Sendable {
        case use(Connection)
        /// Open a connection; then call ``opened(_:_:key:)`` or ``openingFailed(key:)``. The other one, if any, is to be closed.
        case open(number: ConnectionID, closing: Connection?)
        /// There are as many connections as may be: with a waiter's number, a ``Handover`` follows.
        case wait
        case shutDown
    }

    /// What a waiter gets.
    enum Handover: Sendable {
        case use(Connection, by: WaiterID)
        case open(number: ConnectionID, closing: Connection?, by: WaiterID)
    }

    private struct Group {
        /// The last one returned is lent first, so that superfluous ones grow old.
        var idle: [ConnectionID] = []
        var lent: Set<ConnectionID> = []
        var opening = 0
        /// In the order of their arrival.
        var waiters: [WaiterID] = []

        var isEmpty: Bool { idle.isEmpty && lent.isEmpty && opening == 0 && waiters.isEmpty }
    }

    private struct Known {
        let key: Key
        let connection: Connection
        /// When it was last returned, counted by returns.
        var returned: UInt64 = 0
        /// It is closed when it comes back.
        var isRetired = false
    }

    private let limits: Limits
    private var groups: [Key: Group] = [:]
    private var connections: [ConnectionID: Known] = [:]
    private var counts: [Key.Site: Int] = [:]
    private var total = 0
    private var waiting: Set<Key> = []
    private var lastNumber: ConnectionID = 0
    private var returns: UInt64 = 0
    private(set) var isShutDown = false

    init(limits: Limits) { self.limits = limits }

    // MARK: Asking

    /// - Parameter waiter: Is put into the queue when there is nothing to lend.
    mutating func lease(_ key: Key, for waiter: WaiterID? = nil) -> Lease {
        guard !isShutDown else { return .shutDown }
        if let connection = takeIdle(key) { return .use(connection) }
        if let (number, closed) = startOpening(key) { return .open(number: number, closing: closed) }
        if let waiter {
            groups[key, default: Group()].waiters.append(waiter)
            waiting.insert(key)
        }
        return .wait
    }

    /// False when the waiter has been served already.
    mutating func stopWaiting(_ waiter: WaiterID, key: Key) -> Bool {
        guard let index = groups[key]?.waiters.firstIndex(of: waiter) else { return false }
        groups[key]?.waiters.remove(at: index)
        tidy(key)
        return true
    }

    // MARK: Telling

    /// Records a new connection as lent. False after a shutdown: close it.
    mutating func opened(_ id: ConnectionID, _ connection: Connection, key: Key) -> Bool {
        guard !isShutDown else { return false }
        groups[key]?.opening -= 1
        groups[key]?.lent.insert(id)
        connections[id] = Known(key: key, connection: connection)
        return true
    }

    mutating func openingFailed(key: Key) -> [Handover] {
        guard !isShutDown else { return [] }
        groups[key]?.opening -= 1
        uncount(key)
        return serve()
    }

    /// Takes a lent connection back. One that was closed meanwhile is not known any more.
    ///
    /// - Returns: Who gets what now, and the connection if it is to be closed.
    mutating func giveBack(_ id: ConnectionID) -> (handovers: [Handover], closing: Connection?) {
        guard let known = connections[id], groups[known.key]?.lent.remove(id) != nil else { return ([], nil) }
        if known.isRetired {
            forget(id, known)
            return (serve(), known.connection)
        }
        returns += 1
        connections[id]?.returned = returns
        groups[known.key]?.idle.append(id)
        return (serve(), nil)
    }

    /// Forgets a connection that is closed or will be.
    mutating func remove(_ id: ConnectionID) -> [Handover] {
        guard let known = connections[id] else { return [] }
        forget(id, known)
        return serve()
    }

    /// Forgets a connection if nobody has it: true means close it, as it does for one that nobody can get any more. Whoever waits
    /// could not use it and cannot use its room, or it would not be idle.
    mutating func expire(_ id: ConnectionID) -> Bool {
        guard let known = connections[id] else { return true }
        guard groups[known.key]?.idle.contains(id) == true else { return false }
        forget(id, known)
        return true
    }

    /// Lends the connections whose keys `isOld` holds for to nobody any more: idle ones are to be closed now, lent ones when
    /// they come back.
    mutating func retire(where isOld: (Key) -> Bool) -> (handovers: [Handover], closing: [Connection]) {
        var closing: [Connection] = []
        for (id, known) in connections where isOld(known.key) {
            if groups[known.key]?.idle.contains(id) == true {
                forget(id, known)
                closing.append(known.connection)
            } else {
                connections[id]?.isRetired = true
            }
        }
        return (serve(), closing)
    }

    /// Closes the pool for good; returns what is to be closed and who waits in vain.
    mutating func shutDown() -> (connections: [Connection], waiters: [WaiterID]) {
        isShutDown = true
        defer {
            groups = [:]
            connections = [:]
            waiting = []
        }
        return (connections.values.map(\.connection), groups.values.flatMap(\.waiters))
    }

    // MARK: Serving

    /// Whoever has waited longest among those who can be served, until nobody can.
    private mutating func serve() -> [Handover] {
        var handovers: [Handover] = []
        while !waiting.isEmpty {
            let next =
                waiting
                .compactMap { key in groups[key]?.waiters.first.map { (key: key, waiter: $0) } }
                .filter { canServe($0.key) }
                .min { $0.waiter < $1.waiter }
            guard let next else { break }
            if let connection = takeIdle(next.key) {
                handovers.append(.use(connection, by: next.waiter))
            } else if let (number, closed) = startOpening(next.key) {
                handovers.append(.open(number: number, closing: closed, by: next.waiter))
            } else {
                break
            }
            groups[next.key]?.waiters.removeFirst()
            tidy(next.key)
        }
        return handovers
    }

    private func canServe(_ key: Key) -> Bool {
        groups[key]?.idle.isEmpty == false || hasRoom(key.site) || victim(for: key.site) != nil
    }

    private mutating func takeIdle(_ key: Key) -> Connection? {
        guard let id = groups[key]?.idle.popLast(), let known = connections[id] else { return nil }
        groups[key]?.lent.insert(id)
        return known.connection
    }

    private mutating func startOpening(_ key: Key) -> (number: ConnectionID, closing: Connection?)? {
        var closed: Connection?
        if !hasRoom(key.site) {
            guard let id = victim(for: key.site), let known = connections[id] else { return nil }
            forget(id, known)
            closed = known.connection
        }
        groups[key, default: Group()].opening += 1
        counts[key.site, default: 0] += 1
        total += 1
        lastNumber += 1
        return (lastNumber, closed)
    }

    private func hasRoom(_ site: Key.Site) -> Bool { counts[site, default: 0] < limits.perSite && total < limits.total }

    /// The connection that has been idle longest among those whose end makes room at `site`.
    private func victim(for site: Key.Site) -> ConnectionID? {
        let isSiteFull = counts[site, default: 0] >= limits.perSite
        return groups.lazy
            .filter { !isSiteFull || $0.key.site == site }
            .compactMap { $0.value.idle.first }
            .min { connections[$0]?.returned ?? 0 < connections[$1]?.returned ?? 0 }
    }

    // MARK: Books

    var tally: ConnectionCounts {
        groups.values.reduce(into: ConnectionCounts()) { counts, group in
            counts.lent += group.lent.count
            counts.idle += group.idle.count
            counts.opening += group.opening
            counts.waiting += group.waiters.count
        }
    }

    private mutating func forget(_ id: ConnectionID, _ known: Known) {
        connections[id] = nil
        groups[known.key]?.lent.remove(id)
        groups[known.key]?.idle.removeAll { $0 == id }
        uncount(known.key)
    }

    private mutating func uncount(_ key: Key) {
        total -= 1
        if let count = counts[key.site] { counts[key.site] = count > 1 ? count - 1 : nil }
        tidy(key)
    }

    private mutating func tidy(_ key: Key) {
        guard let group = groups[key] else { return }
        if group.waiters.isEmpty { waiting.remove(key) }
        if group.isEmpty { groups[key] = nil }
    }
}
