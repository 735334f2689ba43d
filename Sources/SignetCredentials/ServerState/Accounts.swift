import Crypto
public import SignetAuthentication
public import SignetTLS
import Synchronization

/// The accounts of a server's clients: adds and changes them for operators, and checks passwords and certificates for the server.
///
/// ```swift
/// let accounts = Accounts(state, verifiers: [.hash, .digest(realm: "WebEase", .sha256)])
/// try await accounts.add("laptop-7", password: SecretBytes(password))
/// ```
///
/// An unknown user, a locked account and a wrong password get the same answer after the same time. After too many failures an account is
/// refused for a while, see ``FailureLimit``.
public final class Accounts: Sendable {
    /// What accounts keep of their passwords. It decides which schemes can be verified.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Verifier: Sendable, Hashable {
        /// A hash by scrypt: for Basic, and for `PasswordText` of UsernameTokens. A thief of the state can only guess.
        case hash
        /// The hash of user, realm and password: for the Digest scheme in this realm. A thief who opens the state can authenticate in the
        /// realm.
        case digest(realm: String, DigestAlgorithm)
        /// The password: for `PasswordDigest` of UsernameTokens. A thief who opens the state has it.
        case password
    }

    /// How many failures an account may have.
    ///
    /// Anyone can make an account reach the limit, and so keep its user out for the rest of the period: choose a limit that only a program
    /// that guesses reaches, and a short period. Successes change nothing, so that a client that calls all the time does not help a
    /// program that guesses.
    ///
    /// Guesses that arrive at the same time are counted by each ``Accounts`` for itself: several that share a state let through at most the
    /// limit times their number.
    public struct FailureLimit: Sendable, Hashable {
        /// After so many failures, all passwords of the account are refused, also the right one.
        public var failures = 20
        /// Failures count from the first one until this has passed.
        public var period: Duration = .seconds(15 * 60)

        /// 20 failures in 15 minutes.
        public init() {}

        /// - Parameters:
        ///   - failures: at least 1; less counts as 1.
        ///   - period: from a second to ten years; what is outside counts as the nearest of them.
        public init(failures: Int, in period: Duration) {
            self.failures = failures
            self.period = period
        }

        fileprivate var maximum: Int { max(1, failures) }

        fileprivate var seconds: Int64 {
            let (seconds, rest) = period.components
            return min(max(1, seconds + (rest > 0 && seconds < .max ? 1 : 0)), 3_652 * 86_400)
        }
    }

    /// Where the accounts are kept.
    public let state: any ServerState
    /// What accounts keep of their passwords. An account whose password was set with others must get its password again.
    public let verifiers: Set<Verifier>
    /// Nil for no limit.
    public let failureLimit: FailureLimit?
    private let clock: @Sendable () -> Int64
    private let races = FailureRaces()
    /// The key of a failure that the state could not count.
    private let uncounted = Mutex<[UInt8]?>(nil)
    private let cost: PasswordHash.Cost
    let checks: PasswordChecks
    /// Stands in for the hash of a user without one, so that the same work is done.
    private let decoy: PasswordHash
    /// Refusals are sent after a multiple of this time, so that the time reveals nothing.
    private static let refusalTime = Duration.milliseconds(100)
    /// Names in requests share so many counters of failures when they have no account.
    private static let strangers = 256

    /// - Parameters:
    ///   - state: where the accounts are kept; several servers can share it.
    ///   - verifiers: what accounts keep of their passwords.
    ///   - failureLimit: how many failures an account may have; nil for no limit.
    ///   - passwordMemory: how long this process remembers that a password was right, so that it is not hashed for every request; zero to hash
    ///     it each time. A changed password and a locked account have effect from the next request on all the same.
    public convenience init(
        _ state: any ServerState, verifiers: Set<Verifier> = [.hash], failureLimit: FailureLimit? = .init(),
        passwordMemory: Duration = .seconds(300)
    ) {
        self.init(state, verifiers, failureLimit, passwordMemory, cost: .usual) {
            Int64(clamping: SystemClock.now.seconds)
        }
    }

    /// - Parameters:
    ///   - cost: of new hashes.
    ///   - clock: seconds since 1970.
    package init(
        _ state: any ServerState, _ verifiers: Set<Verifier>, _ failureLimit: FailureLimit?,
        _ passwordMemory: Duration, cost: PasswordHash.Cost = .usual, clock: @escaping @Sendable () -> Int64
    ) {
        (self.state, self.verifiers, self.clock) = (state, verifiers, clock)
        (self.cost, decoy) = (cost, PasswordHash.decoy(cost))
        self.failureLimit = failureLimit
        checks = PasswordChecks(memory: passwordMemory)
    }

    /// In seconds since 1970.
    package var now: Int64 { clock() }

    // MARK: Operators

    /// Adds an account.
    ///
    /// - Throws: ``CredentialStoreError`` with `alreadyThere`, with `invalidItem` for a name, a password or a realm that cannot be used, or with
    ///   `unsupported` when there are no verifiers.
    public func add(_ user: String, password: SecretBytes) async throws {
        try Self.check(name: user)
        let account = try await account(of: user, password)
        guard try await state.add(account) else {
            throw CredentialStoreError(
                .alreadyThere, "“\(user.printable)” has an account already. Set its password, or choose another name.")
        }
        try await forgetFailures(of: user)
    }

    /// Adds an account without password, for a client that authenticates with its certificate.
    ///
    /// - Throws: ``CredentialStoreError`` with `alreadyThere`, also for a certificate of another account, or `invalidItem`.
    public func add(_ user: String, owning certificate: EncodedCertificate) async throws {
        try Self.check(name: user)
        var account = ServerAccount(user)
        account.certificates = [certificate.sha256]
        guard try await state.add(account) else {
            throw CredentialStoreError(
                .alreadyThere,
                "“\(user.printable)” has an account already, or another account owns the certificate. Remove one of them."
            )
        }
    }

    /// Replaces the password of an account, and forgets failures.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`, or as ``add(_:password:)``.
    public func setPassword(_ password: SecretBytes, of user: String) async throws {
        let made = try await account(of: user, password)
        try await change(user) { account in
            (account.hash, account.digests, account.password) = (made.hash, made.digests, made.password)
        }
        try await forgetFailures(of: user)
    }

    /// Refuses the passwords and the certificates of an account from now on.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`.
    public func lock(_ user: String) async throws { try await change(user) { $0.isLocked = true } }

    /// Admits the account again, and forgets failures.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`.
    public func unlock(_ user: String) async throws {
        try await change(user) { $0.isLocked = false }
        try await forgetFailures(of: user)
    }

    /// Adds a certificate to an account, besides those that it has.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`, or `alreadyThere` when another account owns the certificate.
    public func addCertificate(_ certificate: EncodedCertificate, of user: String) async throws {
        try await change(user) { _ = $0.certificates.insert(certificate.sha256) }
    }

    /// Takes a certificate from an account.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`, also when the account does not have it.
    public func removeCertificate(_ certificate: EncodedCertificate, of user: String) async throws {
        try await change(user) { account in
            guard account.certificates.remove(certificate.sha256) != nil else {
                throw CredentialStoreError(
                    .notFound, "The account of “\(user.printable)” does not have this certificate. Nothing was changed."
                )
            }
        }
    }

    /// Removes an account.
    ///
    /// - Throws: ``CredentialStoreError`` with `notFound`.
    public func remove(_ user: String) async throws {
        guard try await state.removeAccount(user) else { throw Self.notFound(user) }
        try await forgetFailures(of: user)
    }

    private func change(
        _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
    ) async throws {
        if try await state.update(user, change) { return }
        guard try await state.account(user) != nil else { throw Self.notFound(user) }
        throw CredentialStoreError(
            .alreadyThere, "Another account owns the certificate. Take it from that account first.")
    }

    private static func notFound(_ user: String) -> CredentialStoreError {
        CredentialStoreError(.notFound, "“\(user.printable)” has no account. Add one, or see which there are.")
    }

    private func forgetFailures(of user: String) async throws { try await state.forgetFailures(of: Self.key(user)) }

    /// - Throws: ``CredentialStoreError`` with `invalidItem`.
    private static func check(name: String) throws {
        guard isName(name) else {
            throw CredentialStoreError(
                .invalidItem,
                "“\(name.printable)” cannot name an account: a name has 1 to 128 printable characters, no colon, and no white space around it."
            )
        }
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name == name.printable && name.unicodeScalars.count <= 128 && !name.utf8.contains(0x3A)
            && name.first?.isWhitespace == false && name.last?.isWhitespace == false
    }

    private static func hasControls(_ text: String) -> Bool { text.utf8.contains { $0 < 0x20 || $0 == 0x7F } }

    /// An account that keeps of the password what the verifiers say.
    ///
    /// - Throws: ``CredentialStoreError`` with `invalidItem` or `unsupported`.
    private func account(of user: String, _ password: SecretBytes) async throws -> ServerAccount {
        guard (1...1024).contains(password.count), let text = password.text, !Self.hasControls(text) else {
            throw CredentialStoreError(
                .invalidItem, "The password cannot be used: it has 1 to 1024 bytes of UTF-8 without control characters."
            )
        }
        guard !verifiers.isEmpty else {
            throw CredentialStoreError(
                .unsupported, "The password would have no effect: these accounts have no verifiers. Name .hash.")
        }
        var account = ServerAccount(user)
        for verifier in verifiers {
            switch verifier {
            case .hash:
                account.hash = try await PasswordChecks.threads.run { [cost] in
                    try PasswordHash(hashing: password, cost)
                }
            case .digest(let realm, let algorithm):
                guard !Self.hasControls(realm) else {
                    throw CredentialStoreError(
                        .invalidItem, "No server has the realm “\(realm.printable)”: it has a control character.")
                }
                account.digests.append(
                    .init(
                        realm: realm, algorithm: algorithm,
                        value: SecretBytes(algorithm.hash("\(account.user):\(realm):\(text)"))))
            case .password: account.password = password
            }
        }
        return account
    }

    // MARK: The server

    /// What was found about presented credentials.
    package enum Finding: Sendable, Equatable {
        case accepted(ServerAccount)
        /// The reason, for the log.
        case refused(String)
    }

    /// Whether the password is that of the user. A refusal takes as long for an unknown user as for a wrong password.
    ///
    /// - Throws: an error of the state, or ``CredentialStoreError`` with `busy` when too many passwords are being checked.
    public func accepts(_ password: SecretBytes, of user: String) async throws -> Bool {
        if case .accepted = try await check(user, password: password) { true } else { false }
    }

    /// What a proof of a password is worth.
    private enum Proof {
        case right
        case wrong
        /// The account keeps nothing with which the proof could be verified.
        case unverifiable
        /// It cannot be verified now.
        /// - isWrong: whether it is known to be wrong all the same.
        case busy(isWrong: Bool)
    }

    /// Checks a password.
    package func check(_ user: String, password: SecretBytes) async throws -> Finding {
        let keepsHashes = verifiers.contains(.hash)
        return try await judge(user) { [checks, decoy] account, isRefused in
            guard keepsHashes else {
                let isRight = ConstantTime.equal(password.bytes, account?.password?.bytes ?? [])
                return account?.password == nil ? .unverifiable : isRight ? .right : .wrong
            }
            switch try await checks.find(password, account?.hash ?? decoy, of: user, usesMemory: !isRefused) {
            case .right: return account?.hash == nil ? .unverifiable : .right
            case .wrong: return account?.hash == nil ? .unverifiable : .wrong
            case .busy(let isWrong): return .busy(isWrong: isWrong)
            }
        }
    }

    /// Checks a proof that has been made from the password.
    ///
    /// - Parameter isRight: says whether the proof was made from what the account keeps; nil when the account keeps nothing for it. It does
    ///   the same work for nil, which is no account.
    package func check(
        _ user: String, _ isRight: @escaping @Sendable (ServerAccount?) -> Bool?
    ) async throws -> Finding {
        try await judge(user) { account, _ in isRight(account).map { $0 ? .right : .wrong } ?? .unverifiable }
    }

    /// - Parameter verify: gets the account, and whether it is refused whatever is right.
    private func judge(
        _ user: String, _ verify: (ServerAccount?, _ isRefused: Bool) async throws -> Proof
    ) async throws -> Finding {
        let begin = ContinuousClock.now
        // A password must not be tried while failures cannot be counted.
        if let key = uncounted.withLock({ $0 }) { try await count(key) }
        // A name that no account can have is looked up under another such name.
        let account = try await state.account(Self.isName(user) ? user : ":")
        let key = account == nil ? Self.strangersKey(user) : Self.key(user)
        let limit = failureLimit?.maximum ?? .max
        var race = races.begin(key)
        defer { races.end(key) }
        var counted = try await state.failures(of: key, now: now)
        for _ in 0..<10 where counted < limit && races.failures(race, counted) >= limit {
            // Failures that are being stored may be counted twice.
            try? await Task.sleep(for: .milliseconds(10))
            race = races.again(race)
            counted = try await state.failures(of: key, now: now)
        }
        let isLocked = account?.isLocked ?? true
        let proof = try await verify(account, isLocked || races.failures(race, counted) >= limit)
        // All that was decided in this process counts, also what the state has not counted yet.
        let isWrong =
            switch proof {
            case .right, .busy(isWrong: false): false
            default: true
            }
        let failures = races.decide(race, counted, isWrong: isWrong)
        if case .right = proof, !isLocked, failures < limit, let account { return .accepted(account) }
        if isWrong {
            // Checks that run now see it, also when it cannot be counted; those to come count it first.
            defer { races.store(key) }
            try await count(key)
        } else {
            // The same work, which counts for nothing.
            try await state.countFailure(of: Self.strangersKey(""), until: now.adding(1), now: now)
        }
        let elapsed = ContinuousClock.now - begin
        let turns = (elapsed / Self.refusalTime).rounded(.up)
        // Without the rest of the time when the client has gone.
        try? await Task.sleep(until: begin + Self.refusalTime * turns, clock: .continuous)
        if case .busy = proof {
            throw CredentialStoreError(.busy, "Too many passwords are being checked. Try again later.")
        }
        return .refused(Self.reason(user, account, proof, isLimited: failures >= limit))
    }

    private func count(_ key: [UInt8]) async throws {
        let now = now
        do {
            try await state.countFailure(of: key, until: now.adding(failureLimit?.seconds ?? 1), now: now)
            uncounted.withLock { if $0 == key { $0 = nil } }
        } catch {
            uncounted.withLock { $0 = key }
            throw error
        }
    }

    private static func reason(
        _ user: String, _ account: ServerAccount?, _ proof: Proof, isLimited: Bool
    ) -> String {
        let name = "“\(user.printable)”"
        guard let account else { return "there is no user \(name)" }
        if account.isLocked { return "the account of \(name) is locked" }
        if case .unverifiable = proof {
            return "the account of \(name) keeps nothing with which this scheme can be verified: set its password anew"
        }
        if isLimited { return "too many failures of user \(name)" }
        return "wrong credentials for user \(name)"
    }

    /// The account that owns a certificate; nil when there is no such account.
    package func owner(ofCertificate sha256: [UInt8]) async throws -> ServerAccount? {
        try await state.account(owningCertificate: sha256)
    }

    private static func key(_ user: String) -> [UInt8] { Array(SHA256.hash(data: Array("failures of \(user)".utf8))) }

    /// Names without an account share some counters: the work is the same as for an account, and they cannot fill the state.
    private static func strangersKey(_ user: String) -> [UInt8] {
        let bucket = SHA256.hash(data: Array(user.utf8)).reduce(0) { ($0 << 8 | Int($1)) % strangers }
        return Array(SHA256.hash(data: Array("failures without account \(bucket)".utf8)))
    }
}

