import Dispatch
import SignetTLS
import SignetTesting
import TestSupport
import Testing

@testable import SignetCredentials

@Suite(.timeLimit(.minutes(2))) struct KeychainKeyTests {
    /// A key that answers what it is told.
    private struct Odd: KeychainKeyCalls {
        let hasIdentity = true
        let external: Result<[UInt8], KeychainFailure>
        func publicKey() -> Result<[UInt8], KeychainFailure> { external }
        func supports(_ algorithm: KeychainSignature) -> Bool { true }
        func signature(
            _ algorithm: KeychainSignature, over message: [UInt8]
        ) -> Result<[UInt8], KeychainFailure> { .success([]) }
    }

    /// A key whose user does not answer for messages that are empty, until the gate is opened.
    private struct Unanswered: KeychainKeyCalls {
        let key = MemoryKeychainKey(hasIdentity: true)
        let gate = DispatchSemaphore(value: 0)
        let asked = AsyncStream<Void>.makeStream()
        var hasIdentity: Bool { key.hasIdentity }
        func publicKey() -> Result<[UInt8], KeychainFailure> { key.publicKey() }
        func supports(_ algorithm: KeychainSignature) -> Bool { key.supports(algorithm) }
        func signature(
            _ algorithm: KeychainSignature, over message: [UInt8]
        ) -> Result<[UInt8], KeychainFailure> {
            if message.isEmpty {
                asked.continuation.yield()
                gate.wait()
            }
            return key.signature(algorithm, over: message)
        }
    }

    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    private func identity(_ calls: any KeychainKeyCalls) throws -> Identity {
        try authority.issueClient(signingKey: KeychainKey(calls, name: "“device”"), commonName: "device")
    }

    @Test func everyAlgorithmOfTLSHasTheNameThatAppleGivesIt() {
        let names: [(SigningAlgorithm, String)] = [
            (.rsaPKCS1(.sha256), "rsaSignatureMessagePKCS1v15SHA256"),
            (.rsaPKCS1(.sha384), "rsaSignatureMessagePKCS1v15SHA384"),
            (.rsaPKCS1(.sha512), "rsaSignatureMessagePKCS1v15SHA512"),
            (.rsaPSS(.sha256), "rsaSignatureMessagePSSSHA256"),
            (.rsaPSS(.sha384), "rsaSignatureMessagePSSSHA384"),
            (.rsaPSS(.sha512), "rsaSignatureMessagePSSSHA512"),
            (.ecdsa(.sha256), "ecdsaSignatureMessageX962SHA256"),
            (.ecdsa(.sha384), "ecdsaSignatureMessageX962SHA384"),
            (.ecdsa(.sha512), "ecdsaSignatureMessageX962SHA512"),
        ]
        for (algorithm, name) in names { #expect(KeychainSignature(algorithm).map { "\($0)" } == name) }
        #expect(Set(names.compactMap { KeychainSignature($0.0) }) == Set(KeychainSignature.allCases))
        #expect(KeychainSignature(.ed25519) == nil)
    }

    @Test func theKeyOffersWhatItSupportsAndSignsWithIt() async throws {
        let calls = MemoryKeychainKey(hasIdentity: true)
        let identity = try identity(calls)
        let key = try #require(identity.keychainKey)
        #expect(key.algorithms == [.ecdsa(.sha256), .ecdsa(.sha384)])
        #expect(identity.isOfKeychain)
        guard case .signsOnly(let signer) = identity.key else {
            Issue.record("The key is held.")
            return
        }
        // The signer checks each signature with the public half.
        for algorithm in signer.algorithms {
            #expect(try await !signer.signature(algorithm, over: Array("message".utf8)).isEmpty)
        }
        #expect(calls.asked == [.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureMessageX962SHA384])
    }

    @Test func theCertificateMustBelongToTheKey() throws {
        let issued = try identity(MemoryKeychainKey(hasIdentity: true))
        let other = MemoryKeychainKey(hasIdentity: false)
        let wrong = #expect(throws: IdentityError.self) {
            try Identity(certificates: issued.chain, keychainKey: other, label: nil)
        }
        #expect(wrong?.code == .noMatchingCertificate)
        #expect(wrong?.message.contains("CN=device") == true)
        let none = #expect(throws: IdentityError.self) {
            try Identity(certificates: [], keychainKey: other, label: nil)
        }
        #expect(none?.code == .noCertificate)
    }

    @Test func theIssuersGivenAreSent() throws {
        let calls = MemoryKeychainKey(hasIdentity: false)
        let middle = try authority.issueIntermediate()
        let leaf = try middle.issueClient(signingKey: KeychainKey(calls, name: "k")).leaf
        let identity = try Identity(certificates: [middle.certificate, leaf], keychainKey: calls, label: "phone")
        #expect(identity.chain == [leaf, middle.certificate])
        #expect(identity.label == "phone")
        #expect(!identity.isOfKeychain)
        #expect(identity.keychainKey != nil)
    }

    @Test func keysThatCannotBeUsedAreRefused() throws {
        let certificates = try authority.issueClient().chain
        let absent = KeychainFailure(domain: "CryptoTokenKit", code: -7)
        for (calls, code) in [
            (Odd(external: .failure(absent)), IdentityError.Code.noPrivateKey),
            (Odd(external: .success([1, 2, 3])), .unsupportedAlgorithm),
            (Odd(external: .success([0x30, 0])), .unsupportedAlgorithm),
        ] {
            let error = #expect(throws: IdentityError.self) {
                try Identity(certificates: certificates, keychainKey: calls, label: nil)
            }
            #expect(error?.code == code)
            #expect(error?.message.contains("of the Keychain") == true)
        }
    }

    @Test(arguments: [
        ("NSOSStatusErrorDomain", -128, CredentialStoreError.Code.userCanceled),
        ("NSOSStatusErrorDomain", -25308, .interactionNotAllowed), ("NSOSStatusErrorDomain", -34018, .notEntitled),
        ("NSOSStatusErrorDomain", .max, .inputOutput), ("com.apple.LocalAuthentication", -1, .userCanceled),
        ("com.apple.LocalAuthentication", -2, .userCanceled),
        ("com.apple.LocalAuthentication", -8, .interactionNotAllowed),
        ("com.apple.LocalAuthentication", -1004, .interactionNotAllowed), ("CryptoTokenKit", -4, .userCanceled),
        ("CryptoTokenKit", -7, .keyUnavailable), ("CryptoTokenKit", -9, .interactionNotAllowed),
        ("CryptoTokenKit", -2, .inputOutput), ("of.tomorrow", 7, .inputOutput),
    ])
    func theErrorTellsWhyAKeyDidNotSign(domain: String, code: Int, expected: CredentialStoreError.Code) async throws {
        let calls = MemoryKeychainKey(hasIdentity: true, failing: .init(domain: domain, code: code))
        guard case .signsOnly(let signer) = try identity(calls).key else {
            Issue.record("The key is held.")
            return
        }
        let error = await #expect(throws: SigningKeyError.self) {
            try await signer.signature(.ecdsa(.sha256), over: [1])
        }
        #expect(error?.code == .failed)
        #expect((error?.cause as? CredentialStoreError)?.code == expected)
        #expect(error?.message.contains("“device”") == true)
        #expect(error?.message.contains("\(code)") == true)
        #expect(error?.message.hasSuffix("..") == false)
    }

    @Test func questionsThatAreNotAnsweredDoNotHoldUpOtherSignatures() async throws {
        let calls = Unanswered()
        let key = try KeychainKey(calls, name: "“card”")
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            let count = 3
            defer { for _ in 0..<count { calls.gate.signal() } }
            for _ in 0..<count {
                group.addTask { try await key.signature(for: .init(algorithm: .ecdsa(.sha256), message: [])) }
            }
            var questions = calls.asked.stream.makeAsyncIterator()
            for _ in 0..<count { await questions.next() }
            let other = try await key.signature(for: .init(algorithm: .ecdsa(.sha256), message: [1]))
            #expect(!other.isEmpty)
        }
        #expect(calls.key.asked.count == 4)
    }

    @Test func aKeychainKeyCannotBeWrittenToAStore() async throws {
        let identity = try identity(MemoryKeychainKey(hasIdentity: true))
        let store = KeychainIdentityStore(calls: MemoryKeychain(), accessGroup: nil, accessibility: .whenUnlocked)
        let error = await #expect(throws: IdentityError.self) { try await store.store(identity, label: "device") }
        #expect(error?.code == .cannotWrite)
    }
}
