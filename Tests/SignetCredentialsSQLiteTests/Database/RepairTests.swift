import Foundation
import GRDB
import SignetCredentials
import SignetCredentialsSQLite
import Testing

/// A repair is no way back for what was known before.
@Suite struct RepairTests {
    private static let anna = StoreFolder.credential("anna").key

    /// A store in which Anna's secret was changed, and the rows of the time before.
    private static func withOldRows(
        _ body: (StoreFolder, SQLiteCredentialStore, _ old: [(table: String, row: Row)]) async throws -> Void
    ) async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            let old = try ["record", "register"].flatMap { table in
                try folder.rows("SELECT * FROM \(table)").map { (table, $0) }
            }
            try await store.update(anna, with: CredentialChange(secret: SecretBytes("new")))
            try await body(folder, store, old)
        }
    }

    private static func putBack(_ rows: [(table: String, row: Row)], in folder: StoreFolder) throws {
        for (table, row) in rows {
            let places = row.databaseValues.map { _ in "?" }.joined(separator: ", ")
            try folder.tamper(
                "INSERT OR REPLACE INTO \(table) VALUES (\(places))", StatementArguments(row.databaseValues))
        }
    }

    /// With lists that start again, old rows would agree with old lists.
    @Test(arguments: ["DELETE FROM register", "DELETE FROM register WHERE generation = 3", "SELECT 1"])
    func oldRowsCannotBePutBack(damage: String) async throws {
        try await Self.withOldRows { folder, store, old in
            try folder.tamper(damage)
            try await store.database.repair(keepsUnproven: true)
            #expect(try await store.find(CredentialQuery()).map(\.secret.text) == ["new"])
            try Self.putBack(old, in: folder)
            for database in [store.database, try await folder.open()] {
                let (found, damaged) = try await SQLiteCredentialStore(database).search(CredentialQuery())
                #expect(found.isEmpty)
                #expect(damaged.isEmpty == false)
            }
        }
    }

    /// A program that stores the generation elsewhere can still compare it after a repair.
    @Test(arguments: ["DELETE FROM register", "DELETE FROM register WHERE generation = 3", "SELECT 1"])
    func repairKeepsIncreasingTheGeneration(damage: String) async throws {
        try await Self.withOldRows { folder, store, _ in
            let known = try await store.database.generation()
            try folder.tamper(damage)
            // It is unknown which of two records is the latest: the caller must say what happens to them.
            if damage.hasPrefix("DELETE") {
                await #expect(throws: CredentialStoreError(.damaged, "")) { try await store.database.repair() }
            }
            try await store.database.repair(keepsUnproven: false)
            #expect(try await store.database.generation() > known)

            // Opened by a program that has not seen the generation, but has been given it.
            var options = EncryptedDatabase.Options()
            options.minimumGeneration = 1000
            try folder.tamper("DELETE FROM register")
            let told = try await folder.open(nil, options)
            #expect(try await told.check().damagedLists == 258)
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await told.generation() }
            try await told.repair(keepsUnproven: false)
            #expect(try await told.generation() == 1001)
            _ = try await folder.open(nil, options)
        }
    }

    /// The lists that are left say how far they had come.
    @Test func theGenerationIsThatOfTheYoungestList() async throws {
        try await Self.withOldRows { folder, store, _ in
            let known = try await store.database.generation()
            try folder.tamper("DELETE FROM register WHERE number > 255")
            let other = try await folder.open()
            try await other.repair(keepsUnproven: true)
            #expect(try await other.generation() == known + 1)
            #expect(try await other.check().isSound)
        }
    }

    /// Of two that say they are the same, the one that is known to be the latest is kept.
    @Test func repairKeepsTheRecordKnownToBeTheLatest() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            for _ in 0..<8 {
                try await store.add(StoreFolder.credential("anna"))
                let old = try folder.rows("SELECT * FROM record")
                let first: Data = try #require(old.first)["id"]
                try await store.remove(Self.anna)
                try await store.add(
                    StoredCredential(key: Self.anna, secret: SecretBytes("new"), label: "", comment: ""))
                let latest: Data = try #require(folder.rows("SELECT * FROM record").first)["id"]
                // One time in 256 both stand in one list, and nothing would be known of either.
                guard latest[0] != first[0] else {
                    try await store.remove(Self.anna)
                    continue
                }
                // The old one stands elsewhere, with a list that says nothing.
                try folder.tamper("UPDATE register SET sealed = x'00' WHERE number = \(first[0])")
                var values = Array(try #require(old.first).databaseValues)
                values[3] = Data([1]).databaseValue
                try folder.tamper(
                    "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", StatementArguments(values))
                try await store.database.repair(keepsUnproven: true)
                #expect(try await store.find(CredentialQuery()).map(\.secret.text) == ["new"])
                try await store.remove(Self.anna)
            }
        }
    }

    /// A whole old copy that is written into a store while it is open.
    @Test func anOpenStoreNoticesAnOldCopy() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            let old = try ["record", "register"].flatMap { table in
                try folder.rows("SELECT * FROM \(table)").map { (table, $0) }
            }
            try await store.update(Self.anna, with: CredentialChange(secret: SecretBytes("new")))
            try Self.putBack(old, in: folder)
            await #expect(throws: CredentialStoreError(.rolledBack, "")) { try await store.find(CredentialQuery()) }
            await #expect(throws: CredentialStoreError(.rolledBack, "")) { try await store.remove(Self.anna) }
            // Neither makes the old one the latest.
            await #expect(throws: CredentialStoreError(.rolledBack, "")) { try await store.database.repair() }
            await #expect(throws: CredentialStoreError(.rolledBack, "")) {
                try await store.database.rekey(to: FixedMasterKey(.random()))
            }
            await #expect(throws: CredentialStoreError(.rolledBack, "")) { try await store.find(CredentialQuery()) }
        }
    }
}
