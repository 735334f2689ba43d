import SignetHTTP

/// The key of a connection. A call with one key never gets a connection of another.
protocol PoolPlacing: Hashable, Sendable {
    associatedtype Site: Hashable, Sendable
    /// The site whose connections are counted together, whatever their keys.
    var site: Site { get }
}

/// Which connections are lent, idle or being opened, and which calls wait. A value without I/O.
///
/// All keys share one fair queue: a connection, or the room for one, goes to the call that has waited longest and can
/// use it. An idle connection makes room for one that a call waits for: the longest idle one is closed.
struct PoolState<Key: PoolPlacing, Connection: Sendable>: Sendable {
    typealias ConnectionID = Int
    /// Grows with every waiter, so that a smaller one came earlier.
    typealias WaiterID = UInt64

    /// How many connections may be open at the same time: idle, lent and being opened.
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
        /// Open a connection; then call ``opened(_:_:key:)`` or ``openingFailed(key:)``. Close the other connection, if
        /// there is one.
        case open(number: ConnectionID, closing: Connection?)
        /// The limit is reached: if a waiter was given, a ``Handover`` follows for it.
        case wait
        case shutDown
    }

    /// What a waiter gets.
    enum Handover: Sendable {
        case use(Connection, by: WaiterID)
        case open(number: ConnectionID, closing: Connection?, by: WaiterID)
    }

    /// An index of ``groups``. Finding a group by its key takes longer, since the key has to be hashed.
    private typealias GroupID = Int

    private struct Idle {
        let id: ConnectionID
        /// The number of the return after which it became idle.
        let since: UInt64
    }

    private struct Group {
        let key: Key
        /// The last one returned is lent first, so that those which are not needed become old.
        var idle: [Idle] = []
        var lent: Set<ConnectionID> = []
        var opening = 0
        /// In the order of arrival.
        var waiters: [WaiterID] = []

        var count: Int { idle.count + lent.count + opening }
        var isEmpty: Bool { count == 0 && waiters.isEmpty }

        func isIdle(_ id: ConnectionID) -> Bool { idle.contains { $0.id == id } }

        mutating func takeIdle() -> ConnectionID? {
            guard let id = idle.popLast()?.id else { return nil }
            lent.insert(id)
            return id
        }
    }

    private struct Known {
        let group: GroupID
        let connection: Connection
        /// The connection is closed when a call returns it.
        var isRetired = false
    }

    private let limits: Limits
    private var identifiers: [Key: GroupID] = [:]
    private var groups: [Group?] = []
    private var freeGroups: [GroupID] = []
    private var connections: [ConnectionID: Known] = [:]
    private var counts: [Key.Site: Int] = [:]
    private var total = 0
    private var waiting: Set<GroupID> = []
    private var lastNumber: ConnectionID = 0
    private var returns: UInt64 = 0
    private(set) var isShutDown = false
    /// Whether no connections are kept.
    private var isSuspended = false

    init(limits: Limits) { self.limits = limits }

    // MARK: Asking

    /// - Parameter waiter: is added to the queue when there is nothing to lend.
    mutating func lease(_ key: Key, for waiter: WaiterID? = nil) -> Lease {
        guard !isShutDown else { return .shutDown }
        let known = identifiers[key]
        if let known, let connection = takeIdle(known) { return .use(connection) }
        let group = known ?? add(key)
        if let (number, closed) = startOpening(group, key.site) { return .open(number: number, closing: closed) }
        if let waiter {
            groups[group]?.waiters.append(waiter)
            waiting.insert(group)
        } else {
            tidy(group)
        }
        return .wait
    }

    /// False when the waiter has already got its connection.
    mutating func stopWaiting(_ waiter: WaiterID, key: Key) -> Bool {
        guard let group = identifiers[key], let index = groups[group]?.waiters.firstIndex(of: waiter) else {
            return false
        }
        groups[group]?.waiters.remove(at: index)
        tidy(group)
        return true
    }

    // MARK: Telling

    /// Records a new connection as lent. False after a shutdown: close it.
    mutating func opened(_ id: ConnectionID, _ connection: Connection, key: Key) -> Bool {
        guard !isShutDown, let group = identifiers[key] else { return false }
        groups[group]?.opening -= 1
        groups[group]?.lent.insert(id)
        connections[id] = Known(group: group, connection: connection)
        return true
    }

    mutating func openingFailed(key: Key) -> [Handover] {
        guard !isShutDown, let group = identifiers[key] else { return [] }
        groups[group]?.opening -= 1
        uncount(group)
        return serve()
    }

    /// Takes a lent connection back. If it was closed meanwhile, it is no longer known.
    ///
    /// - Returns: the waiters that get something now, and the connection if it must be closed.
    mutating func giveBack(_ id: ConnectionID) -> (handovers: [Handover], closing: Connection?) {
        guard let known = connections[id], groups[known.group]?.lent.remove(id) != nil else { return ([], nil) }
        if known.isRetired || isSuspended {
            forget(id, known)
            return (serve(), known.connection)
        }
        returns += 1
        groups[known.group]?.idle.append(Idle(id: id, since: returns))
        return (serve(), nil)
    }

    /// Forgets a connection that is closed or will be.
    mutating func remove(_ id: ConnectionID) -> [Handover] {
        guard let known = connections[id] else { return [] }
        forget(id, known)
        return serve()
    }

    /// Forgets a connection that no call has. True means that it must be closed, also when no call can get it any more.
    /// No waiting call could use it or its room, or it would not be idle.
    ///
    /// - Parameter floor: how many connections its key must have afterwards; if there would be fewer, it stays.
    mutating func expire(_ id: ConnectionID, keeping floor: Int = 0) -> Bool {
        guard let known = connections[id] else { return true }
        guard let group = groups[known.group], group.isIdle(id), group.count > floor else { return false }
        forget(id, known)
        return true
    }

    /// Starts to open a connection for which no call waits; nil when there are enough, or no room. Then call
    /// ``opened(_:_:key:)`` or ``openingFailed(key:)``.
    mutating func openAhead(_ key: Key, upTo count: Int) -> ConnectionID? {
        guard !isShutDown, !isSuspended, openCount(of: key) < count, hasRoom(key.site) else { return nil }
        return startOpening(identifiers[key] ?? add(key), key.site)?.number
    }

    /// The connections of a key: idle, lent and being opened.
    func openCount(of key: Key) -> Int { identifiers[key].flatMap { groups[$0]?.count } ?? 0 }

    /// From now on, connections are closed when calls return them. Close the idle ones now.
    mutating func suspend() -> (handovers: [Handover], closing: [Connection]) {
        isSuspended = true
        return retire { _ in true }
    }

    /// Keeps connections again. Those that stayed open are closed: the device may be in another network.
    mutating func resume() -> (handovers: [Handover], closing: [Connection]) {
        isSuspended = false
        return retire { _ in true }
    }

    /// Stops lending the connections whose keys satisfy `isOld`: close idle ones now, lent ones when calls return them.
    mutating func retire(where isOld: (Key) -> Bool) -> (handovers: [Handover], closing: [Connection]) {
        var closing: [Connection] = []
        for (id, known) in connections where groups[known.group].map({ isOld($0.key) }) == true {
            if groups[known.group]?.isIdle(id) == true {
                forget(id, known)
                closing.append(known.connection)
            } else {
                connections[id]?.isRetired = true
            }
        }
        return (serve(), closing)
    }

    /// Closes the pool for good. Returns the connections to close, and the waiters that get none.
    mutating func shutDown() -> (connections: [Connection], waiters: [WaiterID]) {
        isShutDown = true
        defer {
            identifiers = [:]
            groups = []
            freeGroups = []
            connections = [:]
            waiting = []
        }
        return (connections.values.map(\.connection), groups.flatMap { $0?.waiters ?? [] })
    }

    // MARK: Serving

    /// Serves the call that has waited longest among those that can be served, until none is left.
    private mutating func serve() -> [Handover] {
        var handovers: [Handover] = []
        while !waiting.isEmpty {
            let next =
                waiting
                .compactMap { group in groups[group]?.waiters.first.map { (group: group, waiter: $0) } }
                .filter { canServe($0.group) }
                .min { $0.waiter < $1.waiter }
            guard let next else { break }
            if let connection = takeIdle(next.group) {
                handovers.append(.use(connection, by: next.waiter))
            } else if let site = groups[next.group]?.key.site, let (number, closed) = startOpening(next.group, site) {
                handovers.append(.open(number: number, closing: closed, by: next.waiter))
            } else {
                break
            }
            groups[next.group]?.waiters.removeFirst()
            tidy(next.group)
        }
        return handovers
    }

    private func canServe(_ id: GroupID) -> Bool {
        guard let group = groups[id] else { return false }
        return !group.idle.isEmpty || hasRoom(group.key.site) || victim(for: group.key.site) != nil
    }

    private mutating func takeIdle(_ group: GroupID) -> Connection? {
        guard let id = groups[group]?.takeIdle() else { return nil }
        return connections[id]?.connection
    }

    private mutating func startOpening(
        _ group: GroupID, _ site: Key.Site
    ) -> (number: ConnectionID, closing: Connection?)? {
        var closed: Connection?
        if !hasRoom(site) {
            guard let id = victim(for: site), let known = connections[id] else { return nil }
            forget(id, known)
            closed = known.connection
        }
        groups[group]?.opening += 1
        counts[site, default: 0] += 1
        total += 1
        lastNumber += 1
        return (lastNumber, closed)
    }

    private func hasRoom(_ site: Key.Site) -> Bool { counts[site, default: 0] < limits.perSite && total < limits.total }

    /// The longest idle connection among those that make room at `site` when they are closed.
    private func victim(for site: Key.Site) -> ConnectionID? {
        let isSiteFull = counts[site, default: 0] >= limits.perSite
        return groups.lazy.compactMap { $0 }
            .filter { !isSiteFull || $0.key.site == site }
            .compactMap(\.idle.first)
            .min { $0.since < $1.since }?.id
    }

    // MARK: Bookkeeping

    var tally: ConnectionCounts {
        groups.lazy.compactMap { $0 }.reduce(into: ConnectionCounts()) { counts, group in
            counts.lent += group.lent.count
            counts.idle += group.idle.count
            counts.opening += group.opening
            counts.waiting += group.waiters.count
        }
    }

    private mutating func forget(_ id: ConnectionID, _ known: Known) {
        connections[id] = nil
        groups[known.group]?.lent.remove(id)
        groups[known.group]?.idle.removeAll { $0.id == id }
        uncount(known.group)
    }

    private mutating func uncount(_ group: GroupID) {
        total -= 1
        if let site = groups[group]?.key.site, let count = counts[site] { counts[site] = count > 1 ? count - 1 : nil }
        tidy(group)
    }

    private mutating func add(_ key: Key) -> GroupID {
        let group = freeGroups.popLast() ?? groups.endIndex
        if group == groups.endIndex { groups.append(nil) }
        groups[group] = Group(key: key)
        identifiers[key] = group
        return group
    }

    private mutating func tidy(_ id: GroupID) {
        guard let group = groups[id] else { return }
        if group.waiters.isEmpty { waiting.remove(id) }
        guard group.isEmpty else { return }
        groups[id] = nil
        freeGroups.append(id)
        identifiers[group.key] = nil
    }
}
