extension Identity {
    /// Writes the private key in PKCS#8 (RFC 5208), then the chain and the authorities, as PEM (RFC 7468).
    ///
    /// - Parameter password: encrypts the key (PBES2, AES-256-CBC, PBKDF2-HMAC-SHA-256 with 600,000 iterations). When
    ///   nil, the key is written unencrypted: anyone who can read the result can use it.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pem(password: String?) throws(IdentityError) -> [UInt8] {
        guard let privateKey else { throw keyStaysElsewhere("PEM") }
        let key: String
        do {
            key = try privateKey.pem(password: password)
        } catch {
            throw IdentityError(.cannotWrite, "The key of \(leaf.subject) could not be encrypted.")
        }
        let others = authorities.certificates.filter { !chain.contains($0) }
        return Array(((chain + others).reduce(key) { $0 + PEMBlock.text("CERTIFICATE", $1.der) }).utf8)
    }

    func keyStaysElsewhere(_ format: String) -> IdentityError {
        IdentityError(
            .cannotWrite,
            "The identity \(leaf.subject) cannot be written as \(format): its private key only signs and stays where it is."
        )
    }
}
