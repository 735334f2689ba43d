#if SQLite
import Foundation
import GRDB
import SignetCredentials

extension StoreHeader {
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when the header is absent or malformed.
    init(_ database: Database) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT store, key, derivation, verifier, code FROM header WHERE id = 1")
        try self.init(
            store: row?.bytes("store"), key: row?.bytes("key"), derivation: row?.bytes("derivation"),
            verifier: row?.bytes("verifier"), code: row?.bytes("code"))
    }

    func write(_ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO header (id, store, key, derivation, verifier, code) VALUES (1, ?, ?, ?, ?, ?)",
            arguments: [
                Data(storeID.bytes), Data(keyID.bytes), Data(derivation.encoded), Data(verifier), Data(code),
            ])
    }
}

extension Row {
    /// The value of a column. It may have any type, since an attacker may have changed the file.
    func bytes(_ column: String) -> [UInt8]? {
        let value: DatabaseValue = self[column]
        return Data.fromDatabaseValue(value).map { Array($0) }
    }

    func integer(_ column: String) -> Int64? {
        let value: DatabaseValue = self[column]
        return Int64.fromDatabaseValue(value)
    }
}
#endif
