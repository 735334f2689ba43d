extension Identity {
    /// Reads the one identity in a PFX (PKCS#12 file, RFC 7292). ``KeyFile`` documents the algorithms and limits.
    ///
    /// - Parameters:
    ///   - pkcs12: the content of the file.
    ///   - password: may be empty or nil. Both forms that programs write for an empty password are tried.
    ///   - integrity: whether a file without a MAC is read.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `passwordRequired`, `damaged`, `noIntegrityCheck`,
    ///   `noPrivateKey`, `noCertificate`, `noMatchingCertificate`, `brokenChain`, `severalKeys`, `unsupportedAlgorithm`,
    ///   `unusableForTLS` or `tooLarge`.
    public init(
        pkcs12: [UInt8], password: String?, integrity: KeyFile.Integrity = .required
    ) throws(IdentityError) {
        self = try KeyFile(pfx: pkcs12, password: password, integrity: integrity).identity()
    }

    /// Reads every identity in a PFX: each private key whose certificate is in the file.
    ///
    /// - Returns: at least one identity, in the order of the file.
    /// - Throws: as ``init(pkcs12:password:integrity:)``, without `severalKeys`.
    public static func all(
        pkcs12: [UInt8], password: String?, integrity: KeyFile.Integrity = .required
    ) throws(IdentityError) -> [Identity] {
        try KeyFile(pfx: pkcs12, password: password, integrity: integrity).identities()
    }

    /// Writes this identity as a PFX with its chain and its authorities.
    ///
    /// - Parameters:
    ///   - password: encrypts the file.
    ///   - label: the friendly name; ``label`` when nil.
    ///   - algorithms: the encryption and the MAC of the file; ``PFXAlgorithms/aes256SHA256`` by default.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pkcs12(
        password: String, label: String? = nil, algorithms: PFXAlgorithms = .aes256SHA256
    ) throws(IdentityError) -> [UInt8] {
        guard let privateKey else { throw keyStaysElsewhere("PKCS#12") }
        guard (1...PFXAlgorithms.maximumIterations).contains(algorithms.iterations) else {
            throw IdentityError(
                .cannotWrite,
                """
                A PKCS#12 file cannot be written with \(algorithms.iterations) iterations; choose 1 to \
                \(PFXAlgorithms.maximumIterations).
                """)
        }
        let others = chain.dropFirst() + authorities.certificates.filter { !chain.contains($0) }
        do {
            return try PFXWriter(password: FilePassword(password, file: .pfx), algorithms: algorithms)
                .bytes(key: privateKey, leaf: leaf, others: Array(others), label: label ?? self.label)
        } catch {
            throw IdentityError(.cannotWrite, "The identity \(leaf.subject) could not be written as PKCS#12.")
        }
    }

    /// - Parameter iterations: may be few only for a password as strong as a key.
    package func pkcs12(password: String, label: String?, iterations: Int) throws(IdentityError) -> [UInt8] {
        var algorithms = PFXAlgorithms.aes256SHA256
        algorithms.iterations = iterations
        return try pkcs12(password: password, label: label, algorithms: algorithms)
    }
}
