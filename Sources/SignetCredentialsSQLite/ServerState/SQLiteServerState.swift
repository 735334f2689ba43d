#if SQLite
import Foundation
public import SignetCredentials
import SignetTLS

/// Keeps the state of a server on one machine: accounts, secrets and issued certificates in an ``EncryptedDatabase``, and in a file beside
/// it, whose name ends in `-use`, which messages were accepted and how many failures there were.
///
/// All processes of the machine can share it. What a call has stored is on the disk when the call returns: neither a crash of the process
/// nor a loss of power makes a message new again. The file beside holds only hashes; when it is lost, messages that were accepted in the
/// minutes before could be replayed.
public struct SQLiteServerState: ServerState {
    /// The file that contains accounts, secrets and issued certificates, sealed with the master key.
    public let database: EncryptedDatabase
    private let use: UseFile
    private let issued: SQLiteIssuedCertificates

    /// Opens the state, or creates it.
    ///
    /// - Parameters:
    ///   - database: stores of other kinds can use it at the same time.
    ///   - capacity: how many messages are remembered at most; the server refuses more. A message takes some 100 bytes of the disk.
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `unsafePermissions`, `notAStore`, `newerVersion`, `damaged`, `full`, `busy`
    ///   or `inputOutput`.
    public init(_ database: EncryptedDatabase, capacity: Int = 1_000_000) async throws {
        self.database = database
        use = try await UseFile(database.path + "-use", capacity: capacity)
        issued = SQLiteIssuedCertificates(database)
    }

    public func secret(for purpose: String) async throws -> SecretBytes {
        // Most of the time it is there.
        if let known = try await database.read({ try Self.secret(purpose, $0) }) { return known }
        return try await database.write { transaction in
            if let known = try Self.secret(purpose, transaction) { return known }
            var fields = RecordFields()
            fields[text: "purpose"] = purpose
            fields["secret"] = .random(32)
            try transaction.add(fields, kind: .serverSecret)
            return SecretBytes(fields["secret"] ?? [])
        }
    }

    private static func secret(_ purpose: String, _ transaction: StoreTransaction) throws -> SecretBytes? {
        let item = transaction.keys.secretItem(purpose)
        guard let fields = try transaction.only(.serverSecret, item: item)?.fields else { return nil }
        return fields["secret"].map { SecretBytes($0) }
    }

    // MARK: Use

    public func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding {
        try await use.remember(key, until: expiry, now: now)
    }

    public func failures(of key: [UInt8], now: Int64) async throws -> Int { try await use.failures(of: key, now: now) }

    @discardableResult
    public func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int {
        try await use.countFailure(of: key, until: end, now: now)
    }

    public func forgetFailures(of key: [UInt8]) async throws { try await use.forgetFailures(of: key) }

    // MARK: Accounts

    public func account(_ user: String) async throws -> ServerAccount? {
        try await database.read { try Self.account(user, $0)?.account }
    }

    public func account(owningCertificate sha256: [UInt8]) async throws -> ServerAccount? {
        try await database.read { transaction in
            guard let user = try Self.owner(of: sha256, transaction),
                let account = try Self.account(user, transaction)?.account, account.certificates.contains(sha256)
            else { return nil }
            return account
        }
    }

    public func add(_ account: ServerAccount) async throws -> Bool {
        try await database.write { transaction in
            guard try Self.account(account.user, transaction) == nil,
                try Self.take(account.certificates, of: account.user, transaction)
            else { return false }
            var fields = RecordFields()
            defer { fields.wipe() }
            account.write(into: &fields)
            try transaction.add(fields, kind: .account)
            return true
        }
    }

    public func update(
        _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
    ) async throws -> Bool {
        try await database.write { transaction in
            guard let found = try Self.account(user, transaction) else { return false }
            var account = found.account
            try change(&account)
            try account.check(isNamed: user)
            let old = found.account.certificates
            guard try Self.take(account.certificates.subtracting(old), of: user, transaction) else { return false }
            // After a repair of the database, one of them may belong to another account.
            for certificate in account.certificates.intersection(old)
            where try !Self.take([certificate], of: user, transaction) { account.certificates.remove(certificate) }
            for certificate in old.subtracting(account.certificates) {
                try Self.release(certificate, of: user, transaction)
            }
            var record = found.record
            defer { record.fields.wipe() }
            account.write(into: &record.fields)
            try transaction.replace(record)
            return true
        }
    }

