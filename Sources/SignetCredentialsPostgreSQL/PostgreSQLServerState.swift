import Foundation
public import SignetCredentials
import SignetTLS

/// Keeps the state of a server in a database of PostgreSQL 12 or later, for servers on several machines.
///
/// Accounts, secrets and issued certificates are sealed with a master key, which all servers have and the database has not. Which messages
/// were accepted, and how many failures there were, is in tables that hold only hashes. What a call has stored is on the disk of the
/// database when the call returns.
///
/// When the database cannot be reached, the calls throw, and the server refuses the request. After the database has restarted, the next
/// call makes a new connection. A call whose answer was lost throws as well: its message counts as accepted when the database had carried
/// it out, and the client must send another one.
///
/// A program that can write into the database can restore old rows: give this right to no other role.
public struct PostgreSQLServerState: ServerState {
    /// How often those messages are removed that have expired, in seconds.
    private static let sweepInterval: Int64 = 10

    /// The database, as it was given.
    public var database: PostgreSQLDatabase { pool.database }
    private let pool: ConnectionPool
    private let keys: RecordKeys
    private let capacity: Int64
    private let capacityCheck = CapacityCheck()
    private var schema: String { pool.database.quotedSchema }

    /// Opens the state, or makes its tables.
    ///
    /// The role needs the right to make the schema, or to make tables in a schema that is there.
    ///
    /// - Parameters:
    ///   - database: all servers of one state use the same schema of the same database.
    ///   - provider: the source of the master key. It is asked once.
    ///   - capacity: how many messages are remembered at most; the server refuses more. The limit is for all servers together; what several
    ///     of them store within ten seconds can exceed it. A message takes some 200 bytes.
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `invalidItem` for a setting that cannot take effect, `unreachable`,
    ///   `notEntitled`, `notAStore`, `newerVersion`, `keyUnavailable`, `wrongKey` or `damaged`.
    public init(
        _ database: PostgreSQLDatabase, key provider: any MasterKeyProvider, capacity: Int = 1_000_000
    ) async throws {
        pool = try ConnectionPool(database)
        self.capacity = Int64(min(max(1, capacity), 1 << 40))
        try await pool.run { try PostgreSQLSchema.prepare($0, database) }
        keys = try await Self.keys(pool, provider)
    }

    /// The keys of the state; the first server makes them.
    private static func keys(_ pool: ConnectionPool, _ provider: any MasterKeyProvider) async throws -> RecordKeys {
        let (database, path) = (pool.database, "postgresql://\(pool.database.place)")
        func stored() async throws -> StoreHeader? {
            try await pool.run { turn in
                let rows = try turn.run(
                    "SELECT store, key, derivation, verifier, code FROM \(database.quotedSchema).header WHERE id = 1")
                guard !rows.rows.isEmpty else { return nil }
                return try StoreHeader(
                    store: rows[0], key: rows[1], derivation: rows[2], verifier: rows[3], code: rows[4])
            }
        }
        func keys(of header: StoreHeader) async throws -> RecordKeys {
            let master = try await provider.masterKey(
                for: MasterKeyRequest(
                    path: path, keyID: header.keyID.uuidString, derivation: header.derivation, isNew: false))
            return try header.keys(from: master, path: path, source: provider.name)
        }
        if let header = try await stored() { return try await keys(of: header) }
        let (storeID, keyID, derivation) = (UUID(), UUID(), provider.newDerivation())
        let master = try await provider.masterKey(
            for: MasterKeyRequest(path: path, keyID: keyID.uuidString, derivation: derivation, isNew: true))
        let made = RecordKeys(master: master, storeID: storeID, keyID: keyID)
        let header = try StoreHeader(keys: made, derivation: derivation)
        try await pool.run { turn in
            _ = try turn.run(
                // What is sealed already has lost its key: another one would hide it.
                """
                INSERT INTO \(database.quotedSchema).header SELECT 1, $1, $2, $3, $4, $5
                WHERE NOT EXISTS (SELECT FROM \(database.quotedSchema).record) ON CONFLICT DO NOTHING
                """,
                .bytes(header.storeID.bytes), .bytes(header.keyID.bytes), .bytes(header.derivation.encoded),
                .bytes(header.verifier), .bytes(header.code))
        }
        // Another server may have been the first.
        guard let first = try await stored() else { throw StoreHeader.damaged }
        return first == header ? made : try await keys(of: first)
    }