/// Failures that a state had not counted yet when it was asked, because checks run at the same time.
private final class FailureRaces: Sendable {
    /// One check.
    struct Race {
        fileprivate let key: [UInt8]
        /// How many failures this process had stored before the state was asked.
        fileprivate let stored: Int
    }

    private struct Counts {
        var running = 0
        /// The failures that were decided while checks ran.
        var decided = 0
        /// Those of them that the state has counted.
        var stored = 0
    }

    private let counts = Mutex([[UInt8]: Counts]())

    /// Begins a check. Call this before the state is asked.
    func begin(_ key: [UInt8]) -> Race {
        counts.withLock { counts in
            counts[key, default: Counts()].running += 1
            return Race(key: key, stored: counts[key]?.stored ?? 0)
        }
    }

    /// The same check, which asks the state once more.
    func again(_ race: Race) -> Race {
        counts.withLock { Race(key: race.key, stored: $0[race.key]?.stored ?? race.stored) }
    }

    func end(_ key: [UInt8]) {
        counts.withLock { counts in
            guard var found = counts[key] else { return }
            found.running -= 1
            counts[key] = found.running > 0 ? found : nil
        }
    }

    /// All failures so far.
    ///
    /// - Parameter counted: those that the state has counted.
    func failures(_ race: Race, _ counted: Int) -> Int {
        counts.withLock { counted + ($0[race.key]?.decided ?? 0) - race.stored }
    }

    /// Decides about one check at a time.
    ///
    /// - Returns: how many failures there were before this one.
    func decide(_ race: Race, _ counted: Int, isWrong: Bool) -> Int {
        counts.withLock { counts in
            defer { if isWrong { counts[race.key, default: Counts()].decided += 1 } }
            return counted + (counts[race.key]?.decided ?? 0) - race.stored
        }
    }

    /// The state has counted a failure.
    func store(_ key: [UInt8]) { counts.withLock { $0[key]?.stored += 1 } }
}

extension Int64 {
    /// The sum, or the largest number.
    fileprivate func adding(_ other: Int64) -> Int64 {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? .max : sum
    }
}
