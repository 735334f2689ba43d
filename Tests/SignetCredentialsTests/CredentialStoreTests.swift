import SignetAuthentication
import SignetCredentials
import SignetTesting
import Synchronization
import Testing

@Suite struct CredentialStoreTests {
    private static let key = CredentialKey(
        space: ProtectionSpace(scheme: "https", host: "service.example", port: 443, realm: "reports"), account: "anna")

    @Test(arguments: CredentialStoreConformance.checks)
    func memoryConforms(_ check: CredentialStoreConformance.Check) async throws {
        try await check.run { MemoryCredentialStore() }
    }

    @Test(arguments: CredentialStoreConformance.checks)
    func theLayeredStoreConforms(_ check: CredentialStoreConformance.Check) async throws {
        try await check.run { LayeredCredentialStore(permanent: MemoryCredentialStore()) }
    }

    @Test func credentialsAreKeptInTheLayerOfTheirPersistence() async throws {
        let permanent = MemoryCredentialStore()
        let store = LayeredCredentialStore(permanent: permanent)
        func credential(_ account: String, _ persistence: CredentialPersistence) -> StoredCredential {
            StoredCredential(
                key: CredentialKey(space: Self.key.space, account: account), secret: SecretBytes(account),
                persistence: persistence)
        }
        for persistence in CredentialPersistence.allCases {
            try await store.add(credential("\(persistence)", persistence))
        }
        #expect(try await store.find(CredentialQuery()).map(\.key.account) == ["permanent", "session"])
        #expect(await permanent.find(CredentialQuery()).map(\.key.account) == ["permanent"])

        for persistence in [CredentialPersistence.session, .permanent] {
            for account in ["session", "permanent"] {
                await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
                    try await store.add(credential(account, persistence))
                }
            }
        }
        for account in ["session", "permanent"] {
            try await store.update(credential(account, .none).key, with: CredentialChange(label: "new"))
        }
        #expect(try await store.list(CredentialQuery()).map(\.label) == ["new", "new"])
        #expect(try await store.list(CredentialQuery()).map(\.persistence) == [.permanent, .session])
        #expect(try await store.remove(credential("session", .none).key))
        #expect(try await store.remove(credential("permanent", .none).key))
        #expect(await permanent.find(CredentialQuery()).isEmpty)
        #expect(try await store.find(CredentialQuery()).isEmpty)
    }

    @Test func timesAreKept() async throws {
        let clock = Mutex<Int64>(1_800_000_000)
        let store = MemoryCredentialStore(now: { clock.withLock { $0 } })
        try await store.add(StoredCredential(key: Self.key, secret: SecretBytes("x")))
        clock.withLock { $0 += 60 }
        try await store.update(Self.key, with: CredentialChange(label: "new"))
        let entry = try #require(await store.list(CredentialQuery()).first)
        #expect(entry.created == 1_800_000_000)
        #expect(entry.modified == 1_800_000_060)
    }

    @Test func descriptionsShowNoSecret() async throws {
        let secret = SecretBytes("canary-secret")
        let credential = StoredCredential(key: Self.key, secret: secret)
        let memory = MemoryCredentialStore()
        try await memory.add(credential)
        let keychain = KeychainCredentialStore(
            calls: MemoryKeychain(), accessGroup: nil, accessibility: .afterFirstUnlock)
        try await keychain.add(credential)
        let errors = await #expect(throws: CredentialStoreError.self) { try await memory.add(credential) }
        let values: [Any] = [
            secret, credential, CredentialChange(secret: secret), memory, LayeredCredentialStore(permanent: memory),
            keychain, try #require(errors), KeychainValue.secret(secret), credential.entry, [credential],
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains("canary"), "\(type(of: value))")
                #expect(!text.contains("99, 97, 110, 97, 114, 121"), "\(type(of: value))")
            }
        }
        #expect("\(secret)" == "SecretBytes(hidden)")
        #expect(secret == SecretBytes("canary-secret"))
        #expect(secret != SecretBytes("canary-secreT"))
        #expect(secret != SecretBytes("canary"))
        #expect(SecretBytes([0xFF]).text == nil)
        #expect(secret.withUnsafeBytes { $0.count } == 13)
    }

    @Test func keyDescriptionsNameAccountAndServer() {
        let key = CredentialKey(space: Self.key.space, path: "/a", scheme: "Digest", account: "anna")
        #expect("\(key)" == "account “anna” of “reports” at https://service.example:443 below /a for digest")
        #expect(CredentialKey(space: Self.key.space, path: "/", account: "anna") == Self.key)
    }
}
