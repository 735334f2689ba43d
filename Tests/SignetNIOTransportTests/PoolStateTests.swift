import Testing

@testable import SignetNIOTransport

@Suite struct PoolStateTests {
    private typealias Pool = PoolState<String, String>

    private func open(_ pool: inout Pool, _ key: String) throws -> Int {
        guard case .open(let id) = pool.lease(key) else { throw Unexpected() }
        let result1 = pool.opened(id, "\(key)\(id)", key: key)
        #expect(result1)
        return id
    }
    private struct Unexpected: Error {}

    @Test func lendsOnlyWhatIsIdleAndOfTheSameKey() throws {
        var pool = Pool(limit: 2)
        let first = try open(&pool, "a")
        let result2 = pool.giveBack(first)
        #expect(result2 == nil)
        guard case .open = pool.lease("b") else { throw Unexpected() }
        guard case .use("a1") = pool.lease("a") else { throw Unexpected() }
        guard case .open = pool.lease("a") else { throw Unexpected() }
        guard case .wait = pool.lease("a", for: 1) else { throw Unexpected() }
    }

    @Test func waitersAreServedInOrder() throws {
        var pool = Pool(limit: 1)
        let id = try open(&pool, "a")
        guard case .wait = pool.lease("a", for: 1), case .wait = pool.lease("a", for: 2),
            case .wait = pool.lease("a", for: 3)
        else { throw Unexpected() }
        let result3 = pool.stopWaiting(2, key: "a")
        #expect(result3)
        let result4 = pool.stopWaiting(2, key: "a")
        #expect(!result4)
        guard case .use("a1", by: 1) = pool.giveBack(id) else { throw Unexpected() }
        // A connection that is lost makes room for a new one.
        guard case .open(number: 2, by: 3) = pool.remove(id) else { throw Unexpected() }
        let result5 = pool.giveBack(id)
        #expect(result5 == nil)
        let result6 = pool.openingFailed(key: "a")
        #expect(result6 == nil)
        guard case .open(number: 3) = pool.lease("a") else { throw Unexpected() }
    }

    @Test func aFailureToOpenPassesTheOrderOn() throws {
        var pool = Pool(limit: 1)
        guard case .open = pool.lease("a"), case .wait = pool.lease("a", for: 7) else { throw Unexpected() }
        guard case .open(number: 2, by: 7) = pool.openingFailed(key: "a") else { throw Unexpected() }
    }

    @Test func onlyIdleConnectionsExpire() throws {
        var pool = Pool(limit: 1)
        let id = try open(&pool, "a")
        let result7 = pool.expire(id)
        #expect(!result7)
        _ = pool.giveBack(id)
        let result8 = pool.expire(id)
        #expect(result8)
        // Nobody can ever use a connection again that the pool does not know.
        let result9 = pool.expire(id)
        #expect(result9)
        guard case .open = pool.lease("a") else { throw Unexpected() }
    }

    @Test func nothingIsLentAfterTheEnd() throws {
        var pool = Pool(limit: 1)
        let id = try open(&pool, "a")
        guard case .wait = pool.lease("a", for: 1), case .open(let opening) = pool.lease("b") else {
            throw Unexpected()
        }
        let ended = pool.shutDown()
        #expect(ended.connections == ["a1"])
        #expect(ended.waiters == [1])
        let result10 = pool.opened(opening, "late", key: "b")
        #expect(!result10)
        let result11 = pool.giveBack(id)
        #expect(result11 == nil)
        guard case .shutDown = pool.lease("a") else { throw Unexpected() }
    }
}
