/// The private half of an ``Identity``.
package enum IdentityKey: Sendable {
    /// Its bytes are here.
    case held(PrivateKey)
    /// It only signs, wherever it is.
    case signsOnly(Signer)
}

extension Identity {
    /// An identity whose private key only signs.
    ///
    /// Such an identity is used as any other, but cannot be written into a file.
    ///
    /// - Parameters:
    ///   - certificates: in any order; the one that belongs to the key, and what leads from there to an authority.
    ///   - label: the friendly name, if there is one.
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
