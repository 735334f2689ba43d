import Synchronization

/// Remembers the nonces of messages that were accepted, so that none is accepted twice (UsernameToken Profile 1.1 §3.1).
///
/// A service that runs in several processes, or must not forget when it starts again, brings one that all of them share.
public protocol ReplayCache: Sendable {
    /// Remembers a key unless it is remembered already. Of several tasks that come with the same key one alone is told `new`.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - expiry: until when the key must be remembered, in seconds since 1970.
    ///   - now: in seconds since 1970.
    /// - Throws: when the cache cannot be asked; the message is refused then.
    func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding
}

/// What a ``ReplayCache`` says of a key.
public enum ReplayFinding: Sendable, Hashable {
    /// It was not remembered, and is now.
    case new
    /// It was remembered: the message was sent before.
    case replayed
    /// There is no place for it: the message must be refused, since it could not be told from a replay later.
    case full
}

/// Keeps keys in memory, so many at most. It forgets none before its time; when it is full, messages are refused until a key expires.
///
/// A process that starts again has forgotten all: what was sent shortly before could be sent again.
public final class MemoryReplayCache: ReplayCache {
    private struct State: Sendable {
        var keys: Set<[UInt8]> = []
        /// By the second in which they expire.
        var expiring: [Int64: [[UInt8]]] = [:]
        var swept = Int64.min
    }

    /// The one of this process, for services that are given none.
    public static let shared = MemoryReplayCache()

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: as many messages as are accepted within ``Freshness/maximumAge``, ``Freshness/maximumLead`` and a minute
    ///   at the busiest time, by all users together. A key takes some 200 bytes.
    public init(capacity: Int = 100_000) { self.capacity = capacity }

    public func remember(_ key: [UInt8], until expiry: Int64, now: Int64) -> ReplayFinding {
        state.withLock { state in
            // Once a second is enough, and bounds the work that a message makes.
            if now > state.swept {
                state.swept = now
                for second in state.expiring.keys where second < now {
                    for key in state.expiring.removeValue(forKey: second) ?? [] { state.keys.remove(key) }
                }
            }
            if state.keys.contains(key) { return .replayed }
            // It may have been remembered, and forgotten since: the clock was put back, or looking for the password took long.
            guard expiry >= state.swept else { return .replayed }
            guard state.keys.count < capacity else { return .full }
            state.keys.insert(key)
            state.expiring[expiry, default: []].append(key)
            return .new
        }
    }

    /// How many keys are remembered.
    public var count: Int { state.withLock { $0.keys.count } }
}
