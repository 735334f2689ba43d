extension TrustError {
    /// The rule that a certificate, or all that a peer presented, broke. Each belongs to one ``Code``, which is less
    /// precise.
    public struct Rule: Sendable, Hashable, CustomStringConvertible {
        /// The name of the rule, as below.
        public let description: String
        /// The kind of refusal, for programs that do not need the exact rule.
        public let code: Code
        /// The standard, or the type of this library, that defines it.
        public let reference: String
        /// Whether a user who knows the peer can reasonably accept this one certificate by its SHA-256 although it
        /// breaks the rule.
        ///
        /// False where the certificate may be forged, where its meaning cannot be known, and where the policy is at
        /// fault.
        public let canBeOverruled: Bool

        private init(_ description: String, _ code: Code, _ reference: String, recoverable: Bool = false) {
            self.description = description
            self.code = code
            self.reference = reference
            canBeOverruled = recoverable
        }
    }
}

// New rules may be added: keep a `default` when switching.
extension TrustError.Rule {
    // The whole evaluation.

    /// The policy can be used.
    public static let usablePolicy = Self("usablePolicy", .invalidPolicy, "TrustPolicy")
    /// The peer presents a certificate.
    public static let presence = Self("presence", .noCertificate, "RFC 8446 §4.4.2")
    /// At most ten certificates are presented.
    public static let presentedCount = Self("presentedCount", .tooComplex, "TrustPolicy")
    /// A path has at most eight certificates.
    public static let depth = Self("depth", .tooComplex, "TrustPolicy")
    /// At most 64 signatures are checked.
    public static let signatureChecks = Self("signatureChecks", .tooComplex, "TrustPolicy")
    /// At most 65,536 names and constraints are compared.
    public static let nameComparisons = Self("nameComparisons", .tooComplex, "TrustPolicy")
    /// One of the pins is in the path.
    public static let pin = Self("pin", .pinMismatch, "RFC 7469 §2.6")
    /// A path leads from the peer's certificate to a trust anchor.
    public static let knownAuthority = Self("knownAuthority", .unknownAuthority, "RFC 5280 §6.1", recoverable: true)
    /// An end-entity certificate that signed itself is a trust anchor.
    public static let notSelfSigned = Self("notSelfSigned", .selfSigned, "RFC 5280 §6.1", recoverable: true)

    // Every certificate.

    /// The certificate and its extensions can be read.
    public static let encoding = Self("encoding", .unreadable, "RFC 5280 §4.1, §4.2")
    /// The certificate is of version 3.
    public static let version = Self("version", .unreadable, "RFC 5280 §4.1.2.1", recoverable: true)
    /// The serial number is not negative; in the web PKI it is also not zero and not longer than 20 octets.
    public static let serialNumber = Self("serialNumber", .unreadable, "RFC 5280 §4.1.2.2", recoverable: true)
    /// The certificate names its issuer.
    public static let issuerName = Self("issuerName", .unreadable, "RFC 5280 §4.1.2.4")
    /// The certificate's validity has begun.
    public static let notBefore = Self("notBefore", .notYetValid, "RFC 5280 §4.1.2.5", recoverable: true)
    /// The certificate's validity has not ended.
    public static let notAfter = Self("notAfter", .expired, "RFC 5280 §4.1.2.5", recoverable: true)
    /// The issuer's key made the signature.
    public static let signature = Self("signature", .badSignature, "RFC 5280 §6.1.3")
    /// The signature algorithm is known and not weak: no MD5, no SHA-1.
    public static let signatureAlgorithm = Self(
        "signatureAlgorithm", .weakAlgorithm, "RFC 9155, RFC 4055", recoverable: true)
    /// The key is of a known kind and not weak: RSA from 2048 bits on.
    public static let keyStrength = Self("keyStrength", .weakAlgorithm, "NIST SP 800-57-1 §5.6", recoverable: true)
    /// Every critical extension is understood.
    public static let criticalExtensions = Self(
        "criticalExtensions", .unhandledCriticalExtension, "RFC 5280 §4.2")
    /// The certificate's extended key usage allows the purpose for which it is used.
    public static let extendedKeyUsage = Self(
        "extendedKeyUsage", .wrongUsage, "RFC 5280 §4.2.1.12", recoverable: true)
    /// The authorities above allow every name in the certificate.
    public static let nameConstraints = Self("nameConstraints", .nameConstraint, "RFC 5280 §4.2.1.10")
    /// Its authority has not revoked the certificate.
    public static let notRevoked = Self("notRevoked", .revoked, "RFC 5280 §6.3, RFC 6960 §2.2")
    /// It could be found out whether the certificate is revoked, where the policy demands it.
    public static let knownRevocation = Self("knownRevocation", .revocationUnknown, "RevocationPolicy")

    // The end entity's.

    /// The certificate is for the host that the client wants to reach.
    public static let hostName = Self("hostName", .hostNameMismatch, "RFC 9525 §6", recoverable: true)
    /// Its key may be used for TLS.
    public static let keyUsage = Self("keyUsage", .wrongUsage, "RFC 5280 §4.2.1.3", recoverable: true)
    /// The certificate is not an authority's, and has nothing that only an authority may have.
    public static let endEntity = Self("endEntity", .wrongUsage, "RFC 5280 §4.2.1.9, §4.2.1.10")

    // An issuer's.

    /// The certificate is an authority's (basicConstraints).
    public static let authority = Self("authority", .notAnAuthority, "RFC 5280 §4.2.1.9")
    /// Its key may sign certificates.
    public static let certificateSigning = Self("certificateSigning", .notAnAuthority, "RFC 5280 §4.2.1.3")
    /// The certificate has a subject.
    public static let subjectName = Self("subjectName", .unreadable, "RFC 5280 §4.1.2.6")
    /// The number of authorities below it is within its own limit and the policy's.
    public static let pathLength = Self("pathLength", .pathLength, "RFC 5280 §4.2.1.9")

    // The web PKI's only.

    /// Key identifiers are present where they are required.
    public static let keyIdentifiers = Self(
        "keyIdentifiers", .unreadable, "RFC 5280 §4.2.1.1, §4.2.1.2", recoverable: true)
    /// Extensions are critical where they must be, and not critical where they must not be.
    public static let criticality = Self("criticality", .unreadable, "RFC 5280 §4.2.1", recoverable: true)
    /// Names and constraints have the form that RFC 5280 gives them.
    public static let nameForms = Self("nameForms", .unreadable, "RFC 5280 §4.2.1.6, §4.2.1.10", recoverable: true)
    /// The modulus of an RSA key has whole bytes.
    public static let keySize = Self("keySize", .weakAlgorithm, "CA/B Baseline Requirements §6.1.5", recoverable: true)
}
