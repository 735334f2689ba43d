/// How a message brings a certificate, or names it (X.509 Certificate Token Profile 1.1 §3.2).
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum CertificateReference: Sendable, Hashable, CaseIterable {
    /// Brings the certificate, in a BinarySecurityToken (X509v3).
    case certificate
    /// Brings the certificate and those that lead to its authority, in a BinarySecurityToken (X509PKIPathv1).
    case path
    /// Names it by its issuer and its serial number. The receiver has to know the certificate, as for those that follow.
    case issuerSerial
    /// Names it by the extension of this name, which not all certificates have.
    case subjectKeyIdentifier
    /// Names it by the SHA-1 of the certificate (SOAP Message Security 1.1 §7.3).
    case thumbprint
}
