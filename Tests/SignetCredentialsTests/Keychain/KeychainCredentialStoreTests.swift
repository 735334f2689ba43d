import SignetAuthentication
import SignetCredentials
import SignetTesting
import Synchronization
import Testing

@Suite struct KeychainCredentialStoreTests {
    private let keychain = MemoryKeychain()
    private let key = CredentialKey(
        space: ProtectionSpace(scheme: "https", host: "service.example", port: 443, realm: "reports"), account: "anna")

    private var store: KeychainCredentialStore {
        KeychainCredentialStore(calls: keychain, accessGroup: "TEAM.shared", accessibility: .whenUnlocked)
    }

    private func set(_ status: Int32?) { keychain.state.withLock { $0.status = status } }

    @Test(arguments: CredentialStoreConformance.checks)
    func conforms(_ check: CredentialStoreConformance.Check) async throws {
        try await check.run {
            KeychainCredentialStore(calls: MemoryKeychain(), accessGroup: nil, accessibility: .afterFirstUnlock)
        }
    }

    /// The names under which Apple's own tools show them.
    @Test func anItemIsAnInternetPassword() async throws {
        let space = ProtectionSpace(scheme: "https", host: "proxy.example", port: 3128, realm: "office", isProxy: true)
        try await store.add(
            StoredCredential(
                key: CredentialKey(space: space, path: "/a", scheme: "Digest", account: "anna"),
                secret: SecretBytes("canary"), label: "Office"))
        let item = keychain.state.withLock { $0.lastAdded }
        #expect(item[.server] == .text("proxy.example"))
        #expect(item[.port] == .number(3128))
        #expect(item[.securityDomain] == .text("office"))
        #expect(item[.networkProtocol] == .networkProtocol(.httpsProxy))
        #expect(item[.authenticationType] == .authenticationType(.digest))
        #expect(item[.path] == .text("/a"))
        #expect(item[.account] == .text("anna"))
        #expect(item[.label] == .text("Office"))
        #expect(item[.comment] == nil)
        #expect(item[.data] == .secret(SecretBytes("canary")))
        #expect(item[.accessGroup] == .text("TEAM.shared"))
        #expect(item[.accessibility] == .accessibility(.whenUnlocked))
    }

    @Test(arguments: [
        ("http", false, KeychainProtocol.http), ("https", false, .https), ("http", true, .httpProxy),
        ("https", true, .httpsProxy),
    ]) func protocolsTellProxiesFromOrigins(scheme: String, isProxy: Bool, expected: KeychainProtocol) async throws {
        let space = ProtectionSpace(scheme: scheme, host: "a.example", port: 80, realm: "", isProxy: isProxy)
        try await store.add(
            StoredCredential(key: CredentialKey(space: space, account: "anna"), secret: SecretBytes("x")))
        #expect(keychain.state.withLock { $0.lastAdded[.networkProtocol] } == .networkProtocol(expected))
        #expect(try await store.find(CredentialQuery(space: space)).map(\.key.space) == [space])
    }

    @Test func stayingWithinTheAccessGroup() async throws {
        let other = KeychainCredentialStore(calls: keychain, accessGroup: "TEAM.other", accessibility: .whenUnlocked)
        try await other.add(StoredCredential(key: key, secret: SecretBytes("theirs")))
        #expect(try await store.find(CredentialQuery()).isEmpty)
        #expect(try await store.remove(key) == false)
        try await store.add(StoredCredential(key: key, secret: SecretBytes("ours")))
        try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
        #expect(try await other.find(CredentialQuery()).map(\.secret.text) == ["theirs"])
        #expect(try await store.remove(key))
        #expect(try await other.find(CredentialQuery()).map(\.secret.text) == ["theirs"])
    }

