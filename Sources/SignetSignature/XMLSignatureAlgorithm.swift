public import SignetTLS

/// An algorithm of signatures in XML (XML Signature 1.1 §6.4, RFC 9231). New algorithms may be added.
public struct XMLSignatureAlgorithm: Sendable, Hashable, CustomStringConvertible {
    let method: SignatureMethod

    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2).
    public static func rsaPKCS1(_ hash: SigningAlgorithm.Hash) -> Self { Self(.rsaPKCS1(hash)) }
    /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 over the same hash, and a salt of the hash's length.
    public static func rsaPSS(_ hash: SigningAlgorithm.Hash) -> Self { Self(.rsaPSS(hash)) }
    /// ECDSA (FIPS 186-5 §6).
    public static func ecdsa(_ hash: SigningAlgorithm.Hash) -> Self { Self(.ecdsa(hash)) }
    /// Ed25519 (RFC 8032 §5.1).
    public static let ed25519 = Self(.ed25519)
    /// RSASSA-PKCS1-v1_5 with SHA-1, as some services still demand (Brazil's NF-e), together with ``XMLDigestAlgorithm/insecureSHA1``. SHA-1
    /// no longer protects against a signer who makes two documents with one signature. Only RSA keys in memory can.
    public static let insecureRSASHA1 = Self(method: .rsaSHA1)

    init(method: SignatureMethod) { self.method = method }
    package init(_ algorithm: SigningAlgorithm) { method = .strong(algorithm) }

    /// The hash that is part of the algorithm; nil where it has none that can stand alone.
    package var digest: XMLDigestAlgorithm? {
        switch method {
        case .strong(let algorithm): algorithm.hash.map { XMLDigestAlgorithm($0) }
        case .rsaSHA1: .insecureSHA1
        case .mldsa: nil
        }
    }

    public var description: String {
        switch method {
        case .strong(let algorithm): "\(algorithm)"
        case .rsaSHA1: "RSA and SHA-1"
        case .mldsa(let parameters): "\(parameters)"
        }
    }
}

/// A hash of what a signature in XML covers (XML Signature 1.1 §6.2). New hashes may be added.
public struct XMLDigestAlgorithm: Sendable, Hashable {
    package let method: DigestMethod

    /// 32 bytes.
    public static let sha256 = Self(.sha256)
    /// 48 bytes.
    public static let sha384 = Self(.sha384)
    /// 64 bytes.
    public static let sha512 = Self(.sha512)
    /// SHA-1, as some services still demand. It no longer protects against a signer who makes two documents with one signature.
    public static let insecureSHA1 = Self(method: .sha1)

    private init(method: DigestMethod) { self.method = method }
    package init(_ hash: SigningAlgorithm.Hash) { method = .strong(hash) }
}
