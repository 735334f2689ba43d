extension Identity {
    /// Reads an identity from PEM (RFC 7468): certificates in any order, also in PKCS#7, and one private key in PKCS#8,
    /// PKCS#1 (RSA) or SEC 1 (EC), encrypted or not. Both may be the same file.
    ///
    /// - Parameters:
    ///   - pem: the content of the file with the certificates.
    ///   - privateKey: the content of the file with the key.
    ///   - password: decrypts an encrypted key.
    /// - Throws: ``IdentityError`` with `damaged`, `noCertificate`, `noPrivateKey`, `severalKeys`,
    ///   `noMatchingCertificate`, `brokenChain`, `passwordRequired`, `wrongPassword`, `unsupportedAlgorithm`,
    ///   `unusableForTLS` or `tooLarge`.
    public init(pem: [UInt8], privateKey: [UInt8], password: String? = nil) throws(IdentityError) {
        let certificates = try CertificateBundle(pem: pem).certificates
        let file = try KeyFile(pem: privateKey, password: password)
        guard file.keys.count <= 1 else {
            throw IdentityError(
                .severalKeys, "The PEM file holds \(file.keys.count) private keys. Give a file with one.")
        }
        guard !file.keys.isEmpty else {
            throw IdentityError(
                .noPrivateKey, "The PEM file holds no private key: no block's label ends with PRIVATE KEY.")
        }
        self = try KeyFile(
            format: .pem, protections: file.protections, keys: file.keys,
            certificates: certificates.map { .init(certificate: $0, label: nil, localKeyID: nil) }
        ).identity()
    }
}
