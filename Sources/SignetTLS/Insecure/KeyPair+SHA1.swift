import Crypto
import CryptoExtras

/// Signatures over SHA-1, which some services still demand.
extension KeyPair {
    /// Signs a document with RSA PKCS#1 v1.5 over SHA-1 (RFC 8017 §8.2).
    ///
    /// - Throws: ``SigningKeyError`` for a key that is not of RSA, or not in memory.
    package func insecureSHA1Signature(over message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        guard case .held(let key) = key, case .rsa = key.publicKey else {
            throw SigningKeyError(.unsupportedAlgorithm, "Only RSA keys in memory sign with SHA-1.")
        }
        do { return try key.insecureSHA1Signature(over: message) } catch {
            throw SigningKeyError(.failed, "The private key in memory did not sign with SHA-1.", cause: error)
        }
    }
}

extension PrivateKey {
    fileprivate func insecureSHA1Signature(over message: [UInt8]) throws -> [UInt8] {
        let digest = Insecure.SHA1.hash(data: message)
        return Array(try rsa().signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
    }
}
