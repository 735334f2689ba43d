import Foundation
import GRDB
import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite
import Testing

/// Changes to a file by an attacker without the key, and their effects.
@Suite struct DamageTests {
    private static let accounts = ["anna", "bert", "carl"]

    /// Three credentials; `body` gets the identifier of Anna's record.
    private static func withStore(
        _ body: (StoreFolder, SQLiteCredentialStore, Data) async throws -> Void
    ) async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            let id: Data = try #require(try folder.rows("SELECT id FROM record").first)["id"]
            for account in accounts.dropFirst() { try await store.add(StoreFolder.credential(account)) }
            try await body(folder, store, id)
        }
    }

    /// Anna's is found damaged, the others as they were.
    private static func expect(
        _ problem: DamagedRecord.Problem, _ store: SQLiteCredentialStore, sound: Int = 2,
        others: [String] = ["bert", "carl"]
    ) async throws {
        let report = try await store.database.check()
        #expect(report.damaged.map(\.problem) == [problem])
        #expect(report.sound == sound)
        let found = try await store.find(CredentialQuery())
        #expect(found.map(\.key.account) == others)
        #expect(found.map(\.secret.text) == others.map { "canary-secret-\($0)" })
    }

    @Test(arguments: [
        "sealed = zeroblob(length(sealed))", "sealed = x''", "sealed = 'text'", "sealed = 5", "revision = revision + 1",
        "kind = 2", "sealed = substr(sealed, 1, length(sealed) - 1)", "revision = 'x'", "revision = x'00'",
    ]) func aChangedRecordIsNoticed(change: String) async throws {
        try await Self.withStore { folder, store, id in
            try folder.tamper("UPDATE record SET \(change) WHERE id = ?", [id])
            try await Self.expect(.unreadable, store)
            let anna = StoreFolder.credential("anna")
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await store.find(CredentialQuery(space: anna.key.space, account: "anna"))
            }
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await store.update(anna.key, with: CredentialChange(label: "x"))
            }
            #expect(try await store.search(CredentialQuery()).damaged.count == 1)
            // It can be removed by its key, and added again.
            #expect(try await store.remove(anna.key))
            try await store.add(anna)
            #expect(try await store.database.check().isSound)
        }
    }

    /// Each bit of the sealed bytes counts.
    @Test func anyFlippedBitIsNoticed() async throws {
        try await Self.withStore { folder, store, id in
            let sealed: Data = try #require(
                try folder.rows(
                    "SELECT sealed FROM record WHERE id = x'\(id.map { String(format: "%02x", $0) }.joined())'"
                )
                .first)["sealed"]
            for index in stride(from: 0, to: sealed.count, by: 7) {
                var changed = sealed
                changed[index] ^= 1 << UInt8(index % 8)
                try folder.tamper("UPDATE record SET sealed = ? WHERE id = ?", [changed, id])
                #expect(try await store.search(CredentialQuery()).damaged.map(\.problem) == [.unreadable])
            }
            try folder.tamper("UPDATE record SET sealed = ? WHERE id = ?", [sealed, id])
            #expect(try await store.database.check().isSound)
        }
    }

    @Test func exchangedRecordsAreNoticed() async throws {
        try await Self.withStore { folder, store, id in
            try folder.tamper(
                "UPDATE record SET sealed = (SELECT sealed FROM record WHERE id <> ? LIMIT 1) WHERE id = ?", [id, id])
            try await Self.expect(.unreadable, store)
        }
    }

    /// Bert's secret under Anna's index would be given out as Anna's.
    @Test func exchangedIndexesAreNoticed() async throws {
        try await Self.withStore { folder, store, id in
            try folder.tamper("UPDATE record SET account = x'00', host = x'00' WHERE id = ?", [id])
            let report = try await store.database.check()
            #expect(report.damaged.map(\.problem) == [.misplaced])
            #expect(try await store.find(CredentialQuery()).count == 2)
            try await store.database.repair()
            #expect(try await store.database.check().isSound)
            #expect(
                try await store.find(CredentialQuery(space: StoreFolder.credential("").key.space, account: "anna"))
                    .count
                    == 1)
        }
    }

    @Test func aRecordThatWasPutBackIsNoticed() async throws {
        try await Self.withStore { folder, store, id in
            let old = try #require(try folder.rows("SELECT * FROM record WHERE kind = 1").first { $0["id"] == id })
            let key = StoreFolder.credential("anna").key
            try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
            let values = StatementArguments(old.databaseValues)
            try folder.tamper("INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            try await Self.expect(.outdated, store)

            #expect(try await store.remove(key))
            #expect(try await store.database.check().isSound)
            try folder.tamper("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            try await Self.expect(.unregistered, store)
        }
    }

    @Test func aRecordThatWasTakenAwayIsNoticed() async throws {
        try await Self.withStore { folder, store, id in
            try folder.tamper("DELETE FROM record WHERE id = ?", [id])
            try await Self.expect(.missing, store)
            #expect(try await store.database.repair().map(\.problem) == [.missing])
            #expect(try await store.database.check().isSound)
        }
    }

    @Test func changedListsAreNoticed() async throws {
        try await Self.withStore { folder, store, id in
            let number = try #require(id.first)
            try folder.tamper("UPDATE register SET sealed = zeroblob(40) WHERE number = ?", [number])
            let report = try await store.database.check()
            #expect(report.damagedLists == 1)
            #expect(report.damaged.contains { $0.problem == .unproven })
            #expect(try await store.search(CredentialQuery()).damaged.contains { $0.problem == .unproven })
            // It is unknown whether the record existed; the store writes nothing that would hide that.
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await store.remove(StoreFolder.credential("anna").key)
            }
            try await store.database.repair(keepsUnproven: true)
            #expect(try await store.database.check().isSound)
            #expect(try await store.find(CredentialQuery()).map(\.key.account) == Self.accounts)

            try folder.tamper("DELETE FROM register WHERE number = 257")
            #expect(try await store.database.check().damagedLists == 258)
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await store.find(CredentialQuery()) }
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await store.add(StoreFolder.credential("dora"))
            }
            // One flipped bit is no reason to lose everything without having been asked.
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await store.database.repair() }
            #expect(try await store.database.check().damaged.count == Self.accounts.count)
            try await store.database.repair(keepsUnproven: false)
            #expect(try await store.find(CredentialQuery()).isEmpty)
            #expect(try await store.database.check().isSound)
        }
    }

    /// An old record with the list that belongs to it: the list above knows better.
    @Test func aRecordPutBackWithItsListIsNoticed() async throws {
        try await Self.withStore { folder, store, id in
            let number = try #require(id.first)
            let old = try #require(try folder.rows("SELECT * FROM record").first { $0["id"] == id })
            let list = try #require(try folder.rows("SELECT * FROM register WHERE number = \(number)").first)
            let key = StoreFolder.credential("anna").key
            try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
            try folder.tamper(
                "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?)", StatementArguments(old.databaseValues))
            try folder.tamper(
                "INSERT OR REPLACE INTO register VALUES (?, ?, ?)", StatementArguments(list.databaseValues))
            let damaged = try await store.search(CredentialQuery()).damaged
            #expect(damaged.contains { $0.id.lowercased() == (UUID(id)?.uuidString.lowercased() ?? "") })
            #expect(try await store.find(CredentialQuery()).allSatisfy { $0.key != key })
            #expect(try await store.database.check().damagedLists == 1)
        }
    }

    @Test func anOldFileIsNoticedByItsGeneration() async throws {
        try await Self.withStore { folder, store, _ in
            let known = try await store.database.generation()
            #expect(known == 4)
            var options = EncryptedDatabase.Options()
            options.minimumGeneration = known
            _ = try await folder.open(nil, options)
            options.minimumGeneration = known + 1
            await #expect(throws: CredentialStoreError(.rolledBack, "")) { _ = try await folder.open(nil, options) }
        }
    }

    @Test func aReplacedFileIsNoticed() async throws {
        try await Self.withStore { folder, store, _ in
            try FileManager.default.copyItem(atPath: folder.store, toPath: folder.store + ".copy")
            try FileManager.default.removeItem(atPath: folder.store)
            await #expect(throws: CredentialStoreError(.inputOutput, "")) { try await store.find(CredentialQuery()) }
            try FileManager.default.moveItem(atPath: folder.store + ".copy", toPath: folder.store)
            await #expect(throws: CredentialStoreError(.inputOutput, "")) {
                try await store.add(StoreFolder.credential("dora"))
            }
        }
    }

    /// A file that is cut off anywhere is refused or read right; nothing is taken for absent without a word.
    @Test func aFileThatWasCutOffIsRefused() async throws {
        try await StoreFolder.with { folder in
            do {
                let store = SQLiteCredentialStore(try await folder.open())
                for account in Self.accounts { try await store.add(StoreFolder.credential(account)) }
                await store.database.close()
            }
            let whole = try Data(contentsOf: URL(filePath: folder.store))
            let allowed: [CredentialStoreError.Code] = [.damaged, .notAStore]
            for length in [0, 1, 50, 100, 511, 4096, 8192, 20_000, whole.count - 4096, whole.count - 1] {
                for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.store + suffix) }
                try whole.prefix(length).write(to: URL(filePath: folder.store))
                try StoreFolder.setMode(0o600, folder.store)
                do {
                    let store = SQLiteCredentialStore(try await folder.open())
                    let report = try await store.database.check()
                    #expect(!report.isSound || length == whole.count - 1, "\(length)")
                    await store.database.close()
                } catch let error as CredentialStoreError {
                    #expect(allowed.contains(error.code), "\(length): \(error)")
                }
            }
        }
    }

    @Test func tamperedAndForeignDatabasesAreRefused() async throws {
        try await StoreFolder.with { folder in
            _ = try await folder.open()
            for (sql, code) in [
                ("PRAGMA user_version = 2", CredentialStoreError.Code.newerVersion),
                ("PRAGMA user_version = 0", .damaged), ("PRAGMA user_version = 1", nil),
                ("PRAGMA application_id = 1", .notAStore), ("PRAGMA application_id = 0x53474E54", nil),
                ("CREATE TRIGGER t AFTER INSERT ON record BEGIN DELETE FROM record; END", .damaged),
                ("DROP TRIGGER t", nil), ("CREATE VIEW v AS SELECT 1", .damaged), ("DROP VIEW v", nil),
                ("UPDATE header SET derivation = x'01'", .damaged),
                // N = 2^40: the derivation would never finish.
                (
                    "UPDATE header SET derivation = x'01000001000000000000000000000000080000000000000001' || zeroblob(16)",
                    .damaged
                ),
                ("UPDATE header SET derivation = x'00'", nil), ("UPDATE header SET key = x'00'", .damaged),
                ("DELETE FROM header", .damaged), ("DROP TABLE register", .damaged),
            ] as [(String, CredentialStoreError.Code?)] {
                try folder.tamper(sql)
                if let code {
                    await #expect(throws: CredentialStoreError(code, ""), "\(sql)") { _ = try await folder.open() }
                } else {
                    _ = try await folder.open()
                }
            }
        }
    }

    @Test func aFileThatIsNoDatabaseIsNotChanged() async throws {
        try await StoreFolder.with { folder in
            // Closed for sure: what closes later writes into whatever has its name by then.
            try await folder.open().close()
            try Data("This is a letter, and no database at all.".utf8).write(to: URL(filePath: folder.store))
            try StoreFolder.setMode(0o600, folder.store)
            for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: folder.store + suffix) }
            await #expect(throws: CredentialStoreError(.notAStore, "")) { _ = try await folder.open() }
            #expect(try String(contentsOfFile: folder.store, encoding: .utf8).hasPrefix("This is a letter"))
        }
    }
}

extension UUID {
    fileprivate init?(_ bytes: Data) {
        let digits = bytes.map { String(format: "%02x", $0) }.joined()
        self.init(
            uuidString: digits.enumerated().map { [8, 12, 16, 20].contains($0) ? "-\($1)" : "\($1)" }.joined())
    }
}
