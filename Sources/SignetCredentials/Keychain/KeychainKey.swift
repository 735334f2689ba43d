package import SignetTLS
import Synchronization

/// A private key that stays where Apple's systems keep it, and signs.
package struct KeychainKey: SigningKey {
    package let name: String
    package let publicKeyInfo: [UInt8]
    package let algorithms: [SigningAlgorithm]
    package let calls: any KeychainKeyCalls
    // The call waits for the device and its user; threads that tasks share must not. It cannot be cancelled, so one
    // question that the user leaves unanswered must not hold up the other calls.
    private let queue = BlockingQueue("KeychainKey", width: 4)
    private let state = State()

    private final class State: Sendable { let isSpent = Atomic(false) }

    /// - Parameter name: what errors call the key.
    /// - Throws: `IdentityError` with `noPrivateKey` when the key does not tell its public half, and with `unsupportedAlgorithm`
    ///   when that is of a kind that is not used here.
    package init(_ calls: any KeychainKeyCalls, name: String) throws(IdentityError) {
        let external: [UInt8]
        switch calls.publicKey() {
        case .success(let bytes): external = bytes
        case .failure(let failure):
            let error = KeychainStatus.error(failure, "give the public half of the key \(name)")
            throw IdentityError(.noPrivateKey, error.message, cause: error)
        }
        guard let info = ExternalPublicKey.publicKeyInfo(external) else {
            throw IdentityError(
                .unsupportedAlgorithm,
                "The key \(name) is neither RSA nor P-256, P-384 or P-521. Take an identity with a key of one of these kinds."
            )
        }
        self.name = name
        self.calls = calls
        publicKeyInfo = info
        algorithms = Self.candidates.filter { KeychainSignature($0).map(calls.supports) == true }
    }

    /// In the order of preference. What does not fit the kind of key falls out.
    private static let candidates: [SigningAlgorithm] = {
        let hashes = SigningAlgorithm.Hash.allCases
        return hashes.map { .ecdsa($0) } + hashes.map { .rsaPSS($0) } + hashes.map { .rsaPKCS1($0) }
    }()

    /// Whether a source of identities may give this key again. Otherwise it asks the system for a new reference to the
    /// key: that to a key on a card which was taken out and put back signs no more.
    package var isReusable: Bool { !state.isSpent.load(ordering: .relaxed) }

    /// Has sources of identities ask the system for a new reference. A signature that fails does so by itself.
    package func preventReuse() { state.isSpent.store(true, ordering: .relaxed) }

    /// - Throws: ``CredentialStoreError``, or `CancellationError` when the task was cancelled before the turn of this call.
    package func signature(for request: SigningRequest) async throws -> [UInt8] {
        guard let algorithm = KeychainSignature(request.algorithm) else {
            throw CredentialStoreError(.unsupported, "The Keychain has no signatures with \(request.algorithm).")
        }
        let result = try await queue.run { [calls] in calls.signature(algorithm, over: request.message) }
        switch result {
        case .success(let signature): return signature
        case .failure(let failure):
            preventReuse()
            throw KeychainStatus.error(failure, "sign")
        }
    }
}

extension Identity {
    /// - Throws: `IdentityError` as ``KeychainKey`` and `init(certificates:signingKey:label:)` do.
    package init(
        certificates: [EncodedCertificate], keychainKey calls: any KeychainKeyCalls, label: String?
    ) throws(IdentityError) {
        guard let first = certificates.first else {
            throw IdentityError(
                .noCertificate, "There is no certificate for the key of the Keychain. Give the one issued for it.")
        }
        try self.init(
            certificates: certificates,
            signingKey: KeychainKey(calls, name: "of the Keychain for “\(first.subject)”"), label: label)
    }

    /// The key, where Apple's systems keep it; nil for any other key.
    package var keychainKey: KeychainKey? { signingKey as? KeychainKey }

    /// Whether the identity is made of a `SecIdentity`, which `URLSession` takes.
    package var isOfKeychain: Bool { keychainKey?.calls.hasIdentity == true }
}
