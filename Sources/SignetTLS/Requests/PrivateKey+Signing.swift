import Crypto
import CryptoExtras
import SwiftASN1

extension PrivateKey {
    /// PKCS#8 of an Ed25519 key (RFC 8410 §7).
    static func pkcs8(ed25519 seed: [UInt8]) -> [UInt8] {
        let key = DER.bytes { $0.appendOctets(seed) }
        return DER.bytes { coder in
            coder.appendSequence { coder in
                coder.appendPrimitiveNode(identifier: .integer) { $0.append(0) }
                coder.appendEd25519()
                coder.appendOctets(key)
            }
        }
    }

    /// Signs a message, in the form that ``SigningKey/signature(for:)`` describes.
    func signature(_ algorithm: SigningAlgorithm, over message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        let signature: [UInt8]?
        do {
            signature =
                switch algorithm.hash?.value {
                case .sha256: try sign(SHA256.hash(data: message), algorithm)
                case .sha384: try sign(SHA384.hash(data: message), algorithm)
                case .sha512: try sign(SHA512.hash(data: message), algorithm)
                case nil: algorithm == .ed25519 ? try signEd25519(message) : nil
                }
        } catch {
            throw SigningKeyError(.failed, "The private key in memory did not sign with \(algorithm).", cause: error)
        }
        guard let signature else {
            throw SigningKeyError(.unsupportedAlgorithm, "The private key in memory does not sign with \(algorithm).")
        }
        return signature
    }

    /// Nil when the algorithm does not fit the key.
    private func sign(_ digest: some Digest, _ algorithm: SigningAlgorithm) throws -> [UInt8]? {
        switch (publicKey, algorithm.value) {
        case (.rsa, .rsaPKCS1):
            Array(try rsa().signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        case (.rsa, .rsaPSS): Array(try rsa().signature(for: digest, padding: .PSS).rawRepresentation)
        case (.p256, .ecdsa):
            Array(try P256.Signing.PrivateKey(derRepresentation: pkcs8).signature(for: digest).derRepresentation)
        case (.p384, .ecdsa):
            Array(try P384.Signing.PrivateKey(derRepresentation: pkcs8).signature(for: digest).derRepresentation)
        case (.p521, .ecdsa):
            Array(try P521.Signing.PrivateKey(derRepresentation: pkcs8).signature(for: digest).derRepresentation)
        default: nil
        }
    }

    private func signEd25519(_ message: [UInt8]) throws -> [UInt8]? {
        guard case .ed25519 = publicKey else { return nil }
        let seed = try DER.parse(try keyBytes()).octets()
        return Array(try Curve25519.Signing.PrivateKey(rawRepresentation: Array(seed)).signature(for: message))
    }

    /// Decrypts with RSA. The default padding is RSAES-PKCS1-v1_5 (RFC 8017 §7.2.2), which messages of CMS use.
    func decrypted(
        _ bytes: [UInt8], _ padding: _RSA.Encryption.Padding = ._WEAK_AND_INSECURE_PKCS_V1_5
    ) throws -> [UInt8] {
        let key = try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: Array(try keyBytes()))
        return Array(try key.decrypt(bytes, padding: padding))
    }

    func rsa() throws -> _RSA.Signing.PrivateKey {
        try .init(unsafeDERRepresentation: Array(try keyBytes()))
    }

    /// The key without its algorithm: RSAPrivateKey, ECPrivateKey or CurvePrivateKey.
    private func keyBytes() throws -> ArraySlice<UInt8> {
        var fields = try NodeReader(try DER.parse(pkcs8))
        _ = try fields.next().integer()
        _ = try fields.next()
        return try fields.next().octets()
    }
}
