import Foundation
import GRDB
import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@Suite struct RekeyTests {
    @Test func rekeyingSealsEveryRecordAgain() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let (credentials, identities) = (SQLiteCredentialStore(database), SQLiteIdentityStore(database))
            let identity = try CertificateAuthority().issueClient()
            for account in ["anna", "bert"] { try await credentials.add(StoreFolder.credential(account)) }
            try await identities.store(identity, label: "device")
            let before = try folder.rows("SELECT id, item, sealed FROM record ORDER BY id")

            let new = FixedMasterKey(.random())
            try await database.rekey(to: new)
            let after = try folder.rows("SELECT id, item, sealed FROM record ORDER BY id")
            #expect(before.count == 3)
            for (old, new) in zip(before, after) {
                #expect(old["id"] as Data == new["id"])
                #expect(old["item"] as Data != new["item"])
                #expect(old["sealed"] as Data != new["sealed"])
            }
            for database in [database, try await folder.open(new)] {
                #expect(try await database.check().sound == 3)
                #expect(try await SQLiteIdentityStore(database).identity(label: "device") == identity)
                let found = try await SQLiteCredentialStore(database).find(CredentialQuery())
                #expect(found.map(\.secret.text) == ["canary-secret-anna", "canary-secret-bert"])
            }
            await #expect(throws: CredentialStoreError(.wrongKey, "")) { _ = try await folder.open() }
            // Old pages do not wait in the log for a thief with the old key.
            for file in ["", "-wal"] {
                guard let content = FileManager.default.contents(atPath: folder.store + file) else { continue }
                for row in before { #expect(content.range(of: row["sealed"] as Data) == nil) }
            }
        }
    }

    /// What others do that have the store open: they ask their provider again.
    @Test func otherConnectionsNeedTheNewKey() async throws {
        try await StoreFolder.with { folder in
            let (old, new) = (MasterKey.random(), MasterKey.random())
            let provider = ChangingKey(old)
            let mine = SQLiteCredentialStore(try await folder.open(FixedMasterKey(old)))
            let theirs = SQLiteCredentialStore(try await folder.open(provider))
            try await mine.add(StoreFolder.credential("anna"))
            try await mine.database.rekey(to: FixedMasterKey(new))
            let error = await #expect(throws: CredentialStoreError.self) { try await theirs.find(CredentialQuery()) }
            #expect(error?.code == .wrongKey)
            #expect(error?.message.contains("the changing key") == true)
            await #expect(throws: CredentialStoreError(.wrongKey, "")) {
                try await theirs.add(StoreFolder.credential("bert"))
            }
            provider.set(new)
            // The provider may ask a person, so that the store asks it only once.
            await #expect(throws: CredentialStoreError(.wrongKey, "")) { try await theirs.find(CredentialQuery()) }
            let theirsAgain = SQLiteCredentialStore(try await folder.open(provider))
            try await theirsAgain.add(StoreFolder.credential("bert"))
            #expect(try await mine.find(CredentialQuery()).map(\.key.account) == ["anna", "bert"])
        }
    }

    @Test func aDamagedStoreKeepsItsKey() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            for account in ["anna", "bert"] { try await store.add(StoreFolder.credential(account)) }
            try folder.tamper(
                "UPDATE record SET sealed = zeroblob(50) WHERE id = (SELECT id FROM record LIMIT 1)")
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await store.database.rekey(to: FixedMasterKey(.random()))
            }
            #expect(try await SQLiteCredentialStore(try await folder.open()).find(CredentialQuery()).count == 1)
            #expect(try await store.database.repair().count == 1)
            try await store.database.rekey(to: FixedMasterKey(.random()))
            #expect(try await store.database.check().sound == 1)
        }
    }

    @Test func callsDuringRekeyingAreAnswered() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("anna"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { for _ in 0..<5 { try await store.database.rekey(to: FixedMasterKey(.random())) } }
                for number in 0..<4 {
                    group.addTask {
                        for item in 0..<10 {
                            try await store.add(StoreFolder.credential("\(number)-\(item)"))
                            #expect(try await store.find(CredentialQuery()).isEmpty == false)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.database.check().sound == 41)
            #expect(try await store.database.check().isSound)
        }
    }

    /// Killed in the middle of it, the store has the one key or the other, and everything in it.
    @Test func aKilledChangeIsDoneOrNot() async throws {
        try await StoreFolder.with { folder in
            let keys = try ["one", "two"].map { try MasterKeyFile.create(path: "\(folder.path)/\($0)") }
            let store = SQLiteCredentialStore(try await folder.open(keys[0]))
            try await store.add((0..<200).map { StoreFolder.credential("\($0)") })
            for _ in 0..<8 {
                let process = Process()
                process.executableURL = URL(filePath: try TortureTests.tool())
                process.arguments = ["--rekey", folder.path + "/data/store.sqlite"]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                // However slow the machine is, there was a change.
                #expect(output.fileHandleForReading.availableData.isEmpty == false)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...400)))
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                #expect(process.terminationReason == .uncaughtSignal)
                var opened = 0
                for key in keys {
                    do {
                        let report = try await folder.open(key).check()
                        #expect(report.isSound)
                        #expect(report.sound == 200)
                        opened += 1
                    } catch let error as CredentialStoreError { #expect(error.code == .wrongKey) }
                }
                #expect(opened == 1)
            }
            #expect(try folder.rows("SELECT generation FROM register WHERE number = 257 AND generation > 2").count == 1)
        }
    }

    private final class ChangingKey: MasterKeyProvider {
        private let key: Mutex<MasterKey>
        let name = "the changing key"
        init(_ key: MasterKey) { self.key = Mutex(key) }
        func set(_ key: MasterKey) { self.key.withLock { $0 = key } }
        func masterKey(for request: MasterKeyRequest) -> MasterKey { key.withLock { $0 } }
    }
}