    /// Removes also an account whose record is damaged.
    public func removeAccount(_ user: String) async throws -> Bool {
        try await database.write { transaction in
            // Also those that a damaged record no longer names.
            for record in try transaction.records(.accountCertificate).whole where record.fields[text: "user"] == user {
                guard let text = record.fields[text: "certificate"] else { continue }
                _ = try transaction.remove(
                    .accountCertificate, item: transaction.keys.accountCertificateItem(text))
            }
            return try transaction.remove(.account, item: transaction.keys.accountItem(user))
        }
    }

    public func users() async throws -> [String] {
        try await database.read { transaction in
            let (whole, damaged) = try transaction.records(.account)
            guard damaged.isEmpty else { throw CredentialStoreError.damagedState }
            return whole.compactMap { $0.fields[text: "user"] }.sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }

    private static func account(
        _ user: String, _ transaction: StoreTransaction
    ) throws -> (record: StoreTransaction.Record, account: ServerAccount)? {
        guard let record = try transaction.only(.account, item: transaction.keys.accountItem(user)) else { return nil }
        guard let account = ServerAccount(record.fields) else { throw CredentialStoreError.damagedState }
        return (record, account)
    }

    // MARK: Certificates of accounts

    private static func owner(of certificate: [UInt8], _ transaction: StoreTransaction) throws -> String? {
        let item = transaction.keys.accountCertificateItem(certificate)
        return try transaction.only(.accountCertificate, item: item)?.fields[text: "user"]
    }

    /// - Returns: false when one of them belongs to another account.
    private static func take(
        _ certificates: Set<[UInt8]>, of user: String, _ transaction: StoreTransaction
    ) throws -> Bool {
        var free: [[UInt8]] = []
        for certificate in certificates {
            guard let owner = try owner(of: certificate, transaction) else {
                free.append(certificate)
                continue
            }
            if owner.utf8.elementsEqual(user.utf8) { continue }
            // After a repair of the database, the account may be gone.
            guard try account(owner, transaction) == nil else { return false }
            try release(certificate, of: owner, transaction)
            free.append(certificate)
        }
        for certificate in free {
            var fields = RecordFields()
            fields[text: "certificate"] = Text.hexadecimal(certificate)
            fields[text: "user"] = user
            try transaction.add(fields, kind: .accountCertificate)
        }
        return true
    }

    private static func release(_ certificate: [UInt8], of user: String, _ transaction: StoreTransaction) throws {
        guard try owner(of: certificate, transaction)?.utf8.elementsEqual(user.utf8) == true else { return }
        _ = try transaction.remove(
            .accountCertificate, item: transaction.keys.accountCertificateItem(certificate))
    }

    // MARK: Issued certificates

    public func add(_ certificate: IssuedCertificate) async throws { try await issued.add(certificate) }

    public func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate? {
        try await issued.certificate(serialNumber: serialNumber)
    }

    public func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate] {
        try await issued.certificates(publicKeySHA256: publicKeySHA256)
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool {
        try await issued.revoke(serialNumber: serialNumber, revocation)
    }

    public func certificates() async throws -> [IssuedCertificate] { try await issued.certificates() }
}

extension SQLiteServerState: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteServerState(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}

extension StoreTransaction {
    /// The record with this item; nil when there is no such record.
    fileprivate func only(_ kind: RecordKind, item: [UInt8]) throws -> Record? {
        let (whole, damaged) = try records(kind, where: [("item", item)])
        guard damaged.isEmpty else { throw CredentialStoreError.damagedState }
        return whole.first
    }

    /// Adds a record whose indexes are made from its content.
    fileprivate func add(_ fields: RecordFields, kind: RecordKind) throws {
        guard let indexes = keys.indexes(kind, fields) else { throw CredentialStoreError.damagedState }
        try add(fields, kind: kind, indexes: indexes)
    }
}
#endif
