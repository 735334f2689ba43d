extension Identity {
    /// Reads the one identity in a PFX (PKCS#12 file, RFC 7292).
    ///
    /// Read are PBES2 with AES-CBC and PBKDF2, and unencrypted bags, always behind a MAC with SHA-1 or SHA-2. The work
    /// is limited: 4 MiB, 128 bags, five million iterations in all.
    ///
    /// - Parameter password: may be empty; both forms that writers use for an empty one are tried.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `damaged`, `noPrivateKey`, `noMatchingCertificate`,
    ///   `severalKeys`, `unsupportedAlgorithm` or `tooLarge`.
    public init(pkcs12: [UInt8], password: String) throws(IdentityError) {
        let identities = try Self.all(pkcs12: pkcs12, password: password)
        guard let first = identities.first, identities.count == 1 else {
            let names = identities.map { $0.label.map { "“\($0)”" } ?? $0.leaf.subject }.joined(separator: ", ")
            throw IdentityError(
                .severalKeys,
                """
                The PKCS#12 file holds \(identities.count) identities: \(names). Read them with \
                Identity.all(pkcs12:password:) and choose one by its label or subject.
                """)
        }
        self = first
    }

    /// Reads every identity in a PFX: each private key that has its certificate beside it.
    ///
    /// - Returns: at least one identity, in the order of the file.
    /// - Throws: as ``init(pkcs12:password:)``, without `severalKeys`.
    public static func all(pkcs12: [UInt8], password: String) throws(IdentityError) -> [Identity] {
        let file = try PFX(pkcs12, password: password)
        guard !file.keys.isEmpty else {
            throw IdentityError(
                .noPrivateKey,
                """
                The PKCS#12 file holds \(file.certificates.count) certificates and no private key. Export it together \
                with the key.
                """)
        }
        var identities: [Identity] = []
        for (key, attributes) in file.keys {
            let own = file.certificates.filter { key.belongs(to: $0.certificate) }
            let named = own.first {
                $0.attributes.localKeyID != nil && $0.attributes.localKeyID == attributes.localKeyID
            }
            guard let leaf = named ?? own.first else { continue }
            let identity = Identity(
                leaf: leaf.certificate, privateKey: key,
                others: file.certificates.map(\.certificate).filter { $0 != leaf.certificate },
                label: attributes.friendlyName ?? leaf.attributes.friendlyName)
            if !identities.contains(identity) { identities.append(identity) }
        }
        guard !identities.isEmpty else {
            throw IdentityError(
                .noMatchingCertificate,
                """
                The PKCS#12 file holds a private key, and none of its \(file.certificates.count) certificates belongs \
                to it. Export it together with the certificate that was issued for this key.
                """)
        }
        return identities
    }

    /// Writes this identity as a PFX with its chain and authorities.
    ///
    /// - Parameter label: the friendly name; ``label`` when nil.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pkcs12(
        password: String, label: String? = nil, algorithms: PFXAlgorithms = .aes256SHA256
    ) throws(IdentityError) -> [UInt8] {
        let others = chain.dropFirst() + authorities.certificates.filter { !chain.contains($0) }
        do {
            return try PFXWriter(password: PFXPassword(password), iterations: algorithms.iterations)
                .bytes(key: privateKey, leaf: leaf, others: Array(others), label: label ?? self.label)
        } catch {
            throw IdentityError(.cannotWrite, "The identity \(leaf.subject) could not be written as PKCS#12.")
        }
    }

    /// - Parameter iterations: few only for passwords that are as good as keys.
    package func pkcs12(password: String, label: String?, iterations: Int) throws(IdentityError) -> [UInt8] {
        var algorithms = PFXAlgorithms.aes256SHA256
        algorithms.iterations = iterations
        return try pkcs12(password: password, label: label, algorithms: algorithms)
    }
}
