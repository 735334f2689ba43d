#if SQLite
import GRDB
import SignetCredentials

/// The tables of a store. Without the key, only their names can be read.
enum StoreSchema {
    /// “SGNT”: distinguishes a store from other databases.
    static let applicationID: Int64 = 0x5347_4E54

    private static let statements = [
        """
        CREATE TABLE header (id INTEGER PRIMARY KEY, store BLOB NOT NULL, key BLOB NOT NULL, derivation BLOB NOT NULL, \
        verifier BLOB NOT NULL, code BLOB NOT NULL)
        """,
        """
        CREATE TABLE record (id BLOB PRIMARY KEY, kind INTEGER NOT NULL, revision INTEGER NOT NULL, item BLOB NOT NULL UNIQUE, \
        space BLOB, host BLOB, account BLOB, sealed BLOB NOT NULL) WITHOUT ROWID
        """,
        "CREATE TABLE register (number INTEGER PRIMARY KEY, generation INTEGER NOT NULL, sealed BLOB NOT NULL)",
        "CREATE INDEX record_space ON record (space)",
        "CREATE INDEX record_host ON record (host)",
        "CREATE INDEX record_account ON record (account)",
    ]

    static func create(_ database: Database) throws {
        for statement in statements { try database.execute(sql: statement) }
        try database.execute(sql: "PRAGMA application_id = \(applicationID)")
        try database.execute(sql: "PRAGMA user_version = \(RecordKeys.schemaVersion)")
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `notAStore`, `newerVersion` or `damaged`.
    static func check(_ database: Database, path: String) throws {
        guard try Int64.fetchOne(database, sql: "PRAGMA application_id") == applicationID else {
            throw CredentialStoreError(
                .notAStore, "“\(path)” is a database of another program; it was left as it is. Name another file.")
        }
        let version = try Int64.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= Int64(RecordKeys.schemaVersion) else {
            throw CredentialStoreError(
                .newerVersion,
                """
                “\(path)” was written by a later version of Signet (schema \(version), known here up to \
                \(RecordKeys.schemaVersion)); it was left as it is. Update this program.
                """)
        }
        // A trigger or view that an attacker has added would run with every change.
        let found = try String.fetchAll(database, sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        guard version == Int64(RecordKeys.schemaVersion), Set(found) == Set(statements), found.count == statements.count
        else {
            throw CredentialStoreError(
                .damaged, "The tables of “\(path)” are not those of a store. Restore it from a backup.")
        }
    }
}
#endif
