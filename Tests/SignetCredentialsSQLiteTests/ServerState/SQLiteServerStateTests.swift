import Foundation
import GRDB
import SignetCredentials
import SignetCredentialsSQLite
import SignetTesting
import Testing

@Suite struct SQLiteServerStateTests {
    @Test(arguments: ServerStateConformance.checks) func conforms(_ check: ServerStateConformance.Check) async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            try await check.run { try await SQLiteServerState(database, capacity: 200) }
        }
    }

    @Test(arguments: ServerStateConformance.sharedChecks)
    func isShared(_ check: ServerStateConformance.Check) async throws {
        try await StoreFolder.with { folder in
            // Each has its own connections, as other processes have.
            try await check.run { try await SQLiteServerState(try await folder.open(), capacity: 200) }
        }
    }

    @Test func bothFilesArePrivateAndHoldNoSecret() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let state = try await SQLiteServerState(database)
            let accounts = Accounts(state, verifiers: [.hash, .password, .digest(realm: "canary-realm", .sha256)])
            try await accounts.add("canary-user", password: SecretBytes("canary-secret"))
            _ = try await accounts.accepts(SecretBytes("canary-guess"), of: "canary-user")
            _ = try await state.secret(for: "canary-purpose")
            await database.close()
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data")
            #expect(names.contains("store.sqlite-use"))
            for name in names {
                let path = folder.path + "/data/" + name
                #expect(try StoreFolder.mode(path) == 0o600, "\(name)")
                #expect(try Data(contentsOf: URL(filePath: path)).range(of: Data("canary".utf8)) == nil, "\(name)")
            }
            #expect(!"\(state) \(String(reflecting: state))".contains("canary"))
        }
    }

    @Test func aFileOfAnotherProgramIsLeftAsItIs() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let path = folder.store + "-use"
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE mine (id INTEGER)") }
            try StoreFolder.setMode(0o600, path)
            await #expect(throws: CredentialStoreError(.notAStore, "")) { try await SQLiteServerState(database) }
            try Data("no database".utf8).write(to: URL(filePath: path))
            await #expect(throws: CredentialStoreError(.notAStore, "")) { try await SQLiteServerState(database) }
            try FileManager.default.removeItem(atPath: path)
            for name in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + name) }
            _ = try await SQLiteServerState(database)
            try StoreFolder.setMode(0o644, path)
            await #expect(throws: CredentialStoreError(.unsafePermissions, "")) {
                try await SQLiteServerState(database)
            }
        }
    }

    @Test func aLaterVersionOrOtherTablesAreRefused() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            _ = try await SQLiteServerState(database)
            let path = folder.store + "-use"
            try await DatabaseQueue(path: path).write { try $0.execute(sql: "PRAGMA user_version = 2") }
            await #expect(throws: CredentialStoreError(.newerVersion, "")) { try await SQLiteServerState(database) }
            try await DatabaseQueue(path: path).write { database in
                try database.execute(sql: "PRAGMA user_version = 1")
                try database.execute(
                    sql: "CREATE TRIGGER forget AFTER INSERT ON remembered BEGIN DELETE FROM remembered; END")
            }
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await SQLiteServerState(database) }
        }
    }

    /// An account that another program has changed is refused, not passed over.
    @Test func aChangedAccountIsDamaged() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let accounts = Accounts(try await SQLiteServerState(database), verifiers: [.password])
            try await accounts.add("anna", password: SecretBytes("secret"))
            try folder.tamper("UPDATE record SET sealed = zeroblob(length(sealed)) WHERE kind = 6")
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await accounts.accepts(SecretBytes("secret"), of: "anna")
            }
            try await accounts.remove("anna")
            try await accounts.add("anna", password: SecretBytes("secret"))
            #expect(try await accounts.accepts(SecretBytes("secret"), of: "anna"))
            // Its absence is noticed only where all are listed: what was removed cannot be found.
            try folder.tamper("DELETE FROM record WHERE kind = 6")
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await accounts.state.users() }
        }
    }

    /// Nothing of a removed account is left for another account of the same name, also when its record was damaged.
    @Test func aRemovedAccountLeavesNoCertificate() async throws {
        try await StoreFolder.with { folder in
            let state = try await SQLiteServerState(try await folder.open())
            var account = ServerAccount("anna")
            account.certificates = [[1, 2, 3], [4, 5, 6]]
            #expect(try await state.add(account))
            try folder.tamper("UPDATE record SET sealed = zeroblob(length(sealed)) WHERE kind = 6")
            #expect(try await state.removeAccount("anna"))
            #expect(try await state.add(ServerAccount("anna")))
            #expect(try await state.account(owningCertificate: [1, 2, 3]) == nil)
            var other = ServerAccount("bert")
            other.certificates = [[1, 2, 3]]
            #expect(try await state.add(other))
        }
    }

    /// What one process would remember in a file that others no longer see, they would accept again.
    @Test func aReplacedFileIsNotUsed() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let state = try await SQLiteServerState(database)
            let key = [UInt8](repeating: 1, count: 32)
            #expect(try await state.remember(key, until: 1100, now: 1000) == .new)
            for suffix in ["-use", "-use-wal", "-use-shm"] {
                try? FileManager.default.removeItem(atPath: folder.store + suffix)
            }
            await #expect(throws: CredentialStoreError.self) { try await state.remember(key, until: 1100, now: 1000) }
            let other = try await SQLiteServerState(database)
            #expect(try await other.remember(key, until: 1100, now: 1000) == .new)
            await #expect(throws: CredentialStoreError(.inputOutput, "")) {
                try await state.remember(key, until: 1100, now: 1000)
            }
        }
    }

    /// A clock that was wrong for a moment is named, and does not make all messages look like replays.
    @Test func aClockThatWasYearsAheadIsNamed() async throws {
        try await StoreFolder.with { folder in
            let state = try await SQLiteServerState(try await folder.open())
            let key = [UInt8](repeating: 1, count: 32)
            #expect(try await state.remember(key, until: 2_000_000_060, now: 2_000_000_000) == .new)
            for now in [1000, Int64.min, -1] {
                let error = await #expect(throws: CredentialStoreError.self) {
                    try await state.remember(key, until: 1100, now: now)
                }
                #expect(error?.code == .damaged && error?.message.contains("clock") == true)
            }
            #expect(try await state.remember(key, until: 1_999_999_560, now: 1_999_999_500) == .replayed)
        }
    }

    /// Thousands of messages expire together, and make room without one message waiting for all of them.
    @Test func expiredMessagesMakeRoomPieceByPiece() async throws {
        try await StoreFolder.with { folder in
            let state = try await SQLiteServerState(try await folder.open(), capacity: 2500)
            func key(_ number: Int) -> [UInt8] {
                (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [UInt8](repeating: 0, count: 28)
            }
            let findings = try await withThrowingTaskGroup { group in
                for number in 0..<2600 {
                    group.addTask { try await state.remember(key(number), until: 1100, now: 1000) }
                }
                return try await group.reduce(into: [ReplayFinding: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(findings == [.new: 2500, .full: 100])
            for second in 0..<3 {
                let finding = try await state.remember(key(10_000 + second), until: 3000, now: 2000 + Int64(second))
                #expect(finding == .new)
            }
            #expect(try await state.remember(key(1), until: 1100, now: 2010) == .replayed)
        }
    }
}
