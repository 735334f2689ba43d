/// The private half of an ``Identity``.
package enum IdentityKey: Sendable {
    /// The bytes of the key are in memory.
    case held(PrivateKey)
    /// The key only signs; its bytes are elsewhere.
    case signsOnly(Signer)
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
        guard let first = certificates.first else {
            throw IdentityError(
                .noCertificate, "There is no certificate for the key \(signingKey.name). Give the one issued for it.")
        }
        let signer = try Signer(signingKey)
        guard let leaf = certificates.first(where: signer.belongs) else {
            throw IdentityError(
                .noMatchingCertificate,
                """
                None of the \(certificates.count) certificates belongs to the key \(signer.name). The first is for \
                \(first.subject).
                """)
        }
        self.init(leaf: leaf, key: .signsOnly(signer), others: certificates.filter { $0 != leaf }, label: label)
    }
}
