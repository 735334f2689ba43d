import SignetCredentials
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

@Suite struct KeychainIdentitiesTests {
    /// Answers the call as the Keychain does, whatever is looked for.
    private final class Keychain: KeychainIdentityCalls {
        let state = Mutex((status: KeychainStatus.itemNotFound, found: [FoundIdentity]()))
        let query = Mutex<KeychainIdentityQuery?>(nil)
        /// How often it was searched, and how many identities were made of what was found.
        let counts = Mutex((searches: 0, made: 0))

        init(_ found: [Identity], label: String? = "device", accessGroup: String? = nil) {
            hold(found, label: label, accessGroup: accessGroup)
        }

        func hold(_ identities: [Identity], label: String? = "device", accessGroup: String? = nil) {
            let found = identities.map { identity in
                FoundIdentity(
                    identity.leaf, label: label, accessGroup: accessGroup
                ) { [self] issuers throws(IdentityError) in
                    counts.withLock { $0.made += 1 }
                    guard let key = identity.keychainKey else { throw IdentityError(.noPrivateKey, "no key") }
                    return try Identity(
                        certificates: [identity.leaf] + issuers, keychainKey: key.calls, label: nil)
                }
            }
            state.withLock { $0 = (found.isEmpty ? KeychainStatus.itemNotFound : KeychainStatus.success, found) }
        }

        func identities(_ query: KeychainIdentityQuery) -> (status: Int32, found: [FoundIdentity]) {
            self.query.withLock { $0 = query }
            counts.withLock { $0.searches += 1 }
            return state.withLock { $0 }
        }
    }

    private let middle: CertificateAuthority
    private let meter: Identity
    private let phone: Identity
    private let query = KeychainIdentityQuery.attributes(label: "device", accessGroup: nil)

    init() throws {
        let middle = try CertificateAuthority().issueIntermediate()
        func issue(_ name: String) throws -> Identity {
            try middle.issueClient(
                signingKey: KeychainKey(MemoryKeychainKey(hasIdentity: true), name: name), commonName: name)
        }
        meter = try issue("meter")
        phone = try issue("phone")
        self.middle = middle
    }

    private func current(
        _ keychain: Keychain, where isWanted: @escaping @Sendable (EncodedCertificate) -> Bool = { _ in true }
    ) async throws -> Identity? {
        try await IdentitySource.keychain(query, keychain, issuers: [middle.certificate], where: isWanted).current()
    }

    @Test func theWantedIdentityIsFoundWithItsIssuers() async throws {
        let keychain = Keychain([meter, phone])
        let found = try await current(keychain) { $0.subject == "CN=phone" }
        #expect(found == phone)
        #expect(found?.chain == [phone.leaf, middle.certificate])
        #expect(found?.isOfKeychain == true)
        #expect(keychain.query.withLock { $0 } == query)
        // The same item in two places of the Keychain is one identity.
        #expect(try await current(Keychain([phone, phone])) == phone)
    }

    @Test func theKeychainIsAskedEachTime() async throws {
        let keychain = Keychain([meter])
        let source = IdentitySource.keychain(query, keychain, issuers: []) { _ in true }
        #expect(try await source.current() == meter)
        keychain.hold([phone])
        #expect(try await source.current() == phone)
    }

    @Test(
        arguments: [
            (nil, nil, true), ("device", nil, true), (nil, "of.devices", true), ("device", "of.devices", true),
            ("Device", nil, false), ("", nil, false), (nil, "of.others", false), ("device", "of.others", false),
            ("other", "of.devices", false),
        ] as [(String?, String?, Bool)])
    func onlyIdentitiesTheQueryNamesAreTaken(label: String?, accessGroup: String?, isFound: Bool) async throws {
        let keychain = Keychain([meter], label: "device", accessGroup: "of.devices")
        let source = IdentitySource.keychain(
            .attributes(label: label, accessGroup: accessGroup), keychain, issuers: []
        ) { _ in true }
        if isFound {
            #expect(try await source.current() == meter)
        } else {
            let error = await #expect(throws: IdentityStoreError.self) { try await source.current() }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("answered with 1, of which 0 have") == true)
        }
    }

