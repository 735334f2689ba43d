import SignetHTTP

/// The key of a connection. A call with one key never gets a connection of another.
protocol PoolPlacing: Hashable, Sendable {
    associatedtype Site: Hashable, Sendable
    /// The site whose connections are counted together, whatever their keys.
    var site: Site { get }
}

/// Which connections are lent, idle or being opened, and which calls wait. A value without I/O.
///
/// A connection is lent to as many calls at once as its capacity says, and is idle when no call uses it. All keys share
/// one fair queue: a connection, or the room for one, goes to the call that has waited longest and can use it. An idle
/// connection makes room for one that a call waits for: the longest idle one is closed.
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
        /// Open a connection; then call ``opened(_:_:key:capacity:)`` or ``openingFailed(key:)``. Close the other
        /// connection, if there is one.
        case open(number: ConnectionID, closing: Connection?)
        /// The limit is reached, or a connection that is being opened will probably have room for the call: if a waiter
        /// was given, a ``Handover`` follows for it.
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
        /// The number of the change by which it became idle.
        let since: UInt64
    }

    /// The connections of a key, and the calls that wait for one.
    private struct Group {
        let key: Key
        /// In the order in which they became idle.
        var idle: [Idle] = []
        var shared: [ConnectionID] = []
        /// How many connections are full.
        var full = 0
        var opening = 0
        /// The capacity that a new connection will probably have: that of the last one.
        var expectedCapacity: Int
        /// In the order of arrival.
        var waiters: [WaiterID] = []

        var lent: Int { shared.count + full }
        var count: Int { idle.count + lent + opening }
        var isEmpty: Bool { count == 0 && waiters.isEmpty }

        /// Whether the connections that are being opened will probably have room for a call, for the `others` that wait,
        /// and for the calls that open them.
        func willHaveRoom(beside others: Int) -> Bool { opening > 0 && others / opening + 1 < expectedCapacity }

        /// - Parameters:
        ///   - old: nil for a new connection.
        ///   - new: nil for one that is closed or will be.
        mutating func move(_ id: ConnectionID, from old: Use?, to new: Use?, change: UInt64) {
            switch old {
            case .idle: if let index = idle.lastIndex(where: { $0.id == id }) { idle.remove(at: index) }
            case .shared: shared.removeAll { $0 == id }
            case .full: full -= 1
            case nil: break
            }
            switch new {
            case .idle: idle.append(Idle(id: id, since: change))
            case .shared: shared.append(id)
            case .full: full += 1
            case nil: break
            }
        }
    }

    private enum Use {
        case idle
        /// Lent, and more calls may use it.
        case shared
        /// Lent, and no more calls may use it.
        case full
    }

    private struct Known {
        let group: GroupID
        let connection: Connection
        /// How many calls may use it at once.
        var capacity: Int
        var users = 1
        /// No more calls get the connection. It is closed when the last one returns it.
        var isRetired = false

        var use: Use { users == 0 ? .idle : users < capacity && !isRetired ? .shared : .full }
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
    private var lastChange: UInt64 = 0
    private(set) var isShutDown = false
    /// Whether no connections are kept.
    private var isSuspended = false

    init(limits: Limits) { self.limits = limits }

    // MARK: Asking

    /// - Parameters:
    ///   - waiter: is added to the queue when there is nothing to lend.
    ///   - capacity: the capacity that a new connection will probably have. It counts for a key that the pool does not
    ///     know; afterwards, the last connection shows it. No more connections are opened while those that are being
    ///     opened will have room for all waiting calls.
    mutating func lease(_ key: Key, for waiter: WaiterID? = nil, expecting capacity: Int = 1) -> Lease {
        guard !isShutDown else { return .shutDown }
        let group = identifiers[key] ?? add(key, expecting: capacity)
        if let connection = lend(group) { return .use(connection) }
        if groups[group].map({ $0.willHaveRoom(beside: $0.waiters.count) }) == false,
            let (number, closed) = startOpening(group, key.site)
        {
            return .open(number: number, closing: closed)
        }
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

    /// Records a new connection as lent to the call that has opened it.
    ///
    /// - Parameter capacity: how many calls may use it at once.
    /// - Returns: false after a shutdown, when it must be closed; the waiters that get something now.
    mutating func opened(
        _ id: ConnectionID, _ connection: Connection, key: Key, capacity: Int
    ) -> (isAccepted: Bool, handovers: [Handover]) {
        guard !isShutDown, let group = identifiers[key] else { return (false, []) }
        groups[group]?.opening -= 1
        groups[group]?.expectedCapacity = capacity
        let known = Known(group: group, connection: connection, capacity: capacity)
        connections[id] = known
        move(id, in: group, from: nil, to: known.use)
        return (true, serve())
    }

    mutating func openingFailed(key: Key) -> [Handover] {
        guard !isShutDown, let group = identifiers[key] else { return [] }
        groups[group]?.opening -= 1
        // The calls that counted on this connection open their own, and not one after the other.
        groups[group]?.expectedCapacity = 1
        uncount(group)
        return serve()
    }

    /// Records that a connection now has another capacity. Calls that use it keep it, also when they are more than that.
    mutating func resize(_ id: ConnectionID, to capacity: Int) -> [Handover] {
        guard let known = update(id, { $0.capacity = capacity }) else { return [] }
        groups[known.group]?.expectedCapacity = capacity
        return serve()
    }

    /// Takes a connection back from one of the calls to which it is lent. If it was closed meanwhile, it is no longer
    /// known.
    ///
    /// - Returns: the waiters that get something now, and the connection if it must be closed.
    mutating func giveBack(_ id: ConnectionID) -> (handovers: [Handover], closing: Connection?) {
        guard let known = update(id, { $0.users = max(0, $0.users - 1) }) else { return ([], nil) }
        let closing = known.use == .idle && (known.isRetired || isSuspended) ? forget(id) : nil
        return (serve(), closing)
    }

    /// Forgets a connection that is closed or will be.
    mutating func remove(_ id: ConnectionID) -> [Handover] {
        forget(id)
        return serve()
    }

    /// Stops lending a connection: it is closed when the last call returns it.
    ///
    /// - Returns: the waiters that get something now, and the connection if no call has it: close it now.
    mutating func retire(_ id: ConnectionID) -> (handovers: [Handover], closing: Connection?) {
        let closing = stopLending(id)
        return (serve(), closing)
    }

    /// Forgets a connection that no call has. True means that it must be closed, also when no call can get it any more.
    /// No waiting call could use it or its room, or it would not be idle.
    ///
    /// - Parameter floor: how many connections its key must have afterwards; if there would be fewer, it stays.
    mutating func expire(_ id: ConnectionID, keeping floor: Int = 0) -> Bool {
        guard let known = connections[id] else { return true }
        guard known.use == .idle, let group = groups[known.group], group.count > floor else { return false }
        forget(id)
        return true
    }

    /// Starts to open a connection for which no call waits; nil when there are enough, or no room. Then call
    /// ``opened(_:_:key:capacity:)`` or ``openingFailed(key:)``.
    ///
    /// - Parameter capacity: as for ``lease(_:for:expecting:)``.
    mutating func openAhead(_ key: Key, upTo count: Int, expecting capacity: Int = 1) -> ConnectionID? {
        guard !isShutDown, !isSuspended, openCount(of: key) < count, hasRoom(key.site) else { return nil }
        return startOpening(identifiers[key] ?? add(key, expecting: capacity), key.site)?.number
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

    /// Stops lending the connections whose keys satisfy `isOld`: close idle ones now. Lent ones are closed when the last
    /// call returns them.
    mutating func retire(where isOld: (Key) -> Bool) -> (handovers: [Handover], closing: [Connection]) {
        var closing: [Connection] = []
        for (id, known) in connections where groups[known.group].map({ isOld($0.key) }) == true {
            if let idle = stopLending(id) { closing.append(idle) }
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
            if let connection = lend(next.group) {
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
        return lendable(id) != nil
            || !group.willHaveRoom(beside: group.waiters.count - 1)
                && (hasRoom(group.key.site) || victim(for: group.key.site) != nil)
    }

    private mutating func lend(_ group: GroupID) -> Connection? {
        guard let id = lendable(group) else { return nil }
        return update(id) { $0.users += 1 }?.connection
    }

    /// The fullest of the lent connections that more calls may use, so that those which are not needed become idle;
    /// otherwise the idle one that was returned last, so that the others become old.
    private func lendable(_ group: GroupID) -> ConnectionID? {
        guard let group = groups[group] else { return nil }
        return group.shared.max { users(of: $0) < users(of: $1) } ?? group.idle.last { capacity(of: $0.id) > 0 }?.id
    }

    private func users(of id: ConnectionID) -> Int { connections[id]?.users ?? 0 }

    private func capacity(of id: ConnectionID) -> Int { connections[id]?.capacity ?? 0 }

    private mutating func startOpening(
        _ group: GroupID, _ site: Key.Site
    ) -> (number: ConnectionID, closing: Connection?)? {
        let victim = hasRoom(site) ? nil : victim(for: site)
        guard victim != nil || hasRoom(site) else { return nil }
        // Counted first: a key is forgotten with its last connection, and the victim may be that.
        groups[group]?.opening += 1
        counts[site, default: 0] += 1
        total += 1
        lastNumber += 1
        return (lastNumber, victim.flatMap { forget($0) })
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
            counts.lent += group.lent
            counts.idle += group.idle.count
            counts.opening += group.opening
            counts.waiting += group.waiters.count
        }
    }

    /// Stops lending a connection. Returns it if no call has it; it is then forgotten, and must be closed.
    private mutating func stopLending(_ id: ConnectionID) -> Connection? {
        guard update(id, { $0.isRetired = true })?.use == .idle else { return nil }
        return forget(id)
    }

    @discardableResult
    private mutating func forget(_ id: ConnectionID) -> Connection? {
        guard let known = connections.removeValue(forKey: id) else { return nil }
        move(id, in: known.group, from: known.use, to: nil)
        uncount(known.group)
        return known.connection
    }

    /// Changes what is known of a connection, and returns it.
    private mutating func update(_ id: ConnectionID, _ change: (inout Known) -> Void) -> Known? {
        guard let index = connections.index(forKey: id) else { return nil }
        let old = connections.values[index].use
        change(&connections.values[index])
        let known = connections.values[index]
        move(id, in: known.group, from: old, to: known.use)
        return known
    }

    private mutating func move(_ id: ConnectionID, in group: GroupID, from old: Use?, to new: Use?) {
        guard old != new else { return }
        lastChange += 1
        groups[group]?.move(id, from: old, to: new, change: lastChange)
    }

    private mutating func uncount(_ group: GroupID) {
        total -= 1
        if let site = groups[group]?.key.site, let count = counts[site] { counts[site] = count > 1 ? count - 1 : nil }
        tidy(group)
    }

    private mutating func add(_ key: Key, expecting capacity: Int) -> GroupID {
        let group = freeGroups.popLast() ?? groups.endIndex
        if group == groups.endIndex { groups.append(nil) }
        groups[group] = Group(key: key, expectedCapacity: capacity)
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
