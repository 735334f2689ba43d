import Foundation
import SignetAuthentication
import SignetCredentials
import SignetTesting
import Synchronization
import Testing

@testable import SignetCredentialsSQLite

@Suite struct SQLiteCredentialStoreTests {
    @Test(arguments: CredentialStoreConformance.checks)
    func conforms(_ check: CredentialStoreConformance.Check) async throws {
        try await StoreFolder.with { folder in
            try await check.run { SQLiteCredentialStore(try await folder.open()) }
            #expect(try await folder.open().check().isSound)
        }
    }

    @Test(arguments: CredentialStoreConformance.checks)
    func conformsBehindASession(_ check: CredentialStoreConformance.Check) async throws {
        try await StoreFolder.with { folder in
            try await check.run {
                LayeredCredentialStore(permanent: SQLiteCredentialStore(try await folder.open()))
            }
        }
    }

    @Test func aReopenedStoreHoldsTheCredentials() async throws {
        try await StoreFolder.with { folder in
            let credentials = ["anna", "bert"].map { StoreFolder.credential($0) }
            try await SQLiteCredentialStore(try await folder.open()).add(credentials)
            let again = SQLiteCredentialStore(try await folder.open())
            #expect(try await again.find(CredentialQuery()).map(\.secret) == credentials.map(\.secret))
            #expect(try await again.database.check().sound == 2)
            await #expect(throws: CredentialStoreError(.unsupported, "")) {
                try await again.add(
                    StoredCredential(key: credentials[0].key, secret: SecretBytes("x"), persistence: .session))
            }
        }
    }

    @Test func aBatchIsAddedCompletelyOrNotAtAll() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            try await store.add(StoreFolder.credential("bert"))
            await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
                try await store.add(["anna", "bert", "carl"].map { StoreFolder.credential($0) })
            }
            #expect(try await store.list(CredentialQuery()).map(\.key.account) == ["bert"])
            #expect(try await store.database.check().isSound)
        }
    }

    /// What a later version keeps with an item, and the date of its making.
    @Test func aChangeKeepsUnknownFields() async throws {
        try await StoreFolder.with { folder in
            let clock = Mutex<Int64>(1_800_000_000)
            let store = SQLiteCredentialStore(try await folder.open(), now: { clock.withLock { $0 } })
            let credential = StoreFolder.credential("anna")
            try await store.add(credential)
            try await store.database.write { transaction in
                for var record in try transaction.records(.credential).whole {
                    record.fields[text: "of a later version"] = "kept"
                    try transaction.replace(record)
                }
            }
            clock.withLock { $0 += 60 }
            try await store.update(credential.key, with: CredentialChange(secret: SecretBytes("new")))
            let entry = try #require(try await store.list(CredentialQuery()).first)
            #expect(entry.created == 1_800_000_000)
            #expect(entry.modified == 1_800_000_060)
            #expect(entry.label == "canary-label")
            let kept = try await store.database.read { try $0.records(.credential).whole.first?.fields }
            #expect(kept?[text: "of a later version"] == "kept")
        }
    }

    @Test func severalAtATimeSeeEachOther() async throws {
        try await StoreFolder.with { folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        // Each makes the store, or finds it made.
                        let store = SQLiteCredentialStore(try await folder.open())
                        for item in 0..<10 { try await store.add(StoreFolder.credential("\(number)-\(item)")) }
                    }
                }
                try await group.waitForAll()
            }
            let report = try await folder.open().check()
            #expect(report.isSound)
            #expect(report.sound == 60)
            #expect(report.generation == 61)
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(!files.contains { $0.contains(".new-") })
        }
    }

    @Test func writtenFieldsAreReadAgain() {
        var fields = RecordFields()
        fields[text: "a"] = "1"
        fields["b"] = [UInt8](repeating: 7, count: 300)
        fields["c"] = []
        #expect(RecordFields(encoded: fields.encoded) == fields)
        // Cut off anywhere but between two fields it is nothing.
        let whole = (0...fields.encoded.count).filter { RecordFields(encoded: Array(fields.encoded.prefix($0))) != nil }
        #expect(whole == [0, 7, 313, 319])
        #expect(RecordFields(encoded: [1, 97, 0xFF, 0xFF, 0xFF, 0xFF]) == nil)
        #expect(RecordFields(encoded: [1, 0xFF, 0, 0, 0, 0]) == nil)
    }
}