    /// Items of other programs: without port or scheme, for other protocols, with unknown attributes.
    @Test func itemsOfOtherProgramsAreReadAndKept() async throws {
        let theirs: KeychainItem = [
            .server: .text("service.example"), .account: .text("anna"), .networkProtocol: .networkProtocol(.https),
            .securityDomain: .text("reports"), .accessGroup: .text("TEAM.shared"), .label: .text("theirs"),
            .data: .secret(SecretBytes("old")), .created: .date(1_000_000_000),
        ]
        #expect(keychain.add(theirs) == KeychainStatus.success)
        // Of a protocol that the store does not use.
        #expect(
            keychain.add([.server: .text("mail.example"), .accessGroup: .text("TEAM.shared")])
                == KeychainStatus.success)
        #expect(try await store.list(CredentialQuery()).map(\.key) == [key])
        #expect(try await store.find(CredentialQuery(space: key.space)).map(\.secret.text) == ["old"])
        // The same key with a port of its own is another item, and stays as it is.
        var besides = theirs
        besides[.port] = .number(8443)
        #expect(keychain.add(besides) == KeychainStatus.success)
        try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
        let found = try await store.find(CredentialQuery())
        #expect(found.map(\.secret.text) == ["new", "old"])
        #expect(found.map(\.entry.created) == [1_000_000_000, 1_000_000_000])
        #expect(found.map(\.entry.label) == ["theirs", "theirs"])
        #expect(try await store.remove(key))
        #expect(try await store.find(CredentialQuery()).map(\.key.space.port) == [8443])
    }

    /// As other programs keep it: with a port or without.
    private func item(port: Int?, secret: String, group: String = "TEAM.shared") -> KeychainItem {
        var item: KeychainItem = [
            .server: .text("service.example"), .account: .text("anna"), .networkProtocol: .networkProtocol(.https),
            .securityDomain: .text("reports"), .accessGroup: .text(group), .data: .secret(SecretBytes(secret)),
        ]
        item[.port] = port.map { .number($0) }
        return item
    }

    @Test func anItemWithoutAPortStandsForTheDefaultPort() async throws {
        #expect(keychain.add(item(port: nil, secret: "theirs")) == KeychainStatus.success)
        await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
            try await store.add(StoredCredential(key: key, secret: SecretBytes("ours")))
        }
        #expect(try await store.find(CredentialQuery()).map(\.secret.text) == ["theirs"])
        // A port that is not the usual one is another key.
        let besides = ProtectionSpace(scheme: "https", host: "service.example", port: 8443, realm: "reports")
        try await store.add(
            StoredCredential(key: CredentialKey(space: besides, account: "anna"), secret: SecretBytes("ours")))
        #expect(try await store.find(CredentialQuery(space: besides)).map(\.secret.text) == ["ours"])
        #expect(try await store.find(CredentialQuery(space: key.space)).map(\.secret.text) == ["theirs"])
    }

    /// With a port and without, two items have one key: the exact one counts, and none stays behind.
    @Test(arguments: [[443, nil], [nil, 443]]) func anItemWithTheExactPortIsPreferred(ports: [Int?]) async throws {
        for port in ports {
            #expect(keychain.add(item(port: port, secret: "\(port ?? 0)")) == KeychainStatus.success)
        }
        #expect(try await store.find(CredentialQuery()).map(\.secret.text) == ["443"])
        #expect(try await store.list(CredentialQuery()).map(\.key) == [key])
        try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
        #expect(try await store.find(CredentialQuery(space: key.space)).map(\.secret.text) == ["new"])
        let kept = keychain.state.withLock { $0.items }
        for (port, secret) in [(443, "new"), (0, "0")] {
            #expect(kept.first { $0[.port] == .number(port) }?[.data] == .secret(SecretBytes(secret)))
        }
        #expect(try await store.remove(key))
        #expect(keychain.state.withLock { $0.items.isEmpty })
        #expect(try await store.remove(key) == false)
    }

    /// Which of two groups is meant only the program knows.
    @Test func itemsInSeveralAccessGroupsAreAmbiguous() async throws {
        let store = KeychainCredentialStore(calls: keychain, accessGroup: nil, accessibility: .whenUnlocked)
        for group in ["TEAM.one", "TEAM.two"] {
            #expect(keychain.add(item(port: 443, secret: group, group: group)) == KeychainStatus.success)
        }
        let ambiguous = CredentialStoreError(.ambiguous, "")
        await #expect(throws: ambiguous) { try await store.find(CredentialQuery(space: key.space)) }
        await #expect(throws: ambiguous) { try await store.update(key, with: CredentialChange(label: "x")) }
        await #expect(throws: ambiguous) { try await store.remove(key) }
        await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
            try await store.add(StoredCredential(key: key, secret: SecretBytes("ours")))
        }
        #expect(keychain.state.withLock { $0.items.count } == 2)
        // What can be listed can be looked at; a query for something else is not concerned.
        #expect(try await store.list(CredentialQuery()).map(\.key) == [key, key])
        #expect(try await store.find(CredentialQuery(space: key.space, account: "bert")).isEmpty)
        // Named, the group is clear.
        let one = KeychainCredentialStore(calls: keychain, accessGroup: "TEAM.one", accessibility: .whenUnlocked)
        #expect(try await one.find(CredentialQuery()).map(\.secret.text) == ["TEAM.one"])
        #expect(try await one.remove(key))
        #expect(try await store.find(CredentialQuery()).map(\.secret.text) == ["TEAM.two"])
        try await store.update(key, with: CredentialChange(secret: SecretBytes("new")))
        #expect(try await store.remove(key))
    }

    @Test(arguments: [
        (KeychainStatus.interactionNotAllowed, CredentialStoreError.Code.interactionNotAllowed),
        (KeychainStatus.userCanceled, .userCanceled), (KeychainStatus.authenticationFailed, .userCanceled),
        (KeychainStatus.missingEntitlement, .notEntitled), (KeychainStatus.notAvailable, .inputOutput),
        (KeychainStatus.invalidParameter, .inputOutput), (-4, .inputOutput),
    ]) func keychainStatusesBecomeErrors(status: Int32, code: CredentialStoreError.Code) async throws {
        let store = store
        let expected = CredentialStoreError(code, "")
        let credential = StoredCredential(key: key, secret: SecretBytes("canary"))
        set(status)
        await #expect(throws: expected) { try await store.add(credential) }
        await #expect(throws: expected) { try await store.find(CredentialQuery()) }
        await #expect(throws: expected) { try await store.list(CredentialQuery()) }
        await #expect(throws: expected) { try await store.update(key, with: CredentialChange(label: "x")) }
        await #expect(throws: expected) { try await store.remove(key) }
        let error = await #expect(throws: CredentialStoreError.self) { try await store.add(credential) }
        #expect(error?.message.contains("\(status)") == true)
        #expect(error?.message.contains("canary") == false)
    }

    /// The list needs no secret, and so no user.
    @Test func aLockedItemCanBeListed() async throws {
        let store = store
        try await store.add(StoredCredential(key: key, secret: SecretBytes("x")))
        keychain.state.withLock { $0.statusOfAccounts["anna"] = KeychainStatus.interactionNotAllowed }
        #expect(try await store.list(CredentialQuery()).map(\.key) == [key])
        await #expect(throws: CredentialStoreError(.interactionNotAllowed, "")) {
            try await store.find(CredentialQuery())
        }
        // Removed by another program between the two calls.
        keychain.state.withLock { $0.statusOfAccounts["anna"] = KeychainStatus.itemNotFound }
        #expect(try await store.find(CredentialQuery()).isEmpty)
    }

    @Test func onlyPermanentCredentialsAreKept() async throws {
        let store = store
        await #expect(throws: CredentialStoreError(.unsupported, "")) {
            try await store.add(StoredCredential(key: key, secret: SecretBytes("x"), persistence: .session))
        }
        #expect("\(store)" == "KeychainCredentialStore(TEAM.shared)")
    }
}
