import Testing

@testable import SignetTLS

/// The limits of the cache.
@Suite struct RevocationCacheTests {
    private func entry(_ number: UInt8, until: Int64) -> RevocationCache.Entry {
        RevocationCache.Entry(.answer(issuer: [], serialNumber: [number]), .status(.notPublished), until: until)
    }

    private func contains(_ cache: RevocationCache, _ number: UInt8, at now: Int64) -> Bool {
        cache.value(for: .answer(issuer: [], serialNumber: [number]), at: now) != nil
    }

    @Test func keepsWhatLastsLongest() {
        var cache = RevocationCache(maximumCount: 2)
        cache.add([entry(1, until: 30), entry(2, until: 10), entry(3, until: 20)], at: 0)
        #expect(cache.count == 2)
        #expect(contains(cache, 1, at: 30) && !contains(cache, 1, at: 31))
        #expect(!contains(cache, 2, at: 0) && contains(cache, 3, at: 0))
        cache.add([entry(4, until: 5)], at: 6)
        #expect(!contains(cache, 4, at: 5))
    }

    @Test func countsBytes() {
        let size = entry(1, until: 1).bytes
        var cache = RevocationCache(maximumBytes: size)
        cache.add([entry(1, until: 1)], at: 0)
        cache.add([entry(1, until: 2)], at: 0)
        #expect(cache.count == 1 && cache.bytes == size)
        cache.add([entry(2, until: 3)], at: 0)
        #expect(cache.count == 1 && cache.bytes == size && contains(cache, 2, at: 0))
        var small = RevocationCache(maximumBytes: size - 1)
        small.add([entry(1, until: 1)], at: 0)
        #expect(small.count == 0 && small.bytes == 0)
    }
}
