import SwiftASN1

extension Identity {
    /// Writes the private key in PKCS#8 (RFC 5208), then the chain and the authorities, as PEM (RFC 7468).
    ///
    /// - Parameter password: encrypts the key (PBES2, AES-256-CBC, PBKDF2-HMAC-SHA-256 with 600,000 iterations);
    ///   without one whoever reads the result has the key.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pem(password: String?) throws(IdentityError) -> [UInt8] {
        let key: String
        do {
            key = try password.map(encryptedKey) ?? Self.block("PRIVATE KEY", privateKey.pkcs8)
        } catch {
            throw IdentityError(.cannotWrite, "The key of \(leaf.subject) could not be encrypted.")
        }
        let others = authorities.certificates.filter { !chain.contains($0) }
        return Array(((chain + others).reduce(key) { $0 + Self.block("CERTIFICATE", $1.der) }).utf8)
    }

    /// EncryptedPrivateKeyInfo (RFC 5208 §6).
    private func encryptedKey(_ password: String) throws -> String {
        let (algorithm, bytes) = try PasswordEncryption.aes256(
            privateKey.pkcs8, password: FilePassword(password, file: .pem),
            iterations: PFXAlgorithms.aes256SHA256.iterations)
        let der = DER.bytes { coder in
            coder.appendSequence { coder in
                coder.serializeRawBytes(algorithm)
                coder.appendOctets(bytes)
            }
        }
        return Self.block("ENCRYPTED PRIVATE KEY", der)
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
