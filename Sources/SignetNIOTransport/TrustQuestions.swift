import SignetTLS
import Synchronization

/// Asks about certificates that a policy refuses, once for all calls that wait for the same answer, and records the
/// answer.
final class TrustQuestions: Sendable {
    private struct Key: Hashable {
        let host: String
        let port: Int
        let certificate: [UInt8]
    }

    private let handling: TrustFailureHandling
    private let store: any TrustExceptionStore
    private let now: @Sendable () -> Int64
    private let asked = Mutex<[Key: Task<Bool, any Error>]>([:])

    init(_ handling: TrustFailureHandling, _ store: any TrustExceptionStore, now: @escaping @Sendable () -> Int64) {
        self.handling = handling
        self.store = store
        self.now = now
    }

    func exceptions() async throws -> [TrustException] { try await store.exceptions() }

    /// Whether all of `exceptions` are still valid.
    func hold(_ exceptions: [TrustException]) async throws -> Bool {
        let known = try await store.exceptions()
        return exceptions.allSatisfy { now() < $0.expires && known.contains($0) }
    }

    /// Whether an exception overrules the refusal; the store then has it.
    func overrules(_ error: TrustError, _ peer: Peer) async throws -> Bool {
        if case .refuse = handling { return false }
        guard error.canBeOverruled, let leaf = error.certificates.first else { return false }
        let key = Key(host: peer.origin.host, port: peer.origin.port, certificate: leaf.sha256)
        let task = asked.withLock { asked in
            if let task = asked[key] { return task }
            let task = Task {
                defer { self.asked.withLock { $0[key] = nil } }
                return try await self.ask(error, leaf, peer)
            }
            asked[key] = task
            return task
        }
        return try await task.value
    }

    private func ask(_ error: TrustError, _ leaf: EncodedCertificate, _ peer: Peer) async throws -> Bool {
        let (host, port) = (peer.origin.host, peer.origin.port)
        let earlier = try await store.exceptions().filter { $0.isFor(host: host, port: port) }
        // Another call may have asked since this call was refused.
        let isAccepted = earlier.contains {
            $0.accepts(leaf, refusedWith: error, host: host, port: port, at: now())
        }
        if isAccepted { return true }
        let question = TrustQuestion(host: host, port: port, isProxy: peer.isProxy, error: error, earlier: earlier)
        switch try await handling.answer(to: question, at: now()) {
        case .refuse:
            return false
        case .accept(let reason, let end):
            try await store.record(
                TrustException(accepting: error, host: host, port: port, reason: reason, at: now(), until: end))
            return true
        case .deny(let reason, let end):
            try await store.record(
                TrustException(denying: leaf, host: host, port: port, reason: reason, at: now(), until: end))
            return false
        }
    }
}
