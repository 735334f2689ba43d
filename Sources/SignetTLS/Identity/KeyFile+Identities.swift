extension KeyFile {
    /// An identity for each private key that can be used for TLS and whose certificate is in the file.
    ///
    /// - Parameter authorities: certificates that complete the chains where the file lacks them.
    /// - Returns: at least one identity, in the order of the file.
    /// - Throws: ``IdentityError`` with `noPrivateKey`, `noCertificate`, `noMatchingCertificate`, `unusableForTLS`,
    ///   `unsupportedAlgorithm` or `brokenChain`.
    public func identities(
        completedBy authorities: CertificateBundle = CertificateBundle([])
    ) throws(IdentityError) -> [Identity] {
        guard let first = keys.first else {
            throw IdentityError(
                .noPrivateKey,
                """
                The \(format) file holds \(certificates.count) certificates and no private key. Export it together \
                with the key.
                """)
        }
        let usable = keys.filter(\.isUsableForTLS)
        if usable.isEmpty, let problem = first.problem { throw problem }
        guard !certificates.isEmpty else {
            throw IdentityError(
                .noCertificate,
                """
                The \(format) file holds a private key and no certificate. Put the certificate that was issued for this \
                key into it.
                """)
        }
        let owners = Dictionary(grouping: certificates) { $0.certificate.publicKey }
        var seen: Set<EncodedCertificate> = []
        var result: [Identity] = []
        for key in usable {
            guard let privateKey = key.privateKey,
                let leaf = Self.leaf(of: key, among: owners[privateKey.publicKey.canonical]),
                seen.insert(leaf.certificate).inserted
            else { continue }
            result.append(try identity(key, privateKey, leaf, authorities))
        }
        guard !result.isEmpty else {
            throw IdentityError(
                .noMatchingCertificate,
                """
                The \(format) file holds a private key, and none of its \(certificates.count) certificates belongs to \
                it. Export it together with the certificate that was issued for this key.
                """)
        }
        return result
    }

    /// The identity that the label selects.
    ///
    /// - Parameters:
    ///   - label: its friendly name; nil only for a file with one identity.
    ///   - authorities: certificates that complete the chain where the file lacks them.
    /// - Throws: as ``identities(completedBy:)``, and `severalKeys` when no identity or more than one has the label.
    public func identity(
        labelled label: String? = nil, completedBy authorities: CertificateBundle = CertificateBundle([])
    ) throws(IdentityError) -> Identity {
        let all = try identities(completedBy: authorities)
        let meant = label.map { label in all.filter { $0.label == label } } ?? all
        guard let first = meant.first, meant.count == 1 else {
            let names = all.prefix(8).map { $0.label.map { "“\($0)”" } ?? $0.leaf.subject }.joined(separator: ", ")
            throw IdentityError(
                .severalKeys,
                """
                The \(format) file holds \(all.count) identities, of which \(meant.count) match: \(names). Choose \
                one by its label, or read them with KeyFile.identities() and choose by the subject.
                """)
        }
        return first
    }

    /// The certificate with the key's local key identifier, or else the certificate for this key that is valid longest:
    /// the others are older certificates that it replaced.
    private static func leaf(of key: Key, among own: [Certificate]?) -> Certificate? {
        let tied = own?.filter { $0.localKeyID != nil && $0.localKeyID == key.localKeyID } ?? []
        return (tied.isEmpty ? own ?? [] : tied).max { earlier, later in
            earlier.certificate.notAfter ?? .min < later.certificate.notAfter ?? .min
        }
    }

    private func identity(
        _ key: Key, _ privateKey: PrivateKey, _ leaf: Certificate, _ authorities: CertificateBundle
    ) throws(IdentityError) -> Identity {
        let others = certificates.map(\.certificate).filter { $0 != leaf.certificate }
        // Another authority may have the same name as the issuer. With the given authorities the chain may be whole,
        // and the file is not the cause.
        let completed = CertificateChain(from: leaf.certificate, among: others + authorities.certificates)
        if completed.broken != nil, let broken = CertificateChain(from: leaf.certificate, among: others).broken {
            throw IdentityError(
                .brokenChain,
                """
                The \(format) file holds a chain that is broken: \(broken.subject) names \(broken.issuer ?? "") as its \
                issuer, and no certificate of that name has the key that signed it. Ask the authority for the right \
                one.
                """)
        }
        return Identity(
            leaf: leaf.certificate, key: .held(privateKey), others: others, more: authorities.certificates,
            label: key.label ?? leaf.label)
    }
}

extension EncodedCertificate {
    /// The public key in the encoding that is used to compare keys; nil when it is of an unknown kind.
    fileprivate var publicKey: [UInt8]? {
        content.flatMap { try? PublicKey(publicKeyInfo: $0.publicKeyInfo) }?.canonical
    }
}
