import SignetCredentials
import SignetWSSecurity
import Testing

@Suite struct MemoryReplayCacheTests {
    @Test func keysAreNewOnceUntilTheyExpire() {
        let cache = MemoryReplayCache()
        #expect(cache.remember([1], until: 10, now: 0) == .new)
        #expect(cache.remember([1], until: 10, now: 10) == .replayed)
        #expect(cache.remember([2], until: 20, now: 10) == .new)
        #expect(cache.remember([1], until: 21, now: 11) == .new)
        #expect(cache.count == 2)
    }

    @Test func aFullCacheForgetsNothing() {
        let cache = MemoryReplayCache(capacity: 2)
        #expect(cache.remember([1], until: 10, now: 0) == .new)
        #expect(cache.remember([2], until: 20, now: 0) == .new)
        #expect(cache.remember([3], until: 20, now: 0) == .full)
        #expect(cache.remember([1], until: 10, now: 5) == .replayed)
        #expect(cache.remember([3], until: 20, now: 11) == .new)
        #expect(cache.remember([4], until: 20, now: 11) == .full)
        #expect(cache.count == 2)
        #expect(MemoryReplayCache(capacity: -1).remember([1], until: 1, now: 0) == .full)
    }

    @Test func aClockThatIsSetBackForgetsNothing() {
        let cache = MemoryReplayCache()
        #expect(cache.remember([1], until: 10, now: 5) == .new)
        #expect(cache.remember([1], until: 10, now: -100) == .replayed)
        #expect(cache.remember([1], until: .max, now: .min) == .replayed)
    }

    /// What was forgotten is old, whatever the clock says now.
    @Test func expiredEntriesStayRefusedAfterTheClockIsSetBack() {
        let cache = MemoryReplayCache()
        #expect(cache.remember([1], until: 10, now: 5) == .new)
        #expect(cache.remember([2], until: 30, now: 20) == .new)
        #expect(cache.count == 1)
        #expect(cache.remember([1], until: 10, now: 6) == .replayed)
        #expect(cache.remember([3], until: 20, now: 6) == .new)
    }

    @Test func onlyOneOfManyTasksFindsAnEntryNew() async {
        let cache = MemoryReplayCache()
        let new = await withTaskGroup(of: ReplayFinding.self) { group in
            for _ in 0..<50 { group.addTask { cache.remember([1], until: 10, now: 0) } }
            return await group.reduce(0) { $0 + ($1 == .new ? 1 : 0) }
        }
        #expect(new == 1)
    }
}
