import Foundation
import SignetCredentials
import SignetCredentialsSQLite
import SignetTLS
import SignetTesting
import Testing

/// What is taken away is not taken for nothing.
@Suite struct RegisterTests {
    private static let damaged = CredentialStoreError(.damaged, "")

    /// Without the record of a denial, the client would trust a certificate that the user has refused.
    @Test(arguments: [
        "DELETE FROM record WHERE kind = 3", "UPDATE record SET kind = 1 WHERE kind = 3",
        "UPDATE record SET kind = 2 WHERE kind = 3", "UPDATE record SET kind = 9 WHERE kind = 3",
        "DELETE FROM record; DELETE FROM register", "DELETE FROM record; UPDATE register SET sealed = zeroblob(60)",
    ]) func aDenialThatWasTakenAwayIsNoticed(change: String) async throws {
        try await StoreFolder.with { folder in
            let leaf = try CertificateAuthority().issueServer(dnsNames: ["service.example"]).leaf
            let denial = try TrustException(
                denying: leaf, host: "service.example", port: 443, reason: "", at: 1_900_000_000, until: 1_900_000_100)
            let store = SQLiteTrustExceptions(try await folder.open())
            try await store.record(denial)
            try await SQLiteCredentialStore(store.database).add(StoreFolder.credential("anna"))
            try folder.tamper(change)
            for store in [store, SQLiteTrustExceptions(try await folder.open())] {
                await #expect(throws: Self.damaged) { try await store.exceptions() }
                await #expect(throws: Self.damaged) { try await store.record(denial) }
                await #expect(throws: Self.damaged) { try await store.revoke(denial) }
            }
            try await store.database.repair(keepsUnproven: true)
            #expect(try await store.exceptions().isEmpty)
            try await store.record(denial)
            #expect(try await store.exceptions() == [denial])
            #expect(try await store.database.check().isSound)
        }
    }

    /// A caller that reads all records of a kind learns of missing records, and of a register that is lost.
    @Test func readingAllRecordsReportsMissingOnes() async throws {
        try await StoreFolder.with { folder in
            let store = SQLiteCredentialStore(try await folder.open())
            for account in ["anna", "bert"] { try await store.add(StoreFolder.credential(account)) }
            try folder.tamper("DELETE FROM record WHERE id = (SELECT id FROM record LIMIT 1)")
            #expect(try await store.search(CredentialQuery()).damaged.map(\.problem) == [.missing])
            #expect(try await store.find(CredentialQuery()).count == 1)
            try folder.tamper("DELETE FROM record")
            await #expect(throws: Self.damaged) { try await store.find(CredentialQuery()) }
            try folder.tamper("DELETE FROM register")
            #expect(try await store.search(CredentialQuery()).damaged.map(\.problem) == [.unproven])
        }
    }

    /// It can neither be found nor added nor removed unless it is looked for under any kind.
    @Test func aRecordOfAWrongKindDoesNotBlockANewOne() async throws {
        try await StoreFolder.with { folder in
            let identity = try CertificateAuthority().issueClient()
            let store = SQLiteIdentityStore(try await folder.open())
            try await store.store(identity, label: "device")
            try folder.tamper("UPDATE record SET kind = 1")
            await #expect(throws: IdentityStoreError(.damaged, "")) { try await store.identity(label: "device") }
            try await store.store(identity, label: "device")
            #expect(try await store.identity(label: "device") == identity)
            #expect(try await store.database.check().isSound)
        }
    }
}
