/// A client's or server's own identity for TLS: a private key, its certificate, and the certificates that lead from
/// there to a trust anchor.
///
/// Nothing that prints an identity shows its private key. Two identities are equal when their end-entity certificates
/// are.
public struct Identity: Sendable {
    /// The end-entity certificate, to which the private key belongs.
    public let leaf: EncodedCertificate
    /// The certificates that are sent to the peer: the end-entity certificate, then each issuer of the one before. A
    /// self-signed root is left out (RFC 8446 §4.4.2); it is in ``authorities``.
    public let chain: [EncodedCertificate]
    /// Certificates of authorities that came with the identity. They are not trusted unless a ``TrustPolicy`` is made
    /// from them.
    public let authorities: CertificateBundle
    /// The friendly name of the key or its certificate (RFC 2985 §5.5.1).
    public let label: String?
    package let key: IdentityKey

    /// Nil when the key only signs and its bytes are elsewhere.
    package var privateKey: PrivateKey? { if case .held(let key) = key { key } else { nil } }
    /// Nil when the bytes of the key are in memory.
    package var signingKey: (any SigningKey)? { if case .signsOnly(let signer) = key { signer.key } else { nil } }

    /// - Parameter leaf: must belong to `key`.
    /// - Parameter others: the other certificates that came with the identity.
    /// - Parameter more: certificates from elsewhere that may complete the chain.
    init(
        leaf: EncodedCertificate, key: IdentityKey, others: [EncodedCertificate], more: [EncodedCertificate] = [],
        label: String?
    ) {
        self.leaf = leaf
        self.key = key
        self.label = label
        chain = CertificateChain(from: leaf, among: others + more).certificates
        var seen: Set<EncodedCertificate> = [leaf]
        authorities = CertificateBundle(
            others.filter { $0.content?.claimsAuthority == true && seen.insert($0).inserted })
    }
}

extension Identity: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.leaf == right.leaf }
    public func hash(into hasher: inout Hasher) { hasher.combine(leaf) }
}

extension Identity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Identity(\(leaf.subject))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["subject": leaf.subject, "label": label as Any], displayStyle: .struct)
    }
}

extension CertificateContent {
    /// Whether the certificate says that it may sign others. A self-signed certificate of an old version cannot say so,
    /// and counts.
    var claimsAuthority: Bool {
        version < 3 ? isSelfIssued : (try? basicConstraints())?.isAuthority == true
    }
}
