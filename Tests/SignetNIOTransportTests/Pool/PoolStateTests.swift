import SignetHTTP
import SignetTesting
import Testing

@testable import SignetNIOTransport

@Suite struct PoolStateTests {
    /// A key for `site` and the user of the connection.
    struct Key: PoolPlacing {
        let site: String
        let user: Int
        init(_ site: String, _ user: Int = 0) {
            self.site = site
            self.user = user
        }
    }
    typealias Pool = PoolState<Key, Int>
    struct Unexpected: Error {}
    let a = Key("a")
    let b = Key("b")

    /// Opens a connection for a call; no other call gets anything by it.
    func open(_ pool: inout Pool, _ key: Key, capacity: Int = 1, closing expected: Int? = nil) throws -> Int {
        guard case .open(let id, expected) = pool.lease(key) else { throw Unexpected() }
        let (isAccepted, handovers) = pool.opened(id, id, key: key, capacity: capacity)
        #expect(isAccepted && handovers.isEmpty)
        return id
    }

    func isWaiting(_ pool: inout Pool, _ key: Key, _ waiter: UInt64, expecting capacity: Int = 1) -> Bool {
        if case .wait = pool.lease(key, for: waiter, expecting: capacity) { true } else { false }
    }

    @Test func thePoolLendsOnlyIdleConnectionsOfTheSameKey() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let first = try open(&pool, a)
        let (handovers, _) = pool.giveBack(first)
        #expect(handovers.isEmpty)
        guard case .open(_, closing: nil) = pool.lease(Key("a", 1)) else { throw Unexpected() }
        guard case .use(first) = pool.lease(a) else { throw Unexpected() }
        #expect(isWaiting(&pool, a, 1))
    }

    @Test func waitersAreServedInOrder() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a)
        for waiter: UInt64 in 1...3 { #expect(isWaiting(&pool, a, waiter)) }
        #expect(pool.stopWaiting(2, key: a) == true)
        #expect(pool.stopWaiting(2, key: a) == false)
        guard case .use(id, by: 1) = pool.giveBack(id).handovers.first else { throw Unexpected() }
        // A connection that is lost makes room for a new one.
        guard case .open(number: 2, closing: nil, by: 3) = pool.remove(id).first else { throw Unexpected() }
        #expect(pool.giveBack(id).handovers.count == 0)
        #expect(pool.openingFailed(key: a).count == 0)
        guard case .open(number: 3, closing: nil) = pool.lease(a) else { throw Unexpected() }
    }

    @Test func aFailureToOpenPassesTheOrderOn() throws {
        var pool = Pool(limits: .init(perSite: 1))
        guard case .open = pool.lease(a), isWaiting(&pool, a, 7) else { throw Unexpected() }
        guard case .open(number: 2, closing: nil, by: 7) = pool.openingFailed(key: a).first else { throw Unexpected() }
    }

    /// Places of keys that nothing uses any more are given to others.
    @Test func keysComeAndGo() throws {
        var pool = Pool(limits: .init(perSite: 2, total: 3))
        for round in 0..<50 {
            let (key, other) = (Key("site \(round)"), Key("site \(round)", 1))
            let first = try open(&pool, key)
            let second = try open(&pool, other)
            // The site is full, and no caller waits.
            guard case .wait = pool.lease(Key("site \(round)", 2)) else { throw Unexpected() }
            _ = pool.giveBack(first)
            // The idle one makes room; its key, which nothing else uses, goes with it.
            guard case .open(let third, closing: first) = pool.lease(other) else { throw Unexpected() }
            let isOpen = pool.opened(third, third, key: other, capacity: 1).isAccepted
            #expect(isOpen)
            _ = pool.giveBack(second)
            guard case .use(second) = pool.lease(other) else { throw Unexpected() }
            #expect(pool.remove(second).isEmpty && pool.remove(third).isEmpty)
            #expect(pool.remove(first).isEmpty && pool.giveBack(third).handovers.isEmpty)
            #expect(pool.tally == ConnectionCounts())
        }
    }

    @Test func onlyIdleConnectionsExpire() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a)
        #expect(pool.expire(id) == false)
        _ = pool.giveBack(id)
        #expect(pool.expire(id) == true)
        // A connection that the pool does not know can never be used again.
        #expect(pool.expire(id) == true)
        _ = try open(&pool, a)
    }

    @Test func aFloorOfConnectionsDoesNotExpire() throws {
        var pool = Pool(limits: .init(perSite: 3))
        let ids = [try open(&pool, a), try open(&pool, a), try open(&pool, a)]
        for id in ids { _ = pool.giveBack(id) }
        #expect(pool.openCount(of: a) == 3)
        #expect(pool.openCount(of: b) == 0)
        // One that carries a call is one of those that stay.
        guard case .use = pool.lease(a) else { throw Unexpected() }
        let expired = [
            pool.expire(ids[0], keeping: 2), pool.expire(ids[1], keeping: 2), pool.expire(ids[1], keeping: 1),
        ]
        #expect(expired == [true, false, true])
    }

    @Test func connectionsAheadOfNeedTakeNoRoomFromOthers() throws {
        var pool = Pool(limits: .init(perSite: 2, total: 3))
        guard let first = pool.openAhead(a, upTo: 2), let second = pool.openAhead(a, upTo: 2) else {
            throw Unexpected()
        }
        let more = [pool.openAhead(a, upTo: 2), pool.openAhead(a, upTo: 3)]
        #expect(more == [nil, nil], "there are enough, and the site is full")
        let isOpen = pool.opened(first, first, key: a, capacity: 1).isAccepted
        #expect(isOpen)
        _ = pool.giveBack(first)
        #expect(pool.openingFailed(key: a).isEmpty)
        #expect(pool.openCount(of: a) == 1)
        let others = [try open(&pool, b), try open(&pool, b)]
        let crowded = pool.openAhead(a, upTo: 2)
        #expect(crowded == nil, "an idle connection elsewhere is not closed for it")
        for id in others { _ = pool.remove(id) }
        guard let third = pool.openAhead(a, upTo: 2) else { throw Unexpected() }
        #expect(third > second)
        _ = pool.shutDown()
        let late = pool.openAhead(a, upTo: 3)
        #expect(late == nil)
    }

    @Test func aSuspendedPoolKeepsNothing() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let (idle, lent) = (try open(&pool, a), try open(&pool, a))
        _ = pool.giveBack(idle)
        #expect(pool.suspend().closing == [idle])
        let ahead = pool.openAhead(a, upTo: 2)
        #expect(ahead == nil)
        #expect(pool.giveBack(lent).closing == lent)
        let late = try open(&pool, a)
        #expect(pool.giveBack(late).closing == late)
        let across = try open(&pool, a)
        #expect(pool.resume().closing.isEmpty)
        // Opened before: the network may be another one.
        #expect(pool.giveBack(across).closing == across)
        let new = try open(&pool, a)
        #expect(pool.giveBack(new).closing == nil)
        guard case .use(new) = pool.lease(a) else { throw Unexpected() }
    }

    @Test func nothingIsLentAfterTheEnd() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a)
        guard isWaiting(&pool, a, 1), case .open(let opening, _) = pool.lease(b) else { throw Unexpected() }
        let ended = pool.shutDown()
        #expect(pool.stopWaiting(1, key: a) == false && pool.remove(id).isEmpty && pool.expire(id))
        #expect(ended.connections == [id])
        #expect(ended.waiters == [1])
        #expect(pool.opened(opening, opening, key: b, capacity: 1).isAccepted == false)
        #expect(pool.openingFailed(key: b).count == 0)
        #expect(pool.giveBack(id).handovers.count == 0)
        guard case .shutDown = pool.lease(a) else { throw Unexpected() }
    }

    @Test func anIdleConnectionMakesRoomForAnotherUserOfItsSite() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let first = try open(&pool, a)
        let second = try open(&pool, a)
        _ = pool.giveBack(second)
        _ = pool.giveBack(first)
        // The one that has been idle longest.
        _ = try open(&pool, Key("a", 1), closing: second)
        _ = try open(&pool, Key("a", 2), closing: first)
        #expect(isWaiting(&pool, a, 1))
    }

    @Test func theTotalLimitHoldsForAllSites() throws {
        var pool = Pool(limits: .init(perSite: 2, total: 2))
        let first = try open(&pool, a)
        let second = try open(&pool, b)
        #expect(isWaiting(&pool, Key("c"), 1))
        #expect(isWaiting(&pool, b, 2))
        // The first waiting call is served first, although the other could use the connection as it is.
        let (handovers, closing) = pool.giveBack(second)
        #expect(closing == nil)
        guard case .open(_, closing: second, by: 1) = handovers.first, handovers.count == 1 else { throw Unexpected() }
        guard case .open(_, closing: first, by: 2) = pool.giveBack(first).handovers.first else { throw Unexpected() }
    }

    @Test func aFullSiteDoesNotHoldUpOthers() throws {
        var pool = Pool(limits: .init(perSite: 1, total: 3))
        let first = try open(&pool, a)
        #expect(isWaiting(&pool, a, 1))
        let second = try open(&pool, b)
        #expect(pool.giveBack(second).handovers.count == 0)
        guard case .use(first, by: 1) = pool.giveBack(first).handovers.first else { throw Unexpected() }
    }

    @Test func oldConnectionsDrain() throws {
        var pool = Pool(limits: .init(perSite: 4))
        let lent = try open(&pool, a)
        let idle = try open(&pool, a)
        let other = try open(&pool, Key("a", 1))
        _ = pool.giveBack(idle)
        let (handovers, closing) = pool.retire { $0 == a }
        #expect(handovers.isEmpty && closing == [idle])
        #expect(pool.giveBack(lent).closing == lent)
        #expect(pool.giveBack(other).closing == nil)
        _ = try open(&pool, a)
    }

    @Test func allSitesAreCountedTogether() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let lent = try open(&pool, a)
        _ = try open(&pool, Key("a", 1))
        _ = pool.giveBack(try open(&pool, b))
        guard case .open = pool.lease(Key("b", 1)), isWaiting(&pool, a, 1) else { throw Unexpected() }
        var expected = ConnectionCounts()
        (expected.lent, expected.idle, expected.opening, expected.waiting) = (2, 1, 1, 1)
        #expect(pool.tally == expected)
        _ = pool.giveBack(lent)
        expected.waiting = 0
        #expect(pool.tally == expected)
        _ = pool.shutDown()
        #expect(pool.tally == ConnectionCounts())
    }

    /// Random steps, checked against the rules: limits hold, nothing is lent twice or to a stranger, no caller waits in
    /// vain, and books are balanced at the end.
    @Test(arguments: 0..<40)
    func poolRulesHoldForRandomEvents(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let limits = Pool.Limits(perSite: 1 + Int(seed % 3), total: 2 + Int(seed % 4))
        var pool = Pool(limits: limits)
        var lent: [Int: Key] = [:]
        var opening: [(Int, Key)] = []
        var idle: [Int: Key] = [:]
        var queue: [(UInt64, Key)] = []
        var waiter: UInt64 = 0

        func take(_ handovers: [Pool.Handover]) {
            for handover in handovers {
                let (by, closing): (UInt64, Int?)
                switch handover {
                case .use(let id, let waiter):
                    (by, closing) = (waiter, nil)
                    let key = queue.first { $0.0 == waiter }?.1
                    #expect(idle[id] == key)
                    idle[id] = nil
                    lent[id] = key
                case .open(let number, let victim, let waiter):
                    (by, closing) = (waiter, victim)
                    if let key = queue.first(where: { $0.0 == waiter })?.1 { opening.append((number, key)) }
                }
                if let closing { #expect(idle.removeValue(forKey: closing) != nil) }
                #expect(queue.contains { $0.0 == by })
                queue.removeAll { $0.0 == by }
            }
        }
        for _ in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3:
                let key = Key(
                    "abc".randomElement(using: &random).map(String.init) ?? "", Int.random(in: 0...1, using: &random))
                waiter += 1
                switch pool.lease(key, for: waiter) {
                case .use(let id):
                    #expect(idle[id] == key)
                    idle[id] = nil
                    lent[id] = key
                case .open(let number, let closing):
                    if let closing { #expect(idle.removeValue(forKey: closing) != nil) }
                    opening.append((number, key))
                case .wait: queue.append((waiter, key))
                case .shutDown: Issue.record("It was not shut down.")
                }
            case 4, 5:
                guard let (number, key) = opening.popLast() else { continue }
                if Bool.random(using: &random) {
                    let (isAccepted, handovers) = pool.opened(number, number, key: key, capacity: 1)
                    #expect(isAccepted && handovers.isEmpty)
                    lent[number] = key
                } else {
                    take(pool.openingFailed(key: key))
                }
            case 6, 7:
                guard let (id, key) = lent.randomElement(using: &random) else { continue }
                lent[id] = nil
                idle[id] = key
                take(pool.giveBack(id).handovers)
            case 8:
                guard
                    let id = [lent.keys.randomElement(using: &random), idle.keys.randomElement(using: &random)]
                        .compactMap({ $0 }).randomElement(using: &random)
                else { continue }
                lent[id] = nil
                idle[id] = nil
                take(pool.remove(id))
            default:
                guard let (number, key) = queue.randomElement(using: &random) else { continue }
                #expect(pool.stopWaiting(number, key: key) == true)
                queue.removeAll { $0.0 == number }
            }
            let open = Array(lent.values) + Array(idle.values) + opening.map(\.1)
            #expect(open.count <= limits.total)
            for site in ["a", "b", "c"] {
                let count = open.count { $0.site == site }
                #expect(count <= limits.perSite)
                guard queue.contains(where: { $0.1.site == site }) else { continue }
                // A caller waits, so there is neither room nor an idle connection whose end would make room.
                #expect(count >= limits.perSite || open.count >= limits.total)
                #expect(!idle.values.contains { $0.site == site })
                #expect(count >= limits.perSite || idle.isEmpty)
            }
        }
        let ended = pool.shutDown()
        #expect(Set(ended.connections) == Set(lent.keys).union(idle.keys))
        #expect(Set(ended.waiters) == Set(queue.map(\.0)))
    }
}
