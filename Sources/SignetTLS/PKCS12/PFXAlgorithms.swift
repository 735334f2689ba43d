/// The algorithms with which a PFX is written.
public struct PFXAlgorithms: Sendable, Hashable {
    /// PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC, and a MAC with HMAC-SHA-256. OpenSSL 3 writes this by default,
    /// and Windows when AES256-SHA256 is selected. Older versions of Windows, macOS and iOS do not read it.
    public static let aes256SHA256 = PFXAlgorithms(kind: .aes256SHA256, iterations: 600_000)
    /// Triple DES with three keys (RFC 7292 appendix C) and a MAC with HMAC-SHA-1. Windows calls it TripleDES-SHA1, and
    /// every version of Windows, macOS and iOS reads it. It protects the file badly: use it only with a password as
    /// strong as a key.
    public static let tripleDESSHA1 = PFXAlgorithms(kind: .tripleDESSHA1, iterations: 100_000)
    /// As ``aes256SHA256``, with a PBMAC1 (RFC 9579) over HMAC-SHA-256, for places where only FIPS algorithms are
    /// allowed. OpenSSL reads it since 3.4.
    public static let aes256PBMAC1 = PFXAlgorithms(kind: .aes256PBMAC1, iterations: 600_000)

    enum Kind { case aes256SHA256, tripleDESSHA1, aes256PBMAC1 }

    let kind: Kind
    /// Iterations of each key derivation, from 1 to ``maximumIterations``.
    public var iterations: Int
    /// The limit leaves room for the other derivations when the file is read again.
    public static let maximumIterations = 1_000_000
}
