import SignetHTTP
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Connections that carry several calls at once.
extension PoolStateTests {
    private func served(_ handovers: [Pool.Handover]) -> [Served] { handovers.map { Served($0) } }

    private func lease(_ pool: inout Pool, _ key: Key, expecting capacity: Int = 1) -> Answer {
        Answer(pool.lease(key, expecting: capacity))
    }

    // MARK: Filling

    @Test func aConnectionIsFilledBeforeAnotherIsOpened() throws {
        var pool = Pool(limits: .init(perSite: 4))
        let first = try open(&pool, a, capacity: 3)
        for _ in 0..<2 { #expect(lease(&pool, a) == .use(first)) }
        let second = try open(&pool, a, capacity: 3)
        #expect(pool.giveBack(first).closing == nil)
        // Two calls use the first one, and one call uses the second.
        #expect(lease(&pool, a) == .use(first))
        for _ in 0..<2 { #expect(lease(&pool, a) == .use(second)) }
        #expect(lease(&pool, a) == .open(3, closing: nil))
    }

    @Test func aSharedConnectionIsLentBeforeAnIdleOne() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let (first, second) = (try open(&pool, a), try open(&pool, a, capacity: 2))
        _ = pool.giveBack(first)
        #expect(lease(&pool, a) == .use(second))
        #expect(lease(&pool, a) == .use(first))
        #expect(lease(&pool, a) == .wait)
    }

    @Test func aSharedConnectionIsOnlyForItsKey() throws {
        var pool = Pool(limits: .init(perSite: 2))
        _ = try open(&pool, a, capacity: 100)
        #expect(lease(&pool, Key("a", 1)) == .open(2, closing: nil))
    }

    @Test func aConnectionIsIdleWhenTheLastCallReturnsIt() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 2)
        #expect(lease(&pool, a) == .use(id))
        var expected = ConnectionCounts()
        expected.lent = 1
        #expect(pool.tally == expected)
        _ = pool.giveBack(id)
        #expect(pool.tally == expected)
        (expected.lent, expected.idle) = (0, 1)
        // A return too many changes nothing.
        for _ in 0..<2 {
            _ = pool.giveBack(id)
            #expect(pool.tally == expected && pool.openCount(of: a) == 1)
        }
    }

    @Test func aConnectionInUseIsNoVictimAndDoesNotExpire() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 3)
        #expect(lease(&pool, a) == .use(id))
        _ = pool.giveBack(id)
        #expect(lease(&pool, Key("a", 1)) == .wait)
        #expect(pool.expire(id) == false)
        _ = pool.giveBack(id)
        #expect(lease(&pool, Key("a", 1)) == .open(2, closing: id))
    }

    @Test func aLostConnectionIsLostForAllItsCalls() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 2)
        #expect(lease(&pool, a) == .use(id))
        #expect(isWaiting(&pool, a, 1) && isWaiting(&pool, a, 2))
        // A new connection is expected to have room for both waiters.
        #expect(served(pool.remove(id)) == [Served(1, .open(2, closing: nil))])
        for _ in 0..<2 {
            let (handovers, closing) = pool.giveBack(id)
            #expect(handovers.isEmpty && closing == nil)
        }
        #expect(served(pool.opened(2, 2, key: a, capacity: 2).handovers) == [Served(2, .use(2))])
    }

    // MARK: Waiting

    @Test func aNewConnectionServesWaitersInOrder() throws {
        var pool = Pool(limits: .init(perSite: 1))
        #expect(lease(&pool, a) == .open(1, closing: nil))
        for waiter: UInt64 in 1...4 { #expect(isWaiting(&pool, a, waiter)) }
        let (isAccepted, handovers) = pool.opened(1, 1, key: a, capacity: 3)
        #expect(isAccepted)
        #expect(served(handovers) == [Served(1, .use(1)), Served(2, .use(1))])
        #expect(served(pool.giveBack(1).handovers) == [Served(3, .use(1))])
        #expect(pool.tally.waiting == 1)
    }

    /// A waiter of another key waits longer, but cannot use the connection.
    @Test func waitersOfAnotherKeyDoNotHoldUpASharedConnection() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 2)
        #expect(lease(&pool, a) == .use(id))
        #expect(isWaiting(&pool, Key("a", 1), 1) && isWaiting(&pool, a, 2))
        #expect(served(pool.giveBack(id).handovers) == [Served(2, .use(id))])
        #expect(pool.giveBack(id).handovers.isEmpty)
        #expect(served(pool.giveBack(id).handovers) == [Served(1, .open(2, closing: id))])
    }

    @Test func callsWaitForAConnectionThatWillHaveRoom() throws {
        var pool = Pool(limits: .init(perSite: 4))
        #expect(lease(&pool, a, expecting: 3) == .open(1, closing: nil))
        #expect(isWaiting(&pool, a, 1, expecting: 3) && isWaiting(&pool, a, 2, expecting: 3))
        // Both waiters and the call that opens the first connection will fill it.
        #expect(lease(&pool, a, expecting: 3) == .open(2, closing: nil))
        #expect(isWaiting(&pool, a, 3, expecting: 3))
        let handovers = pool.opened(2, 2, key: a, capacity: 3).handovers
        #expect(served(handovers) == [Served(1, .use(2)), Served(2, .use(2))])
        #expect(served(pool.opened(1, 1, key: a, capacity: 3).handovers) == [Served(3, .use(1))])
    }

    @Test func callsThatExpectedTooMuchOpenConnections() throws {
        var pool = Pool(limits: .init(perSite: 3))
        #expect(lease(&pool, a, expecting: 100) == .open(1, closing: nil))
        for waiter: UInt64 in 1...4 { #expect(isWaiting(&pool, a, waiter, expecting: 100)) }
        // The server now speaks HTTP/1.1.
        let handovers = pool.opened(1, 1, key: a, capacity: 1).handovers
        #expect(served(handovers) == [Served(1, .open(2, closing: nil)), Served(2, .open(3, closing: nil))])
        #expect(served(pool.giveBack(1).handovers) == [Served(3, .use(1))])
    }

    @Test func callsThatWaitedForAFailureOpenConnections() throws {
        var pool = Pool(limits: .init(perSite: 2))
        #expect(lease(&pool, a, expecting: 100) == .open(1, closing: nil))
        for waiter: UInt64 in 1...3 { #expect(isWaiting(&pool, a, waiter, expecting: 100)) }
        let handovers = pool.openingFailed(key: a)
        #expect(served(handovers) == [Served(1, .open(2, closing: nil)), Served(2, .open(3, closing: nil))])
        #expect(served(pool.openingFailed(key: a)) == [Served(3, .open(4, closing: nil))])
    }

    /// What a connection has shown counts more than what was expected, as long as the pool knows the key.
    @Test func theLastConnectionShowsWhatToExpect() throws {
        var pool = Pool(limits: .init(perSite: 8))
        let first = try open(&pool, a)
        #expect(lease(&pool, a, expecting: 100) == .open(2, closing: nil))
        #expect(lease(&pool, a, expecting: 100) == .open(3, closing: nil))
        _ = pool.opened(2, 2, key: a, capacity: 2)
        #expect(lease(&pool, a) == .use(2))
        #expect(lease(&pool, a) == .wait)
        for id in [first, 2] { _ = pool.remove(id) }
        #expect(pool.openingFailed(key: a).isEmpty && pool.tally == ConnectionCounts())
        #expect(lease(&pool, a) == .open(4, closing: nil))
        #expect(lease(&pool, a) == .open(5, closing: nil))
    }

    @Test(arguments: [Int.max, 0, -1, Int.min])
    func anyNumberCanBeExpected(capacity: Int) throws {
        var pool = Pool(limits: .init(perSite: 2))
        #expect(pool.openAhead(a, upTo: 1, expecting: capacity) == 1)
        #expect(lease(&pool, a) == (capacity > 0 ? .wait : .open(2, closing: nil)))
        #expect(pool.opened(1, 1, key: a, capacity: capacity).isAccepted == true)
        #expect(lease(&pool, a) == (capacity > 0 ? .use(1) : .wait))
    }

    // MARK: Resizing

    @Test func aLargerCapacityServesWaiters() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a)
        for waiter: UInt64 in 1...3 { #expect(isWaiting(&pool, a, waiter)) }
        #expect(served(pool.resize(id, to: 3)) == [Served(1, .use(id)), Served(2, .use(id))])
        #expect(served(pool.resize(id, to: 5)) == [Served(3, .use(id))])
        #expect(lease(&pool, a) == .use(id))
        #expect(lease(&pool, a) == .wait)
    }

    @Test func aSmallerCapacityTakesNothingFromCalls() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 4)
        for _ in 0..<2 { #expect(lease(&pool, a) == .use(id)) }
        #expect(pool.resize(id, to: 2).isEmpty)
        #expect(isWaiting(&pool, a, 1))
        // Three calls use it, then two, then one.
        #expect(pool.giveBack(id).handovers.isEmpty)
        #expect(served(pool.giveBack(id).handovers) == [Served(1, .use(id))])
        #expect(pool.giveBack(id).closing == nil)
        #expect(lease(&pool, a) == .use(id))
        #expect(pool.tally.lent == 1)
    }

    /// RFC 9113 §6.5.2: a server may permit no calls for a short time.
    @Test func aConnectionWithoutCapacityIsIdleButNotLent() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let id = try open(&pool, a, capacity: 2)
        #expect(pool.resize(id, to: 0).isEmpty)
        _ = pool.giveBack(id)
        #expect(pool.tally.idle == 1)
        let other = try open(&pool, a)
        #expect(lease(&pool, a) == .open(3, closing: id), "it makes room")
        _ = pool.remove(other)
        #expect(pool.openingFailed(key: a).isEmpty)
        let last = try open(&pool, a, capacity: 0)
        _ = pool.giveBack(last)
        #expect(pool.resize(last, to: 1).isEmpty)
        #expect(lease(&pool, a) == .use(last))
        // It is the only one of its key, and gives way to one of the same key.
        var small = Pool(limits: .init(perSite: 1))
        let only = try open(&small, a, capacity: 0)
        _ = small.giveBack(only)
        let new = try open(&small, a, closing: only)
        #expect(isWaiting(&small, a, 1))
        #expect(served(small.giveBack(new).handovers) == [Served(1, .use(new))])
    }

    @Test func anUnknownConnectionHasNoCapacity() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a)
        _ = pool.remove(id)
        #expect(pool.resize(id, to: 8).isEmpty)
        #expect(lease(&pool, a) == .open(2, closing: nil))
    }

    // MARK: Retiring

    @Test func aRetiredConnectionIsClosedWhenTheLastCallReturnsIt() throws {
        var pool = Pool(limits: .init(perSite: 1))
        let id = try open(&pool, a, capacity: 3)
        #expect(lease(&pool, a) == .use(id))
        let (handovers, closing) = pool.retire(id)
        #expect(handovers.isEmpty && closing == nil)
        // It still counts, and more capacity does not bring it back.
        #expect(isWaiting(&pool, a, 1))
        #expect(pool.resize(id, to: 8).isEmpty)
        #expect(pool.retire(id).closing == nil)
        let first = pool.giveBack(id)
        #expect(first.handovers.isEmpty && first.closing == nil)
        let last = pool.giveBack(id)
        #expect(served(last.handovers) == [Served(1, .open(2, closing: nil))] && last.closing == id)
    }

    @Test func anIdleConnectionIsRetiredAtOnce() throws {
        var pool = Pool(limits: .init(perSite: 1, total: 2))
        let id = try open(&pool, a, capacity: 3)
        _ = try open(&pool, b)
        #expect(isWaiting(&pool, b, 1))
        _ = pool.giveBack(id)
        let (handovers, closing) = pool.retire(id)
        #expect(handovers.isEmpty && closing == id && pool.openCount(of: a) == 0)
        #expect(pool.retire(id).closing == nil && pool.giveBack(id).closing == nil)
        #expect(lease(&pool, a) == .open(3, closing: nil))
    }

    @Test func aSuspendedPoolSharesConnectionsUntilTheLastCallReturnsThem() throws {
        var pool = Pool(limits: .init(perSite: 2))
        let before = try open(&pool, a, capacity: 4)
        #expect(pool.suspend().closing.isEmpty)
        let during = try open(&pool, a, capacity: 4)
        #expect(lease(&pool, a) == .use(during))
        #expect(pool.giveBack(before).closing == before)
        #expect(pool.giveBack(during).closing == nil)
        #expect(pool.giveBack(during).closing == during)
        #expect(pool.tally == ConnectionCounts())
    }

    // MARK: Random events

    /// Random events, compared with the simplest form of the rules.
    @Test(arguments: 0..<20)
    func thePoolFollowsTheReference(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let limits = Pool.Limits(perSite: 1 + Int(seed % 4), total: 2 + Int(seed % 5))
        var pool = Pool(limits: limits)
        var reference = Reference(limits: limits)
        var lastNumber = 0
        var waiter: UInt64 = 0

        func pick<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }
        func follow(_ answer: Answer, among right: Set<Answer>, for key: Key) {
            #expect(right.contains(answer), "\(answer) is not among \(right)")
            if case .open(let number, _) = answer { lastNumber = number }
            reference.apply(answer, for: key)
        }
        func follow(_ handovers: [Pool.Handover]) {
            for handover in served(handovers) {
                let next = reference.next(number: lastNumber + 1)
                #expect(handover.waiter == next?.waiter, "another call has waited longer")
                guard let index = reference.queue.firstIndex(where: { $0.waiter == handover.waiter }) else { continue }
                follow(handover.answer, among: next?.answers ?? [], for: reference.queue[index].key)
                reference.queue.remove(at: index)
            }
        }
        func step() {
            // Also a connection that is no longer known.
            let id = pick(reference.connections.map(\.id) + [1]) ?? 1
            let index = reference.index(of: id)
            let key = Key(pick(["a", "b", "c"]) ?? "", pick([0, 1]) ?? 0)
            let capacity = pick([0, 1, 2, 3, 5]) ?? 1
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35:
                waiter += 1
                reference.expected[key] = reference.expected[key] ?? capacity
                let others = reference.queue.count { $0.key == key }
                let right = reference.answers(key, beside: others, number: lastNumber + 1)
                let queued = pick([waiter, nil]) ?? nil
                let answer = Answer(pool.lease(key, for: queued, expecting: capacity))
                follow(answer, among: right, for: key)
                if answer == .wait, let queued { reference.queue.append((queued, key)) }
            case ..<50:
                guard let place = pick(Array(reference.opening.indices)) else { return }
                let (number, key) = reference.opening.remove(at: place)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    reference.expected[key] = 1
                    follow(pool.openingFailed(key: key))
                } else {
                    reference.expected[key] = capacity
                    reference.connections.append(.init(id: number, key: key, capacity: capacity))
                    let (isAccepted, handovers) = pool.opened(number, number, key: key, capacity: capacity)
                    #expect(isAccepted)
                    follow(handovers)
                }
            case ..<75:
                let expected = reference.giveBack(id)
                let (handovers, closing) = pool.giveBack(id)
                #expect(closing == expected)
                follow(handovers)
            case ..<79:
                reference.connections.removeAll { $0.id == id }
                follow(pool.remove(id))
            case ..<85:
                if let index {
                    reference.connections[index].capacity = capacity
                    reference.expected[reference.connections[index].key] = capacity
                }
                follow(pool.resize(id, to: capacity))
            case ..<88:
                let expected = reference.retire { $0.id == id }
                let (handovers, closing) = pool.retire(id)
                #expect(Set([closing].compactMap { $0 }) == expected)
                follow(handovers)
            case ..<92:
                let floor = pick([0, 1, 2]) ?? 0
                let known = index.map { reference.connections[$0] }
                let ends = known.map { $0.users == 0 && reference.openCount(of: $0.key) > floor }
                #expect(pool.expire(id, keeping: floor) == (ends ?? true))
                if ends == true { reference.connections.removeAll { $0.id == id } }
            case ..<94:
                let opens =
                    !reference.isSuspended && reference.openCount(of: key) < 2 && reference.hasRoom(key.site)
                #expect(pool.openAhead(key, upTo: 2, expecting: capacity) == (opens ? lastNumber + 1 : nil))
                guard opens else { return }
                lastNumber += 1
                reference.expected[key] = reference.expected[key] ?? capacity
                reference.opening.append((lastNumber, key))
            case ..<98:
                guard let place = pick(Array(reference.queue.indices)) else { return }
                let (waiter, key) = reference.queue.remove(at: place)
                #expect(pool.stopWaiting(waiter, key: key) == true)
                #expect(pool.stopWaiting(waiter, key: key) == false)
            default:
                reference.isSuspended.toggle()
                let expected = reference.retire { _ in true }
                let (handovers, closing) = reference.isSuspended ? pool.suspend() : pool.resume()
                #expect(Set(closing) == expected)
                follow(handovers)
            }
        }
        for _ in 0..<1_000 {
            step()
            reference.tidy()
            #expect(reference.next(number: lastNumber + 1) == nil, "a call waits in vain")
            var counts = ConnectionCounts()
            counts.lent = reference.connections.count { $0.users > 0 }
            counts.idle = reference.connections.count { $0.users == 0 }
            counts.opening = reference.opening.count
            counts.waiting = reference.queue.count
            #expect(pool.tally == counts)
            #expect(counts.lent + counts.idle + counts.opening <= limits.total)
        }
        let ended = pool.shutDown()
        #expect(Set(ended.connections) == Set(reference.connections.map(\.id)))
        #expect(Set(ended.waiters) == Set(reference.queue.map(\.waiter)))
    }
}
