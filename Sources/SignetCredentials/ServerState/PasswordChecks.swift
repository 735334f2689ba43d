import Crypto
import Synchronization

/// Checks passwords against their hashes, a few at a time, since each check takes much memory and time.
final class PasswordChecks: Sendable {
    /// As many as are worth it; two checks take 32 MiB.
    static let threads = BlockingQueue("PasswordChecks", width: 2)
    /// How many passwords may wait for a check.
    private static let maximumWaiting = 64
    /// How many passwords are remembered.
    private static let capacity = 10_000

    enum Finding {
        case right
        case wrong
        /// Too many passwords wait.
        /// - isWrong: whether the password is known to be wrong all the same.
        case busy(isWrong: Bool)
    }

    /// What is known of a password.
    private struct Tags {
        /// Of the user and the hash.
        var account: [UInt8]
        /// Of these and the password.
        var password: [UInt8]
    }

    private struct State {
        /// The passwords that were right, by the accounts, and until when each is remembered.
        var known: [[UInt8]: (password: [UInt8], end: ContinuousClock.Instant)] = [:]
        var running: [[UInt8]: Task<Bool, any Error>] = [:]
        var hashed = 0
    }

    private let memory: Duration
    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())

    /// - Parameter memory: how long a right password is remembered.
    init(memory: Duration) { self.memory = memory }

    /// How many passwords were hashed.
    var hashed: Int { state.withLock { $0.hashed } }

    var isFull: Bool { state.withLock { $0.running.count >= Self.maximumWaiting } }

    /// Finds out whether the password has this hash.
    ///
    /// - Parameter usesMemory: false to do all the work, also for a password that is remembered.
    func find(
        _ password: SecretBytes, _ hash: PasswordHash, of user: String, usesMemory: Bool
    ) async throws -> Finding {
        let tags = tags(password, hash, user)
        let (finding, task) = state.withLock { state -> (Finding?, Task<Bool, any Error>?) in
            let known = state.known[tags.account].flatMap { $0.end > .now ? $0.password : nil }
            if usesMemory, known == tags.password { return (.right, nil) }
            // Requests of one client arrive together: the password is hashed once for all of them.
            if let task = state.running[tags.password] { return (nil, task) }
            guard state.running.count < Self.maximumWaiting else {
                // Were wrong passwords not counted now, a program could guess what is remembered.
                return (.busy(isWrong: known.map { $0 != tags.password } ?? false), nil)
            }
            // It belongs to all that wait for it, so that no cancelled request takes it from the others.
            let task = Task {
                var isRight = false
                defer { finish(tags, isRight: isRight) }
                isRight = try await Self.threads.run { try hash.matches(password) }
                return isRight
            }
            state.running[tags.password] = task
            state.hashed += 1
            return (nil, task)
        }
        if let finding { return finding }
        return try await task?.value == true ? .right : .wrong
    }

    private func finish(_ tags: Tags, isRight: Bool) {
        state.withLock { state in
            state.running[tags.password] = nil
            guard isRight, memory > .zero else { return }
            if state.known.count >= Self.capacity { state.known = state.known.filter { $0.value.end > .now } }
            if state.known.count >= Self.capacity { state.known = [:] }
            state.known[tags.account] = (tags.password, .now + memory)
        }
    }

    /// They say nothing about the password to a program that has not the key of this process.
    private func tags(_ password: SecretBytes, _ hash: PasswordHash, _ user: String) -> Tags {
        var code = HMAC<SHA256>(key: key)
        code.update(data: SHA256.hash(data: Array(user.utf8)).map { $0 })
        code.update(data: SHA256.hash(data: Array(hash.text.utf8)).map { $0 })
        let account = Array(code.finalize())
        unsafe password.withUnsafeBytes { unsafe code.update(data: $0) }
        return Tags(account: account, password: Array(code.finalize()))
    }
}
