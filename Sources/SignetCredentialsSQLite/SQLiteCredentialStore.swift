#if SQLite
import Foundation
public import SignetCredentials

/// Keeps credentials in an ``EncryptedDatabase``: the store for systems without a Keychain.
public struct SQLiteCredentialStore: CredentialStore {
    /// The file that contains the credentials, sealed with the master key.
    public let database: EncryptedDatabase
    private let now: @Sendable () -> Int64

    /// - Parameter database: stores of other kinds can use it at the same time.
    public init(_ database: EncryptedDatabase) {
        self.init(database, now: { Int64(Date().timeIntervalSince1970) })
    }

    init(_ database: EncryptedDatabase, now: @escaping @Sendable () -> Int64) {
        self.database = database
        self.now = now
    }

    public func find(_ query: CredentialQuery) async throws -> [StoredCredential] {
        let (found, damaged) = try await search(query)
        if found.isEmpty, let first = damaged.first {
            throw CredentialStoreError(
                .damaged,
                """
                What “\(database.path)” has for this is damaged (\(first)), and not ignored. Restore a backup; or \
                remove it, or call repair(), and add it anew.
                """)
        }
        return found
    }

    public func list(_ query: CredentialQuery) async throws -> [CredentialEntry] { try await find(query).map(\.entry) }

    /// Finds credentials, and damaged records that could be among them.
    public func search(
        _ query: CredentialQuery
    ) async throws -> (found: [StoredCredential], damaged: [DamagedRecord]) {
        try await database.read { transaction in
            let keys = transaction.keys
            var conditions: [(String, [UInt8])] = []
            if let space = query.space {
                conditions.append(("space", keys.spaceIndex(space)))
            } else if let host = query.host {
                conditions.append(("host", keys.hostIndex(host)))
            }
            if let account = query.account { conditions.append(("account", keys.accountIndex(account))) }
            let (whole, damaged) = try transaction.records(.credential, where: conditions)
            let found = whole.compactMap { StoredCredential($0.fields) }.filter { query.matches($0.key) }
            return (found.sorted { CredentialKey.precedes($0.key, $1.key) }, damaged)
        }
    }

    public func add(_ credential: StoredCredential) async throws { try await add([credential]) }

    /// Adds many in one transaction: all of them, or none when it throws.
    public func add(_ credentials: [StoredCredential]) async throws {
        var kept: [StoredCredential] = []
        for credential in credentials {
            try credential.validate()
            switch credential.entry.persistence {
            case .none: break
            case .session: throw CredentialStoreError.notPermanent("“\(database.path)”")
            case .permanent: kept.append(credential.added(at: now()))
            }
        }
        if kept.isEmpty { return }
        try await database.write { [kept] transaction in
            for credential in kept {
                var fields = RecordFields()
                credential.write(into: &fields)
                defer { fields.wipe() }
                guard
                    try transaction.insert(
                        fields, kind: .credential, indexes: transaction.keys.indexes(credential.key))
                else { throw CredentialStoreError.alreadyThere(credential.key) }
            }
        }
    }

    public func update(_ key: CredentialKey, with change: CredentialChange) async throws {
        try change.validate()
        let (path, now) = (database.path, now())
        try await database.write { transaction in
            let (whole, damaged) = try transaction.records(
                .credential, where: [("item", transaction.keys.itemIndex(key))])
            guard var record = whole.first, let old = StoredCredential(record.fields), old.key == key else {
                if damaged.isEmpty, whole.isEmpty { throw CredentialStoreError.notFound(key) }
                throw CredentialStoreError(
                    .damaged,
                    "What “\(path)” has for the \(key) is damaged. Remove it and add it anew, or restore a backup.")
            }
            change.applied(to: old, at: now).write(into: &record.fields)
            try transaction.replace(record)
        }
    }

    /// Removes a credential, also a damaged one.
    @discardableResult public func remove(_ key: CredentialKey) async throws -> Bool {
        try await database.write { try $0.remove(.credential, item: $0.keys.itemIndex(key)) }
    }
}

extension SQLiteCredentialStore: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteCredentialStore(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}
#endif
