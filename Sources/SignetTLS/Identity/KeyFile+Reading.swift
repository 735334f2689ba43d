extension KeyFile {
    /// Reads whatever the bytes are.
    ///
    /// - Parameter password: nil when there is none, which is not the same as an empty one; for both, every form that
    ///   writers use for “no password” is tried.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `damaged`, `unsupportedAlgorithm` or `tooLarge`.
    public init(_ bytes: [UInt8], password: String? = nil, integrity: Integrity = .required) throws(IdentityError) {
        if bytes.starts(with: "-----BEGIN".utf8) {
            self.init(
                format: .pem, protections: [], keys: [],
                certificates: try CertificateBundle(pem: bytes).certificates.map {
                    Certificate(certificate: $0, label: nil, localKeyID: nil)
                })
            return
        }
        let file = try PFX(bytes, password: password ?? "")
        self.init(
            format: .pfx, protections: [],
            keys: file.keys.map { key, attributes in
                Key(
                    algorithm: "a key", label: attributes.friendlyName,
                    localKeyID: attributes.localKeyID.map(Array.init),
                    problem: nil, privateKey: key)
            },
            certificates: file.certificates.map { certificate, attributes in
                Certificate(
                    certificate: certificate, label: attributes.friendlyName,
                    localKeyID: attributes.localKeyID.map(Array.init))
            })
    }
}