    @Test func anItemWithoutAttributesMatchesNoAttributeQuery() async throws {
        let keychain = Keychain([meter], label: nil, accessGroup: nil)
        for query in [
            KeychainIdentityQuery.attributes(label: "device", accessGroup: nil),
            .attributes(label: nil, accessGroup: "of.devices"),
        ] {
            let source = IdentitySource.keychain(query, keychain, issuers: []) { _ in true }
            await #expect(throws: IdentityStoreError(.notFound, "")) { try await source.current() }
        }
        // A reference stands for one item, whatever its attributes are.
        let source = IdentitySource.keychain(.reference([1]), keychain, issuers: []) { _ in true }
        #expect(try await source.current() == meter)
    }

    @Test func anIdentityFoundAgainIsNotMadeAnew() async throws {
        let keychain = Keychain([meter])
        let source = IdentitySource.keychain(query, keychain, issuers: [middle.certificate]) { _ in true }
        for _ in 0..<3 { #expect(try await source.current()?.chain == [meter.leaf, middle.certificate]) }
        #expect(keychain.counts.withLock { $0.searches } == 3)
        #expect(keychain.counts.withLock { $0.made } == 1)
        keychain.hold([phone])
        for _ in 0..<2 { #expect(try await source.current() == phone) }
        #expect(keychain.counts.withLock { $0.made } == 2)
    }

    @Test func anIdentityThatComesBackIsMadeAnew() async throws {
        let keychain = Keychain([meter])
        let source = IdentitySource.keychain(query, keychain, issuers: []) { _ in true }
        #expect(try await source.current() == meter)
        keychain.hold([])
        await #expect(throws: IdentityStoreError(.notFound, "")) { try await source.current() }
        keychain.hold([meter])
        #expect(try await source.current() == meter)
        #expect(keychain.counts.withLock { $0.made } == 2)
    }

    @Test func anIdentityWhoseKeyFailedIsMadeAnew() async throws {
        let calls = MemoryKeychainKey(hasIdentity: true, failing: .init(domain: "CryptoTokenKit", code: -7))
        let keychain = Keychain([try middle.issueClient(signingKey: KeychainKey(calls, name: "card"))])
        let source = IdentitySource.keychain(query, keychain, issuers: []) { _ in true }
        let found = try #require(try await source.current()?.keychainKey)
        let request = SigningRequest(algorithm: .ecdsa(.sha256), message: [1])
        await #expect(throws: CredentialStoreError(.keyUnavailable, "")) { try await found.signature(for: request) }
        #expect(try await source.current()?.keychainKey?.isReusable == true)
        #expect(keychain.counts.withLock { $0.made } == 2)
    }

    @Test func aMissingIdentityIsAnError() async throws {
        for keychain in [Keychain([]), Keychain([meter])] {
            let error = await #expect(throws: IdentityStoreError.self) { try await current(keychain) { _ in false } }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("“device”") == true)
        }
    }

    @Test func severalMatchingIdentitiesAreAnError() async throws {
        let error = await #expect(throws: CredentialStoreError.self) { try await current(Keychain([meter, phone])) }
        #expect(error?.code == .ambiguous)
        #expect(error?.message.contains("CN=meter; CN=phone") == true)
    }

    @Test func aKeychainThatDoesNotAnswerIsAnError() async throws {
        let keychain = Keychain([meter])
        keychain.state.withLock { $0.status = KeychainStatus.interactionNotAllowed }
        let error = await #expect(throws: CredentialStoreError.self) { try await current(keychain) }
        #expect(error?.code == .interactionNotAllowed)
    }

    @Test func aKeyThatCannotBeUsedIsAnError() async throws {
        let keychain = Keychain([try middle.issueClient(commonName: "held")])
        let error = await #expect(throws: IdentityError.self) { try await current(keychain) }
        #expect(error?.code == .noPrivateKey)
    }
}
