import Crypto

/// The hash functions of the Digest scheme (RFC 7616 §3.3, §6.1), from the weakest to the strongest.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum DigestAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    /// The meaning of a challenge without an algorithm (RFC 7616 §3.3). An attacker can guess passwords from its
    /// answers quickly.
    case md5 = "MD5"
    /// SHA-256 (FIPS 180-4 §6.2).
    case sha256 = "SHA-256"
    /// SHA-512/256 (FIPS 180-4 §6.7): 256 bits of a SHA-512 with different initial values.
    case sha512_256 = "SHA-512-256"

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .md5: 0
        case .sha256: 1
        case .sha512_256: 2
        }
    }

    /// H(data) of §3.3, in hexadecimal digits.
    package func hash(_ text: String) -> String { hash(Array(text.utf8)) }

    func hash(_ bytes: [UInt8]) -> String {
        let value: [UInt8] =
            switch self {
            case .md5: Array(Insecure.MD5.hash(data: bytes))
            case .sha256: Array(SHA256.hash(data: bytes))
            case .sha512_256: SHA512_256.hash(bytes)
            }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
