public import SignetCredentials

/// The behaviour that every ``/SignetCredentials/ReplayCache`` must have.
///
/// ```swift
/// @Test(arguments: ReplayCacheConformance.checks)
/// func conforms(_ check: ReplayCacheConformance.Check) async throws {
///     try await check.run { MyCache() }
/// }
/// ```
public enum ReplayCacheConformance {
    /// A violation: the cache does something that it must not do, or fails to do something that it must.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// One required behaviour of a cache.
    public struct Check: Sendable, CustomStringConvertible {
        /// The required behaviour, in words.
        public let description: String
        private let body: @Sendable (_ make: Make) async throws -> Void

        /// Makes a cache, or opens the one that it made before.
        public typealias Make = @Sendable () async throws -> any ReplayCache

        fileprivate init(_ description: String, _ body: @escaping @Sendable (_ make: Make) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// - Parameter make: makes an empty cache with room for at least a hundred keys. When a check of
        ///   ``ReplayCacheConformance/sharedChecks`` calls it again, it opens the cache that it made the first time.
        /// - Throws: ``Failure``, or an error of the cache.
        public func run(_ make: @escaping Make) async throws { try await body(make) }
    }

    /// The checks for every cache.
    public static let checks: [Check] = [
        Check("a key is new once") { make in
            let cache = try await make()
            for number in 0..<100 { try await expect(cache, key(number), .new, "key \(number)") }
            for number in 0..<100 { try await expect(cache, key(number), .replayed, "key \(number) again") }
        },
        Check("all bits of a key count, and any bits may be in it") { make in
            let cache = try await make()
            var keys = [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32)]
            for index in 0..<32 {
                keys.append(keys[0])
                keys[keys.count - 1][index] = 1
            }
            for key in keys { try await expect(cache, key, .new, "\(key)") }
            for key in keys { try await expect(cache, key, .replayed, "\(key) again") }
        },
        Check("of several concurrent checks of one key, exactly one finds it new") { make in
            let cache = try await make()
            for number in 0..<50 { try await race(key(number), [cache]) }
        },
        Check("a key is remembered until its last second, whatever else comes meanwhile") { make in
            let cache = try await make()
            try await expect(cache, key(0), until: 1300, now: 1000, .new, "the key")
            for second in 1001..<1090 {
                try await expect(cache, key(second), until: Int64(second) + 5, now: Int64(second), .new, "another")
            }
            try await expect(cache, key(0), until: 1300, now: 1300, .replayed, "the key in its last second")
        },
        Check("a clock that is set back makes no key new again") { make in
            let cache = try await make()
            try await expect(cache, key(0), until: 1300, now: 1000, .new, "the key")
            try await expect(cache, key(1), until: 2300, now: 2000, .new, "another")
            // The cache may have forgotten the first key by now, or refuse to answer with such a clock.
            for (number, expiry) in [(0, 1300), (1, 2300)] as [(Int, Int64)] {
                let finding: ReplayFinding
                do { finding = try await cache.remember(key(number), until: expiry, now: 1000) } catch { continue }
                guard finding != .new else { throw Failure(description: "key \(number) was new again") }
            }
        },
        Check("a full cache refuses new keys, forgets no key, and has room again later") { make in
            let cache = try await make()
            var known: [Int] = []
            var isFull = false
            for number in 0..<2000 where !isFull {
                switch try await cache.remember(key(number), until: 1300, now: 1000) {
                case .new: known.append(number)
                case .full: isFull = true
                case .replayed: throw Failure(description: "key \(number) was taken for a replay")
                }
            }
            for number in known {
                try await expect(cache, key(number), until: 1300, now: 1000, .replayed, "key \(number) again")
            }
            try await expect(cache, key(5000), until: 2300, now: 2000, .new, "a key when all others have expired")
        },
    ]

    /// The checks for persistent caches and for caches that several processes share: every instance knows the keys that
    /// one of them has stored.
    public static let sharedChecks: [Check] = [
        Check("a stored key is known when the cache is opened again") { make in
            try await expect(try await make(), key(0), .new, "the key")
            let again = try await make()
            try await expect(again, key(0), .replayed, "the key again")
            try await expect(again, key(1), .new, "another")
        },
        Check("of several concurrent checks of one key through several caches, exactly one finds it new") { make in
            let caches = [try await make(), try await make(), try await make()]
            for number in 0..<50 { try await race(key(number), caches) }
        },
    ]

    private static func key(_ number: Int) -> [UInt8] {
        var key = [UInt8](repeating: 0x5A, count: 32)
        for index in 0..<8 { key[31 - index] = UInt8(truncatingIfNeeded: number >> (8 * index)) }
        return key
    }

    private static func expect(
        _ cache: any ReplayCache, _ key: [UInt8], until expiry: Int64 = 1300, now: Int64 = 1000,
        _ expected: ReplayFinding, _ what: String
    ) async throws {
        let finding = try await cache.remember(key, until: expiry, now: now)
        guard finding == expected else { throw Failure(description: "\(what) was \(finding), not \(expected)") }
    }

    private static func race(_ key: [UInt8], _ caches: [any ReplayCache]) async throws {
        let findings = try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let cache = caches[number % caches.count]
                group.addTask { try await cache.remember(key, until: 1300, now: 1000) }
            }
            return try await group.reduce(into: [ReplayFinding]()) { $0.append($1) }
        }
        let new = findings.count { $0 == .new }
        guard new == 1 else { throw Failure(description: "the key was new for \(new) of \(findings.count)") }
    }
}
