import Crypto
import CryptoExtras
import SwiftASN1

/// The hash of RSAES-OAEP, which is also that of its mask generation function (RFC 8017 §7.1).
package enum OAEPHash: Sendable, Hashable {
    case sha1, sha256

    var padding: _RSA.Encryption.Padding { self == .sha1 ? .PKCS1_OAEP : .PKCS1_OAEP_SHA256 }
}

/// The public key of a certificate, for which messages to its owner are encrypted.
package struct RecipientKey: Sendable {
    private let key: PublicKey

    /// - Throws: ``VerificationKey/Problem``.
    package init(of certificate: EncodedCertificate) throws(VerificationKey.Problem) {
        guard let content = certificate.content else {
            throw .init(description: "no certificate that can be read")
        }
        guard PublicKey.signatureRestriction(content.publicKeyInfo) == nil else {
            throw .init(description: "a key that only signs")
        }
        do { key = try PublicKey(publicKeyInfo: content.publicKeyInfo) } catch {
            throw .init(description: "\(error)")
        }
        let usage: KeyUsage?
        do { usage = try content.keyUsage() } catch { throw .init(description: "a key usage that cannot be read") }
        // RFC 5280 §4.2.1.3.
        switch key {
        case .rsa:
            guard usage?.keyEncipherment != false else {
                throw .init(description: "a key usage without keyEncipherment, so that no key is encrypted for it")
            }
        case .p256, .p384, .p521:
            guard usage?.keyAgreement != false else {
                throw .init(description: "a key usage without keyAgreement, so that no key is encrypted for it")
            }
        case .ed25519: throw .init(description: "a key that only signs")
        }
    }

    /// Whether the key is RSA; other keys agree on a secret.
    package var isRSA: Bool { if case .rsa = key { true } else { false } }

    /// RSAES-OAEP with an empty label (RFC 8017 §7.1.1).
    package func encrypted(_ secret: [UInt8], _ hash: OAEPHash) throws -> [UInt8] {
        guard case .rsa(let key) = key else { throw EncodingError("no RSA key") }
        return Array(
            try _RSA.Encryption.PublicKey(derRepresentation: key.derRepresentation)
                .encrypt(secret, padding: hash.padding))
    }

    /// A secret that only this key and a new one can find, and the public half of the new one.
    package struct Agreement: Sendable {
        package var curve: NamedCurve
        /// In the uncompressed form (SEC 1 §2.3.3).
        package var point: [UInt8]
        package var secret: [UInt8]
    }

    /// ECDH with a new key (NIST SP 800-56A §6.2.2.2).
    package func agreement() throws -> Agreement {
        switch key {
        case .p256(let key):
            let new = P256.KeyAgreement.PrivateKey()
            let secret = try new.sharedSecretFromKeyAgreement(with: .init(x963Representation: key.x963Representation))
            return Agreement(curve: .p256, point: Array(new.publicKey.x963Representation), secret: secret.bytes)
        case .p384(let key):
            let new = P384.KeyAgreement.PrivateKey()
            let secret = try new.sharedSecretFromKeyAgreement(with: .init(x963Representation: key.x963Representation))
            return Agreement(curve: .p384, point: Array(new.publicKey.x963Representation), secret: secret.bytes)
        case .p521(let key):
            let new = P521.KeyAgreement.PrivateKey()
            let secret = try new.sharedSecretFromKeyAgreement(with: .init(x963Representation: key.x963Representation))
            return Agreement(curve: .p521, point: Array(new.publicKey.x963Representation), secret: secret.bytes)
        case .rsa, .ed25519: throw EncodingError("no key for an agreement")
        }
    }
}

/// A curve of NIST, by its object identifier (RFC 5480 §2.1.1.1).
package enum NamedCurve: String, Sendable, Hashable {
    case p256 = "1.2.840.10045.3.1.7"
    case p384 = "1.3.132.0.34"
    case p521 = "1.3.132.0.35"
}

extension KeyPair {
    /// Whether the owner of the key can decrypt with it: it is in memory, and does more than sign.
    package var opensMessages: Bool {
        guard case .held(let key) = key else { return false }
        if case .ed25519 = key.publicKey { return false }
        return true
    }

    /// RSAES-OAEP with an empty label (RFC 8017 §7.1.2); nil for whatever reason it fails.
    package func decrypted(_ bytes: [UInt8], _ hash: OAEPHash) -> [UInt8]? {
        guard case .held(let key) = key, case .rsa = key.publicKey else { return nil }
        return try? key.decrypted(bytes, hash.padding)
    }

    /// The secret of ECDH with the key of a sender, in the uncompressed form; nil when it fails.
    package func sharedSecret(with point: [UInt8], _ curve: NamedCurve) -> [UInt8]? {
        guard case .held(let key) = key else { return nil }
        return try? key.sharedSecret(with: point, curve)
    }
}

extension PrivateKey {
    fileprivate func sharedSecret(with point: [UInt8], _ curve: NamedCurve) throws -> [UInt8]? {
        switch (publicKey, curve) {
        case (.p256, .p256):
            try P256.KeyAgreement.PrivateKey(derRepresentation: pkcs8)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point)).bytes
        case (.p384, .p384):
            try P384.KeyAgreement.PrivateKey(derRepresentation: pkcs8)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point)).bytes
        case (.p521, .p521):
            try P521.KeyAgreement.PrivateKey(derRepresentation: pkcs8)
                .sharedSecretFromKeyAgreement(with: .init(x963Representation: point)).bytes
        default: nil
        }
    }
}

extension SharedSecret {
    fileprivate var bytes: [UInt8] { unsafe withUnsafeBytes(Array.init) }
}
