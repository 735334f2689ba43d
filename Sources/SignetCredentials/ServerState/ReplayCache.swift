import Synchronization

/// Remembers the messages and the credentials that a server has accepted, by their nonces or by what is signed, so that it accepts each
/// of them once (UsernameToken Profile 1.1 §3.1, RFC 7616 §5.5).
///
/// A service that runs in several processes, or that must not forget nonces when it restarts, supplies a cache that all
/// its processes share, such as a persistent ``ServerState``.
public protocol ReplayCache: Sendable {
    /// Remembers a key unless it is remembered already. Of several tasks that present the same key at the same time,
    /// exactly one gets `new`.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - expiry: until when the key must be remembered, in seconds since 1970.
    ///   - now: in seconds since 1970.
    /// - Throws: any error when the cache cannot be reached; the service then refuses the message.
    func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding
}

/// The answer of a ``ReplayCache`` about a key.
public enum ReplayFinding: Sendable, Hashable {
    /// The cache did not know the key, and remembers it now.
    case new
    /// The cache knew the key: the message was sent before.
    case replayed
    /// The cache has no room for the key. The service must refuse the message, because it could not tell a replay of it
    /// later.
    case full
}

/// Keeps a limited number of keys in memory. It forgets no key before the key expires; when it is full, messages are
/// refused until a key expires.
///
/// A restarted process has forgotten all keys: messages sent shortly before the restart could be replayed.
public final class MemoryReplayCache: ReplayCache {
    private struct State: Sendable {
        var keys: Set<[UInt8]> = []
        /// The keys by the second in which they expire.
        var expiring: [Int64: [[UInt8]]] = [:]
        var swept = Int64.min
    }

    /// The cache of this process, for services that are given no other.
    public static let shared = MemoryReplayCache()

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: the number of keys. Choose the number of messages that the service accepts within
    ///   the time for which a message is fresh plus a minute at the busiest time, from all users together. A key takes some 200 bytes.
    public init(capacity: Int = 100_000) { self.capacity = capacity }

    public func remember(_ key: [UInt8], until expiry: Int64, now: Int64) -> ReplayFinding {
        state.withLock { state in
            // Sweeping once a second is enough, and bounds the work for each message.
            if now > state.swept {
                state.swept = now
                for second in state.expiring.keys where second < now {
                    for key in state.expiring.removeValue(forKey: second) ?? [] { state.keys.remove(key) }
                }
            }
            if state.keys.contains(key) { return .replayed }
            // The key may have been remembered and forgotten since: the clock was set back, or checking the password
            // took long.
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
