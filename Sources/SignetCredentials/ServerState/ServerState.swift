/// What a server must not forget when it restarts, and what all its processes share: the accounts of its clients, the messages and the
/// credentials that were used up, failures of passwords, and the certificates that its authority has issued.
///
/// ``MemoryServerState`` lasts as long as the process, for tests; `SQLiteServerState` of `SignetCredentialsSQLite` is for one machine, and
/// `PostgreSQLServerState` of `SignetCredentialsPostgreSQL` for several.
/// When a state cannot be reached, its methods throw, and the server refuses the request: it accepts none that may be a replay.
///
/// The checks of `ServerStateConformance` of `SignetTesting` are for states of your own.
public protocol ServerState: AccountStore, FailureCounter, IssuedCertificateStore, ReplayCache {
    /// Returns 32 random bytes, which are made when they are asked for the first time, and then stay the same for all processes.
    ///
    /// - Parameter purpose: another purpose has other bytes. At most 64 characters.
    func secret(for purpose: String) async throws -> SecretBytes
}

/// Keeps the accounts of a server's clients.
///
/// Names are the same when their UTF-8 is: the store compares no other forms of them.
public protocol AccountStore: Sendable {
    /// The account of a user; nil when there is no such account.
    func account(_ user: String) async throws -> ServerAccount?

    /// The account that owns a certificate; nil when there is no such account.
    ///
    /// - Parameter sha256: of the certificate in DER.
    func account(owningCertificate sha256: [UInt8]) async throws -> ServerAccount?

    /// Adds an account.
    ///
    /// - Returns: false when the user has an account already, or another account owns one of its certificates; nothing is changed then.
    func add(_ account: ServerAccount) async throws -> Bool

    /// Changes an account. Of several changes at the same time, each sees the outcome of the one before.
    ///
    /// - Parameters:
    ///   - user: has the account.
    ///   - change: may run several times, for instance when a transaction is repeated. When it throws, nothing is changed. It must not ask
    ///     the store for anything.
    /// - Throws: the error of `change`; ``CredentialStoreError`` with `invalidItem` when it gives the account another name.
    /// - Returns: false when there is no such account, or another account owns one of its new certificates; nothing is changed then.
    func update(
        _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
    ) async throws -> Bool

    /// Removes an account.
    ///
    /// - Returns: false when there was no such account.
    func removeAccount(_ user: String) async throws -> Bool

    /// The users that have accounts, in the order of their UTF-8.
    func users() async throws -> [String]
}

/// Counts failures, such as wrong passwords of an account.
public protocol FailureCounter: Sendable {
    /// How many failures are counted for a key; 0 when the time for which they count has ended.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - now: in seconds since 1970.
    func failures(of key: [UInt8], now: Int64) async throws -> Int

    /// Counts one more.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - end: until when this failure counts, in seconds since 1970. While others count, all of them count until the earliest of their ends.
    ///   - now: in seconds since 1970.
    /// - Returns: how many are counted now.
    @discardableResult func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int

    /// Counts from zero again.
    func forgetFailures(of key: [UInt8]) async throws
}
