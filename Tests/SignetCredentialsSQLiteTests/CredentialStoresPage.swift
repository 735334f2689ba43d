import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite
import Testing

/// The code of the article CredentialStores, compiled. A test of Signet compares the articles with such files.
@Suite struct CredentialStoresPage {
    private func open() async throws -> LayeredCredentialStore {
        let database = try await EncryptedDatabase(
            path: "/var/lib/app/secrets/store.sqlite", key: SystemdCredential(name: "store-key"))
        let store = LayeredCredentialStore(permanent: SQLiteCredentialStore(database))
        return store
    }

    private func use(
        _ store: some CredentialStore, password: String, newPassword: String
    ) async throws -> [StoredCredential] {
        let space = ProtectionSpace(scheme: "https", host: "service.example", port: 443, realm: "reports")
        let key = CredentialKey(space: space, path: "/reports", account: "anna")
        try await store.add(StoredCredential(key: key, secret: SecretBytes(password), persistence: .permanent))
        try await store.update(key, with: CredentialChange(secret: SecretBytes(newPassword)))  // everything else stays
        let found = try await store.find(CredentialQuery(space: space, path: "/reports/2026"))  // deepest path first
        return found
    }

    @Test func theLatestSecretIsFoundBelowThePath() async throws {
        let found = try await use(MemoryCredentialStore(), password: "old", newPassword: "new")
        #expect(found.map(\.secret) == [SecretBytes("new")])
    }
}