    public func secret(for purpose: String) async throws -> SecretBytes {
        try await pool.run { turn in
            let records = records(turn)
            let item = keys.secretItem(purpose)
            if try records.only(.serverSecret, item: item) == nil {
                var fields = RecordFields()
                defer { fields.wipe() }
                fields[text: "purpose"] = purpose
                fields["secret"] = .random(32)
                // Another server may have been the first.
                _ = try records.add(fields, kind: .serverSecret)
            }
            guard let secret = try records.only(.serverSecret, item: item)?.fields["secret"] else {
                throw CredentialStoreError.damagedState
            }
            return SecretBytes(secret)
        }
    }

    private func records(_ turn: ConnectionPool.Turn) -> RecordTable {
        RecordTable(turn: turn, keys: keys, name: schema + ".record")
    }

    // MARK: Messages

    public func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding {
        let time = max(0, now)
        let deadline = pool.deadline
        // What has expired is refused also when it is still there: if removing it fails, the message can be decided nevertheless.
        if capacityCheck.beginsSweep(time, every: Self.sweepInterval) {
            let sweeping = try? await sweep(time, .now + pool.database.timeout / 4)
            capacityCheck.endSweep(time, sweeping)
        }
        // What is asked again could be answered with the first question's own trace.
        return try await pool.run(isRepeatable: false, deadline: deadline) { turn in
            switch capacityCheck.take() {
            case .open: break
            case .uncounted:
                defer { capacityCheck.endCount() }
                let count = try turn.run("SELECT count(*) FROM \(schema).remembered").integer(0) ?? capacity
                if !capacityCheck.refill(max(0, capacity - count)) { fallthrough }
            case .full:
                let known = try turn.run("SELECT 1 FROM \(schema).remembered WHERE key = $1", .bytes(key))
                return known.rows.isEmpty ? .full : .replayed
            }
            let answer = try turn.run(
                "SELECT finding, swept_until FROM \(schema).remember($1, $2, $3)", .bytes(key), .integer(expiry),
                .integer(time))
            switch answer.integer(0) {
            case 0: return .new
            case 1: return .replayed
            case 2:
                throw CredentialStoreError(
                    .damaged,
                    "The clock of this machine is more than ten minutes behind that of another use of the database \(pool.database.place). Set the clocks right; if the other one was wrong, set “swept” in the table “sweep” of the schema “\(pool.database.schema)” to the right time when no message of before is fresh."
                )
            default: throw CredentialStoreError.damagedState
            }
        }
    }

    /// Removes what has expired, in portions, so that no message waits long.
    private func sweep(_ time: Int64, _ deadline: ContinuousClock.Instant) async throws -> CapacityCheck.Sweep {
        try await pool.run(deadline: deadline) { turn in
            try turn.run("SELECT \(schema).begin_sweep($1)", .integer(time))
            let failures = try turn.run(
                "DELETE FROM \(schema).failure WHERE ends <= $1 AND key IN (SELECT key FROM \(schema).failure WHERE ends <= $1 LIMIT 2000 FOR UPDATE SKIP LOCKED)",
                .integer(time))
            var sweep = CapacityCheck.Sweep(hasRemoved: false, isFinished: failures.changed < 2000)
            for _ in 0..<5 {
                let removed = try turn.run(
                    "DELETE FROM \(schema).remembered WHERE key IN (SELECT key FROM \(schema).remembered WHERE expiry < $1 LIMIT 2000 FOR UPDATE SKIP LOCKED)",
                    .integer(time))
                if removed.changed > 0 { sweep.hasRemoved = true }
                if removed.changed < 2000 { return sweep }
            }
            sweep.isFinished = false
            return sweep
        }
    }

    // MARK: Failures

    public func failures(of key: [UInt8], now: Int64) async throws -> Int {
        try await pool.run { turn in
            let found = try turn.run(
                "SELECT count FROM \(schema).failure WHERE key = $1 AND ends > $2", .bytes(key), .integer(now))
            return Int(clamping: found.integer(0) ?? 0)
        }
    }

    @discardableResult public func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int {
        // Counted twice is better than not counted.
        try await pool.run { turn in
            let counted = try turn.run(
                """
                INSERT INTO \(schema).failure AS known VALUES ($1, 1, $2) ON CONFLICT (key) DO UPDATE SET
                count = CASE WHEN known.ends <= $3 THEN 1 ELSE least(known.count, 1000000000) + 1 END,
                ends = CASE WHEN known.ends <= $3 THEN $2 ELSE least(known.ends, $2) END
                RETURNING count
                """, .bytes(key), .integer(end), .integer(now))
            guard let count = counted.integer(0) else { throw CredentialStoreError.damagedState }
            return Int(clamping: count)
        }
    }

