package import SignetTLS
import Synchronization

/// A private key that signs inside Apple's systems and does not leave them.
package struct KeychainKey: SigningKey {
    package let name: String
    package let publicKeyInfo: [UInt8]
    package let algorithms: [SigningAlgorithm]
    package let calls: any KeychainKeyCalls
    // A call waits for the device and its user; the threads that tasks share must not. It cannot be cancelled, so a
    // question that the user does not answer must not delay the other calls.
    private let queue = BlockingQueue("KeychainKey", width: 4)
    private let state = State()

    private final class State: Sendable { let isSpent = Atomic(false) }

    /// - Parameter name: the key's name in errors.
    /// - Throws: `IdentityError` with `noPrivateKey` when the public half cannot be read, and with
    ///   `unsupportedAlgorithm` when it is of a kind that Signet does not use.
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

    /// In order of preference. Algorithms that do not fit the kind of key are dropped.
    private static let candidates: [SigningAlgorithm] = {
        let hashes = SigningAlgorithm.Hash.allCases
        return hashes.map { .ecdsa($0) } + hashes.map { .rsaPSS($0) } + hashes.map { .rsaPKCS1($0) }
    }()

    /// Whether a source of identities may return this key again. Otherwise it asks the system for a new reference: the
    /// reference to a key on a card that was removed and inserted again can no longer sign.
    package var isReusable: Bool { !state.isSpent.load(ordering: .relaxed) }

    /// Makes sources of identities ask the system for a new reference. A failed signature has the same effect.
    package func preventReuse() { state.isSpent.store(true, ordering: .relaxed) }

    /// - Throws: ``CredentialStoreError``, or `CancellationError` when the task was cancelled before this call's turn.
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

    /// The key, if Apple's systems keep it; nil for any other key.
    package var keychainKey: KeychainKey? { signingKey as? KeychainKey }

    /// Whether the identity was made from a `SecIdentity`, which `URLSession` accepts.
    package var isOfKeychain: Bool { keychainKey?.calls.hasIdentity == true }
}
