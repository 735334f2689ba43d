#if Server
import Synchronization

/// What an authority remembers while the process runs.
final class RegistrationState: Sendable {
    struct Waiting {
        var transaction: String
        var request: [UInt8]
        /// To whom its challenge password belongs.
        var user: String?
        var end: Int64
    }

    private struct Memory {
        /// By the key that signs, so that no client takes the place of others.
        var waiting: [[UInt8]: Waiting] = [:]
        var keys: Set<[UInt8]> = []
        var listNumber: Int64 = 0
        var list: (time: Int64, bytes: [UInt8])?
        /// Grows with each revocation.
        var revision = 0
    }

    private let memory = Mutex(Memory())
    private static let maximumWaiting = 1_000
    private static let waitingSeconds: Int64 = 7 * 86_400

    /// Begins to certify a key; false while it is being certified.
    func begin(_ key: [UInt8]) -> Bool { memory.withLock { $0.keys.insert(key).inserted } }
    func end(_ key: [UInt8]) { memory.withLock { _ = $0.keys.remove(key) } }

    /// The list that was signed in this second.
    func list(at time: Int64) -> [UInt8]? {
        memory.withLock { $0.list.flatMap { $0.time == time ? $0.bytes : nil } }
    }

    /// Numbers of lists grow (RFC 5280 §5.2.3), also when the clock does not.
    func nextList(atLeast time: Int64) -> (number: Int64, revision: Int) {
        memory.withLock { memory in
            memory.listNumber = max(memory.listNumber &+ 1, time)
            return (memory.listNumber, memory.revision)
        }
    }

    /// Keeps a list, unless something was revoked since it was begun.
    func keep(_ list: [UInt8], at time: Int64, _ revision: Int) {
        memory.withLock { if $0.revision == revision { $0.list = (time, list) } }
    }

    func forgetList() {
        memory.withLock { memory in
            memory.revision &+= 1
            memory.list = nil
        }
    }

    /// The request of SCEP that a key has signed and that waits: a client that polls sends it no more (CertPoll, RFC 8894
    /// §3.3.3).
    func waiting(_ key: [UInt8], _ transaction: String, at now: Int64) -> Waiting? {
        memory.withLock { memory in
            memory.waiting[key].flatMap { $0.transaction == transaction && $0.end > now ? $0 : nil }
        }
    }

    /// - Returns: false when too many requests wait.
    func wait(_ key: [UInt8], _ transaction: String, _ request: [UInt8], of user: String?, at now: Int64) -> Bool {
        memory.withLock { memory in
            if memory.waiting.count >= Self.maximumWaiting {
                memory.waiting = memory.waiting.filter { $0.value.end > now }
            }
            guard memory.waiting[key] != nil || memory.waiting.count < Self.maximumWaiting else { return false }
            memory.waiting[key] = Waiting(
                transaction: transaction, request: request, user: user, end: now + Self.waitingSeconds)
            return true
        }
    }

    func forget(_ key: [UInt8]) { memory.withLock { $0.waiting[key] = nil } }
}
#endif