    public func forgetFailures(of key: [UInt8]) async throws {
        try await pool.run { turn in _ = try turn.run("DELETE FROM \(schema).failure WHERE key = $1", .bytes(key)) }
    }

    // MARK: Accounts

    public func account(_ user: String) async throws -> ServerAccount? {
        try await pool.run { try records($0).account(user)?.account }
    }

    public func account(owningCertificate sha256: [UInt8]) async throws -> ServerAccount? {
        try await pool.run { turn in
            let records = records(turn)
            guard let user = try records.owner(of: sha256), let account = try records.account(user)?.account,
                account.certificates.contains(sha256)
            else { return nil }
            return account
        }
    }

    public func add(_ account: ServerAccount) async throws -> Bool {
        // Asked again, it would find what it has added itself.
        try await pool.run(isRepeatable: false) { turn in
            try turn.attempt {
                let records = records(turn)
                var fields = RecordFields()
                defer { fields.wipe() }
                account.write(into: &fields)
                return try records.add(fields, kind: .account)
                    && records.take(account.certificates, of: account.user)
            }
        }
    }

    public func update(
        _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
    ) async throws -> Bool {
        try await pool.run(isRepeatable: false) { turn in
            try turn.attempt {
                let records = records(turn)
                guard var (record, account) = try records.account(user, isLocking: true) else { return false }
                defer { record.fields.wipe() }
                let old = account.certificates
                try change(&account)
                try account.check(isNamed: user)
                guard try records.take(account.certificates.subtracting(old), of: user) else { return false }
                for certificate in old.subtracting(account.certificates) {
                    try records.release(certificate, of: user)
                }
                account.write(into: &record.fields)
                try records.replace(record)
                return true
            }
        }
    }

    /// Removes also an account whose record is damaged.
    public func removeAccount(_ user: String) async throws -> Bool {
        try await pool.run(isRepeatable: false) { turn in
            try turn.transaction { try records(turn).removeAccount(user) }
        }
    }

    public func users() async throws -> [String] {
        try await pool.run { turn in
            try records(turn).all(.account).map { record in
                guard let user = record.fields[text: "user"] else { throw CredentialStoreError.damagedState }
                return user
            }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    // MARK: Issued certificates

    /// - Throws: also ``/SignetCredentials/CredentialStoreError`` with `alreadyThere` for a serial number that was issued before.
    public func add(_ certificate: IssuedCertificate) async throws {
        let isAdded = try await pool.run(isRepeatable: false) { turn in
            try records(turn).add(certificate.fields, kind: .issuedCertificate)
        }
        guard isAdded else {
            throw CredentialStoreError(
                .alreadyThere,
                "The state has a certificate with this serial number already. Issue one with another number.")
        }
    }

    public func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate? {
        try await pool.run { turn in
            try records(turn).only(.issuedCertificate, item: keys.issuedItem(serialNumber)).map {
                try IssuedCertificate($0.fields)
            }
        }
    }

    public func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate] {
        try await pool.run { turn in
            let index = keys.publicKeyIndex(Text.hexadecimal(publicKeySHA256))
            return try records(turn).all(.issuedCertificate, space: index).map { try IssuedCertificate($0.fields) }
        }
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool {
        try await pool.run { turn in
            try turn.attempt {
                let records = records(turn)
                guard
                    var record = try records.only(
                        .issuedCertificate, item: keys.issuedItem(serialNumber), isLocking: true)
                else { return false }
                var certificate = try IssuedCertificate(record.fields)
                certificate.revoke(revocation)
                record.fields = certificate.fields
                try records.replace(record)
                return true
            }
        }
    }

    public func certificates() async throws -> [IssuedCertificate] {
        try await pool.run { try records($0).all(.issuedCertificate).map { try IssuedCertificate($0.fields) } }
    }
}

extension PostgreSQLServerState: CustomStringConvertible, CustomReflectable {
    public var description: String { "PostgreSQLServerState(\(database.place), schema \(schema))" }
    public var customMirror: Mirror { Mirror(self, children: ["database": database], displayStyle: .struct) }
}
