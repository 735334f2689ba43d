import Foundation
import SignetCredentials
import SignetCredentialsSQLite
import SignetTLS
import SignetTesting
import Testing

@Suite struct SQLiteIdentityStoreTests {
    @Test func keepsIdentitiesWithTheirChains() async throws {
        try await StoreFolder.with { folder in
            let authority = try CertificateAuthority()
            let (old, new) = (
                try authority.issueClient(commonName: "old"), try authority.issueClient(commonName: "new")
            )
            let store = SQLiteIdentityStore(try await folder.open())
            let labels = ["device", "a/b\u{0}c", "Zähler 🔌 \n", "DEVICE"]
            for label in labels {
                #expect(try await store.identity(label: label) == nil)
                try await store.store(old, label: label)
            }
            try await store.store(new, label: "device")
            let again = SQLiteIdentityStore(try await folder.open())
            #expect(try await again.labels() == labels.sorted())
            for label in labels {
                let read = try #require(try await again.identity(label: label))
                let expected = label == "device" ? new : old
                #expect(read == expected)
                #expect(read.label == label)
                #expect(read.chain == expected.chain)
                #expect(read.authorities.certificates == expected.authorities.certificates)
                // The key as well.
                #expect(try read.pem(password: nil) == expected.pem(password: nil))
            }
            try await again.remove(label: "device")
            try await again.remove(label: "device")
            #expect(try await store.identity(label: "device") == nil)
            for label in ["", String(repeating: "x", count: 4097)] {
                await #expect(throws: IdentityStoreError(.invalidLabel, "")) {
                    try await store.store(old, label: label)
                }
            }
            #expect(try await store.database.check().isSound)
        }
    }

    /// What stands between an identity and its root comes back as it was.
    @Test func intermediateCertificatesAreKept() async throws {
        try await StoreFolder.with { folder in
            let root = try CertificateAuthority()
            // Both have one name, so that a store that keeps certificates by their names would mix them up.
            let old = try root.issueIntermediate().issueClient()
            let new = try root.issueIntermediate().issueClient()
            let store = SQLiteIdentityStore(try await folder.open())
            for (label, identity) in [("old", old), ("new", new)] {
                #expect(identity.chain.count == 2)
                try await store.store(identity, label: label)
            }
            #expect(old.chain.last != new.chain.last)
            let again = SQLiteIdentityStore(try await folder.open())
            for (label, identity) in [("old", old), ("new", new)] {
                let read = try #require(try await again.identity(label: label))
                #expect(read.chain.count == 2)
                #expect(read.chain.map(\.der) == identity.chain.map(\.der))
                #expect(read.authorities.certificates.map(\.der) == identity.authorities.certificates.map(\.der))
            }
        }
    }

    @Test func aDamagedIdentityIsNoAbsentOne() async throws {
        try await StoreFolder.with { folder in
            let authority = try CertificateAuthority()
            let identity = try authority.issueClient()
            let store = SQLiteIdentityStore(try await folder.open())
            try await store.store(identity, label: "device")
            try folder.tamper("UPDATE record SET sealed = zeroblob(length(sealed))")
            try await store.store(identity, label: "other")
            await #expect(throws: IdentityStoreError(.damaged, "")) { try await store.identity(label: "device") }
            #expect(try await store.identity(label: "other") == identity)
            #expect(try await store.labels() == ["other"])
            // Storing the identity again repairs the record.
            try await store.store(identity, label: "device")
            #expect(try await store.identity(label: "device") == identity)
            #expect(try await store.database.check().isSound)
        }
    }

    @Test func exceptionsAreKeptInTheirOrder() async throws {
        try await StoreFolder.with { folder in
            let leaf = try CertificateAuthority().issueServer(dnsNames: ["service.example"]).leaf
            func exception(_ reason: String, port: Int = 443) throws -> TrustException {
                try TrustException(
                    denying: leaf, host: "service.example", port: port, reason: reason, at: 1_900_000_000,
                    until: 1_900_000_100)
            }
            let store = SQLiteTrustExceptions(try await folder.open())
            #expect(try await store.exceptions().isEmpty)
            let (first, second, third) = (try exception("1"), try exception("2", port: 1), try exception("3"))
            try await store.record(first)
            try await store.record(second)
            #expect(try await SQLiteTrustExceptions(try await folder.open()).exceptions() == [first, second])
            // Of one certificate, host and port the last word counts.
            try await store.record(third)
            #expect(try await store.exceptions() == [second, third])
            try await store.revoke(first)
            #expect(try await store.exceptions() == [second, third])
            try await store.revoke(second)
            #expect(try await store.exceptions() == [third])
            try folder.tamper("UPDATE record SET sealed = zeroblob(length(sealed))")
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await store.exceptions() }
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await store.record(first) }
        }
    }
}
