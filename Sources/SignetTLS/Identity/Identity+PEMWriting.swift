extension Identity {
    /// Writes the private key in PKCS#8 (RFC 5208), then the chain and the authorities, as PEM (RFC 7468).
    ///
    /// - Parameter password: encrypts the key (PBES2, AES-256-CBC, PBKDF2-HMAC-SHA-256); without one whoever reads the
    ///   result has the key.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pem(password: String?) throws(IdentityError) -> [UInt8] {
        guard password == nil else {
            throw IdentityError(.cannotWrite, "The key of \(leaf.subject) could not be encrypted.")
        }
        let others = authorities.certificates.filter { !chain.contains($0) }
        var text = Self.block("PRIVATE KEY", privateKey.pkcs8)
        for certificate in chain + others { text += Self.block("CERTIFICATE", certificate.der) }
        return Array(text.utf8)
    }

    private static func block(_ label: String, _ der: [UInt8]) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Text.base64(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }
}
