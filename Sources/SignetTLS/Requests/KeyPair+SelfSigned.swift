import SwiftASN1

extension KeyPair {
    /// An identity whose certificate the key itself signs: for servers that register single certificates, and as the
    /// place of a key for which a certificate was requested and has not come yet.
    ///
    /// - Parameters:
    ///   - subject: the name; it is the issuer's, too.
    ///   - alternativeNames: other names.
    ///   - purposes: what the certificate is for; when it is empty, the extension is left out.
    ///   - notBefore: the first second of the validity, in seconds since 1970 in UTC.
    ///   - notAfter: the last second of the validity.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: ``IdentityError`` with `invalidRequest`; ``SigningKeyError``.
    public func selfSignedIdentity(
        subject: SubjectName, alternativeNames: [CertificateSigningRequest.AlternativeName] = [],
        purposes: [CertificateSigningRequest.Purpose] = [], notBefore: Int64, notAfter: Int64, label: String? = nil
    ) async throws -> Identity {
        try await selfSignedIdentity(
            subject: try DER.bytes { try subject.serialize(into: &$0) }, alternativeNames: alternativeNames,
            purposes: purposes, notBefore: notBefore, notAfter: notAfter, label: label)
    }

    /// - Parameter name: the Name of the subject in DER.
    func selfSignedIdentity(
        subject name: [UInt8], alternativeNames: [CertificateSigningRequest.AlternativeName] = [],
        purposes: [CertificateSigningRequest.Purpose] = [], notBefore: Int64, notAfter: Int64, label: String? = nil
    ) async throws -> Identity {
        let constraints = CertificateSigningRequest.Extension("2.5.29.19", isCritical: true, value: [0x30, 0x00])
        let draft = CertificateDraft(
            issuer: name, notBefore: notBefore, notAfter: notAfter, subject: name, publicKeyInfo: publicKeyInfo,
            extensions: try CertificateSigningRequest.extensions(alternativeNames, purposes, [constraints]))
        let certificate = try await draft.signed(by: self)
        return try identity(certificates: [certificate], label: label)
    }
}
