import SignetAuthentication
import SignetCredentials
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@Suite struct KeychainIdentityStoreTests {
    private func store(_ keychain: MemoryKeychain, group: String? = nil) -> KeychainIdentityStore {
        KeychainIdentityStore(calls: keychain, accessGroup: group, accessibility: .whenUnlocked)
    }

    private func identity(_ name: String) throws -> Identity {
        try CertificateAuthority().issueIntermediate().issueClient(commonName: name)
    }

    @Test func storedIdentitiesComeBackWithTheirChain() async throws {
        let keychain = MemoryKeychain()
        let (old, new) = (try identity("old"), try identity("new"))
        try await store(keychain).store(old, label: "device")
        try await store(keychain).store(try identity("other"), label: "other")
        #expect(try await store(keychain).identity(label: "device")?.chain == old.chain)
        // In its place, not beside it.
        try await store(keychain).store(new, label: "device")
        #expect(try await store(keychain).identity(label: "device")?.chain == new.chain)
        #expect(new.chain.count == 2)
        #expect(try await store(keychain).labels() == ["device", "other"])
        #expect(try await store(keychain).identity(label: "none") == nil)
        try await store(keychain).remove(label: "device")
        try await store(keychain).remove(label: "device")
        #expect(try await store(keychain).labels() == ["other"])
    }

    /// Both kinds of items stand in one Keychain, under one name.
    @Test func identitiesAndCredentialsDoNotMix() async throws {
        let keychain = MemoryKeychain()
        let credentials = KeychainCredentialStore(calls: keychain, accessGroup: nil, accessibility: .whenUnlocked)
        let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "r")
        try await credentials.add(
            StoredCredential(key: CredentialKey(space: space, account: "device"), secret: SecretBytes("p")))
        try await store(keychain).store(try identity("a"), label: "device")
        #expect(try await credentials.list(.init()).count == 1)
        #expect(try await store(keychain).labels() == ["device"])
        try await store(keychain).remove(label: "device")
        #expect(try await credentials.list(.init()).count == 1)
    }

    @Test func anItemIsMarkedAsOneOfSignet() async throws {
        let keychain = MemoryKeychain()
        try await store(keychain, group: "shared").store(try identity("a"), label: "device")
        let added = keychain.state.withLock { $0.lastAdded }
        #expect(added[.service] == .text("signet.identity") && added[.account] == .text("device"))
        #expect(added[.accessGroup] == .text("shared") && added[.accessibility] == .accessibility(.whenUnlocked))
        // In two groups only the program can say which is meant.
        try await store(keychain, group: "own").store(try identity("b"), label: "device")
        let error = await #expect(throws: CredentialStoreError.self) {
            try await store(keychain).identity(label: "device")
        }
        #expect(error?.code == .ambiguous)
        #expect(try await store(keychain, group: "own").identity(label: "device")?.leaf.subject.contains("b") == true)
    }

    @Test func invalidLabelsAndUnreadableItemsAreErrors() async throws {
        let keychain = MemoryKeychain()
        for label in ["", String(repeating: "x", count: 4097)] {
            let error = await #expect(throws: IdentityStoreError.self) {
                try await store(keychain).store(try identity("a"), label: label)
            }
            #expect(error?.code == .invalidLabel)
        }
        try await store(keychain).store(try identity("a"), label: "device")
        keychain.state.withLock { $0.items[0][.data] = .secret(SecretBytes("something else")) }
        let damaged = await #expect(throws: IdentityStoreError.self) {
            try await store(keychain).identity(label: "device")
        }
        #expect(damaged?.code == .damaged)
        keychain.state.withLock { $0.status = KeychainStatus.interactionNotAllowed }
        for action in [
            { _ = try await store(keychain).identity(label: "device") },
            { _ = try await store(keychain).labels() },
            { try await store(keychain).remove(label: "device") },
            { try await store(keychain).store(try identity("a"), label: "device") },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: CredentialStoreError.self) { try await action() }
            #expect(error?.code == .interactionNotAllowed)
        }
    }
}
