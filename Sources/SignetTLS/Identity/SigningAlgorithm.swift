import Crypto
import SwiftASN1

/// An algorithm with which a key signs. New ones may be added: keep a `default` when switching.
public struct SigningAlgorithm: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case rsaPKCS1(Hash.Value), rsaPSS(Hash.Value), ecdsa(Hash.Value), ed25519, mlDSA65, mlDSA87
    }

    package let value: Value
    private init(_ value: Value) { self.value = value }

    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2). TLS 1.2 only.
    public static func rsaPKCS1(_ hash: Hash) -> Self { .init(.rsaPKCS1(hash.value)) }
    /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 over the same hash, and a salt of the hash's length.
    public static func rsaPSS(_ hash: Hash) -> Self { .init(.rsaPSS(hash.value)) }
    /// ECDSA (FIPS 186-5 §6). TLS 1.3 requires SHA-256 with P-256, SHA-384 with P-384, SHA-512 with P-521.
    public static func ecdsa(_ hash: Hash) -> Self { .init(.ecdsa(hash.value)) }
    /// Ed25519 (RFC 8032 §5.1).
    public static let ed25519 = Self(.ed25519)
    /// ML-DSA (FIPS 204), whose keys have no certificates.
    package static let mlDSA65 = Self(.mlDSA65)
    package static let mlDSA87 = Self(.mlDSA87)

    /// The hash that is signed in place of the message; nil for an algorithm that signs the message itself, such as
    /// Ed25519.
    public var hash: Hash? {
        switch value {
        case .rsaPKCS1(let hash), .rsaPSS(let hash), .ecdsa(let hash): Hash(hash)
        case .ed25519, .mlDSA65, .mlDSA87: nil
        }
    }

    /// Whether it is RSASSA-PSS, with any hash. ``Hash/byteCount`` is the length of the salt.
    public var isRSAPSS: Bool { if case .rsaPSS = value { true } else { false } }

    /// Whether it is ECDSA, with any hash. See ``encodedECDSASignature(_:)`` for the form of the signature.
    public var isECDSA: Bool { if case .ecdsa = value { true } else { false } }

    /// The DER of Ecdsa-Sig-Value from the form that PKCS#11 and IEEE P1363 use: r and s as numbers of the same length,
    /// one after the other.
    ///
    /// - Returns: nil when the bytes are not such a pair for a curve of at most 521 bits.
    public static func encodedECDSASignature(_ raw: [UInt8]) -> [UInt8]? {
        guard raw.count % 2 == 0, (2...132).contains(raw.count) else { return nil }
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            for half in [raw.prefix(raw.count / 2), raw.suffix(raw.count / 2)] {
                let digits = half.drop { $0 == 0 }
                coder.appendPrimitiveNode(identifier: .integer) { bytes in
                    // DER integers are signed, so a number whose first bit is set needs a leading zero.
                    if digits.first.map({ $0 >= 0x80 }) ?? true { bytes.append(0) }
                    bytes.append(contentsOf: digits)
                }
            }
        }
        return coder.serializedBytes
    }
}

extension SigningAlgorithm: CustomStringConvertible {
    /// As people write it, such as `ECDSA with SHA-256`.
    public var description: String {
        switch value {
        case .rsaPKCS1(let hash): "RSA PKCS#1 v1.5 with \(Hash(hash))"
        case .rsaPSS(let hash): "RSA-PSS with \(Hash(hash))"
        case .ecdsa(let hash): "ECDSA with \(Hash(hash))"
        case .ed25519: "Ed25519"
        case .mlDSA65: "ML-DSA-65"
        case .mlDSA87: "ML-DSA-87"
        }
    }
}

extension SigningAlgorithm {
    /// A hash function of FIPS 180-4 that is applied to a message before it is signed. New ones may be added: keep a
    /// `default` when switching.
    public struct Hash: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        package enum Value: Sendable, Hashable { case sha256, sha384, sha512 }

        package let value: Value
        fileprivate init(_ value: Value) { self.value = value }

        /// 32 bytes.
        public static let sha256 = Hash(.sha256)
        /// 48 bytes.
        public static let sha384 = Hash(.sha384)
        /// 64 bytes.
        public static let sha512 = Hash(.sha512)

        /// All hash functions, the shortest first.
        public static let allCases: [Hash] = [.sha256, .sha384, .sha512]

        /// The length of a digest, in bytes.
        public var byteCount: Int {
            switch value {
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        }

        /// As people write it, such as `SHA-256`.
        public var description: String { "SHA-\(byteCount * 8)" }

        package func digest(of message: [UInt8]) -> [UInt8] {
            switch value {
            case .sha256: Array(SHA256.hash(data: message))
            case .sha384: Array(SHA384.hash(data: message))
            case .sha512: Array(SHA512.hash(data: message))
            }
        }
    }
}
