import Crypto
import SwiftASN1

extension EncodedCertificate {
    /// Whether `issuer` is named as the issuer, is an authority, and signed this certificate. Nothing else is checked.
    package func isIssued(by issuer: EncodedCertificate) -> Bool {
        guard let content, let other = issuer.content, content.issuer == other.subject, other.claimsAuthority
        else { return false }
        return (try? content.isSigned(by: other)) ?? false
    }

    /// Whether this is the certificate of an authority.
    package var isAuthority: Bool { content?.claimsAuthority ?? false }

    /// Whether the extended key usage says that the key acts for an authority when certificates are requested: that of
    /// CMC (RFC 6402 §2.10), or that of Windows, where the service for SCEP enrolls for devices.
    package var isRegistrationAuthority: Bool {
        let purposes = (try? content?.extendedKeyUsage()) ?? []
        return purposes.contains([1, 3, 6, 1, 5, 5, 7, 3, 28]) || purposes.contains([1, 3, 6, 1, 4, 1, 311, 20, 2, 1])
    }

    /// Whether the key is RSA, so that messages can be encrypted for it.
    package var hasRSAKey: Bool {
        guard let content, let key = try? PublicKey(publicKeyInfo: content.publicKeyInfo), case .rsa = key else {
            return false
        }
        // A key for RSA-PSS signs only (RFC 4055 §1.2).
        return PublicKey.signatureRestriction(content.publicKeyInfo) == nil
    }

    /// Whether the key is RSA, and its usage does not forbid that messages are encrypted for it.
    package var takesEncryptedKeys: Bool {
        guard hasRSAKey, let content else { return false }
        do { return try content.keyUsage()?.keyEncipherment ?? true } catch { return false }
    }
}

extension KeyPair {
    /// Whether messages that are encrypted for this key can be read: it is RSA, and in memory.
    package var decrypts: Bool {
        guard case .held(let key) = key, case .rsa = key.publicKey else { return false }
        return true
    }

    /// SHA-256 of the public half, as in ``EncodedCertificate/publicKeySHA256``.
    package var publicKeySHA256: [UInt8] { Array(SHA256.hash(data: publicKeyInfo)) }
}

extension CertificateSigningRequest {
    /// The Name of the subject in DER.
    private var subjectBytes: [UInt8] {
        get throws {
            var fields = try NodeReader(try DER.parse(der))
            var content = try NodeReader(try fields.next())
            _ = try content.next().integer()
            return Array(try content.next().encodedBytes)
        }
    }

    /// IssuerAndSubject (RFC 8894 §3.3.3), by which an authority is asked for the decision about this request.
    package func issuerAndSubject(issuer: EncodedCertificate) throws -> [UInt8] {
        guard let authority = issuer.content else { throw EncodingError("a certificate that cannot be read") }
        let subject = try subjectBytes
        return DER.bytes { coder in
            coder.appendSequence { coder in
                coder.serializeRawBytes(authority.subjectBytes)
                coder.serializeRawBytes(subject)
            }
        }
    }

    /// The key with a certificate that it signs itself, and that has the subject of this request (RFC 8894 §2.3).
    package func selfSignedIdentity(_ key: KeyPair, notBefore: Int64, notAfter: Int64) async throws -> Identity {
        try await key.selfSignedIdentity(subject: try subjectBytes, notBefore: notBefore, notAfter: notAfter)
    }
}
