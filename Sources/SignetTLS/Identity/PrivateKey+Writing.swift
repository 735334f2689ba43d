import SwiftASN1

extension PrivateKey {
    /// PKCS#8 in DER: PrivateKeyInfo (RFC 5208 §5), or EncryptedPrivateKeyInfo (§6) under a password, with PBES2,
    /// AES-256-CBC and PBKDF2-HMAC-SHA-256.
    func pkcs8(password: String?) throws -> [UInt8] {
        guard let password else { return pkcs8 }
        let (algorithm, bytes) = try PasswordEncryption.aes256(
            pkcs8, password: FilePassword(password, file: .pem), iterations: PFXAlgorithms.aes256SHA256.iterations)
        return DER.bytes { coder in
            coder.appendSequence { coder in
                coder.serializeRawBytes(algorithm)
                coder.appendOctets(bytes)
            }
        }
    }

    /// The PKCS#8 as PEM.
    func pem(password: String?) throws -> String {
        PEMBlock.text(password == nil ? "PRIVATE KEY" : "ENCRYPTED PRIVATE KEY", try pkcs8(password: password))
    }
}

extension KeyFile.Key {
    /// Writes the key alone, in PKCS#8 DER (RFC 5208).
    ///
    /// - Parameter password: encrypts the key. When nil, anyone who can read the result can use the key.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pkcs8(password: String?) throws(IdentityError) -> [UInt8] {
        guard let privateKey, let bytes = try? privateKey.pkcs8(password: password) else { throw unwritable }
        return bytes
    }

    /// Writes the key alone, in PKCS#8 as PEM (RFC 7468 §10).
    ///
    /// - Parameter password: encrypts the key. When nil, anyone who can read the result can use the key.
    /// - Throws: ``IdentityError`` with `cannotWrite`.
    public func pem(password: String?) throws(IdentityError) -> [UInt8] {
        guard let privateKey, let text = try? privateKey.pem(password: password) else { throw unwritable }
        return Array(text.utf8)
    }

    private var unwritable: IdentityError {
        IdentityError(.cannotWrite, "The \(algorithm) key cannot be written: it is of a kind that is not supported.")
    }
}
