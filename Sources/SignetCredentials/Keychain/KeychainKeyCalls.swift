package import SignetTLS

/// The calls to a private key in the Keychain, the Secure Enclave, or a smart card of Apple's systems.
///
/// The implementation on Apple's systems only translates names.
package protocol KeychainKeyCalls: Sendable {
    /// Whether the key came with a `SecIdentity`, which `URLSession` accepts.
    var hasIdentity: Bool { get }
    /// `SecKeyCopyExternalRepresentation` of `SecKeyCopyPublicKey`.
    func publicKey() -> Result<[UInt8], KeychainFailure>
    /// `SecKeyIsAlgorithmSupported` for `SecKeyOperationType.sign`.
    func supports(_ algorithm: KeychainSignature) -> Bool
    /// `SecKeyCreateSignature`. The call blocks for as long as the device and its user need.
    func signature(_ algorithm: KeychainSignature, over message: [UInt8]) -> Result<[UInt8], KeychainFailure>
}

/// The domain and the code of a `CFError`. Its texts are left out: they may quote input of the call.
package struct KeychainFailure: Error, Sendable, Hashable {
    package let domain: String
    package let code: Int

    package init(domain: String, code: Int) { (self.domain, self.code) = (domain, code) }
}

/// The algorithms of Apple's `SecKeyAlgorithm` that TLS can use, with their names there.
///
/// All take the message: if the key supports digests only, the framework hashes the message and calls the key's
/// algorithm for digests.
package enum KeychainSignature: Sendable, Hashable, CaseIterable {
    case rsaSignatureMessagePKCS1v15SHA256, rsaSignatureMessagePKCS1v15SHA384, rsaSignatureMessagePKCS1v15SHA512
    case rsaSignatureMessagePSSSHA256, rsaSignatureMessagePSSSHA384, rsaSignatureMessagePSSSHA512
    /// The signature of X9.62 is the DER of Ecdsa-Sig-Value (RFC 3279 §2.2.3).
    case ecdsaSignatureMessageX962SHA256, ecdsaSignatureMessageX962SHA384, ecdsaSignatureMessageX962SHA512

    /// Nil when a `SecKey` has no such algorithm.
    package init?(_ algorithm: SigningAlgorithm) {
        switch algorithm.value {
        case .rsaPKCS1(.sha256): self = .rsaSignatureMessagePKCS1v15SHA256
        case .rsaPKCS1(.sha384): self = .rsaSignatureMessagePKCS1v15SHA384
        case .rsaPKCS1(.sha512): self = .rsaSignatureMessagePKCS1v15SHA512
        case .rsaPSS(.sha256): self = .rsaSignatureMessagePSSSHA256
        case .rsaPSS(.sha384): self = .rsaSignatureMessagePSSSHA384
        case .rsaPSS(.sha512): self = .rsaSignatureMessagePSSSHA512
        case .ecdsa(.sha256): self = .ecdsaSignatureMessageX962SHA256
        case .ecdsa(.sha384): self = .ecdsaSignatureMessageX962SHA384
        case .ecdsa(.sha512): self = .ecdsaSignatureMessageX962SHA512
        case .ed25519, .mlDSA65, .mlDSA87: return nil
        }
    }
}
