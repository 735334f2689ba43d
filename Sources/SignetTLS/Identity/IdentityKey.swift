/// The private half of an ``Identity``.
package enum IdentityKey: Sendable {
    /// The bytes of the key are in memory.
    case held(PrivateKey)
    /// The key only signs; its bytes are elsewhere.
    case signsOnly(Signer)

    var publicKey: PublicKey {
        switch self {
        case .held(let key): key.publicKey
        case .signsOnly(let signer): signer.publicKey
        }
    }
}

extension Identity {
    /// An identity whose private key only signs.
    ///
    /// Such an identity is used like any other, but cannot be written into a file.
    ///
    /// - Parameters:
    ///   - certificates: in any order: the certificate that belongs to the key, and those that lead from there to an
    ///     authority.
    ///   - signingKey: the key that signs, for example in a device.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: ``IdentityError`` with `noCertificate`, `noMatchingCertificate`, `unsupportedAlgorithm` or `damaged`.
    public init(
        certificates: [EncodedCertificate], signingKey: any SigningKey, label: String? = nil
    ) throws(IdentityError) {
        self = try KeyPair(signingKey).identity(certificates: certificates, label: label)
    }
}
