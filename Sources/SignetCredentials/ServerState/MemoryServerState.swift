import SignetTLS
import Synchronization

/// Keeps the state of a server as long as the process runs: for tests, and for servers whose accounts are made when they start.
///
/// A restarted process has forgotten all messages: those sent shortly before the restart could be replayed.
public final class MemoryServerState: ServerState {
    private struct State {
        /// By the UTF-8 of the names: `String` takes several forms of a name for one.
        var accounts: [[UInt8]: ServerAccount] = [:]
        var secrets: [String: SecretBytes] = [:]
        var failures: [[UInt8]: (count: Int, end: Int64)] = [:]
        var swept = Int64.min
    }

    private let state = Mutex(State())
    private let replays: MemoryReplayCache
    private let issued = MemoryIssuedCertificates()

    /// An empty state.
    ///
    /// - Parameter capacity: as of ``MemoryReplayCache/init(capacity:)``.
    public init(capacity: Int = 100_000) { replays = MemoryReplayCache(capacity: capacity) }

    public func secret(for purpose: String) -> SecretBytes {
        state.withLock { state in
            if let secret = state.secrets[purpose] { return secret }
            let secret = SecretBytes([UInt8].random(32))
            state.secrets[purpose] = secret
            return secret
        }
    }

    public func remember(_ key: [UInt8], until expiry: Int64, now: Int64) -> ReplayFinding {
        replays.remember(key, until: expiry, now: now)
    }

    // MARK: Accounts

    public func account(_ user: String) -> ServerAccount? { state.withLock { $0.accounts[Array(user.utf8)] } }

    public func account(owningCertificate sha256: [UInt8]) -> ServerAccount? {
        state.withLock { state in state.accounts.values.first { $0.certificates.contains(sha256) } }
    }

    public func add(_ account: ServerAccount) -> Bool {
        state.withLock { state in
            let user = Array(account.user.utf8)
            guard state.accounts[user] == nil, Self.areFree(account, state) else { return false }
            state.accounts[user] = account
            return true
        }
    }

    public func update(_ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void) throws
        -> Bool
    {
        try state.withLock { state in
            let name = Array(user.utf8)
            guard var account = state.accounts[name] else { return false }
            try change(&account)
            try account.check(isNamed: user)
            guard Self.areFree(account, state) else { return false }
            state.accounts[name] = account
            return true
        }
    }

    private static func areFree(_ account: ServerAccount, _ state: State) -> Bool {
        state.accounts.allSatisfy { user, other in
            user.elementsEqual(account.user.utf8) || other.certificates.isDisjoint(with: account.certificates)
        }
    }

    public func removeAccount(_ user: String) -> Bool {
        state.withLock { $0.accounts.removeValue(forKey: Array(user.utf8)) != nil }
    }

    public func users() -> [String] {
        state.withLock { state in
            state.accounts.keys.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    // MARK: Failures

    public func failures(of key: [UInt8], now: Int64) -> Int {
        state.withLock { state in state.failures[key].flatMap { $0.end > now ? $0.count : nil } ?? 0 }
    }

    @discardableResult public func countFailure(of key: [UInt8], until end: Int64, now: Int64) -> Int {
        state.withLock { state in
            // Sweeping once a second is enough, and bounds the work for each failure.
            if now > state.swept {
                state.swept = now
                state.failures = state.failures.filter { $0.value.end > now }
            }
            var counted = state.failures[key].flatMap { $0.end > now ? $0 : nil } ?? (count: 0, end: end)
            if counted.count < .max { counted.count += 1 }
            // The clock may have been ahead before.
            counted.end = min(counted.end, end)
            state.failures[key] = counted
            return counted.count
        }
    }

    public func forgetFailures(of key: [UInt8]) { state.withLock { $0.failures[key] = nil } }

    // MARK: Issued certificates

    public func add(_ certificate: IssuedCertificate) async { await issued.add(certificate) }

    public func certificate(serialNumber: [UInt8]) async -> IssuedCertificate? {
        await issued.certificate(serialNumber: serialNumber)
    }

    public func certificates(publicKeySHA256: [UInt8]) async -> [IssuedCertificate] {
        await issued.certificates(publicKeySHA256: publicKeySHA256)
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async -> Bool {
        await issued.revoke(serialNumber: serialNumber, revocation)
    }

    public func certificates() async -> [IssuedCertificate] { await issued.certificates() }
}
