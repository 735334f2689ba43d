extension KeyFile {
    /// Each private key that can be used for TLS and has its certificate in the file.
    ///
    /// - Parameter authorities: certificates that complete the chains, as far as the file lacks them.
    /// - Returns: at least one identity, in the order of the file.
    /// - Throws: ``IdentityError`` with `noPrivateKey`, `noMatchingCertificate`, `unusableForTLS`,
    ///   `unsupportedAlgorithm` or `brokenChain`.
    public func identities(completedBy authorities: CertificateBundle = .init([])) throws(IdentityError) -> [Identity] {
        var result: [Identity] = []
        let others = certificates.map(\.certificate) + authorities.certificates
        for key in keys {
            guard let privateKey = key.privateKey,
                let leaf = certificates.first(where: { privateKey.belongs(to: $0.certificate) })
            else { continue }
            result.append(
                Identity(
                    leaf: leaf.certificate, privateKey: privateKey, others: others.filter { $0 != leaf.certificate },
                    label: key.label ?? leaf.label))
        }
        guard !result.isEmpty else {
            throw IdentityError(.noPrivateKey, "The \(format) file holds no private key with its certificate.")
        }
        return result
    }
}
