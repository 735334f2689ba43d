import SwiftASN1

/// An algorithm with which a key signs.
public enum SigningAlgorithm: Sendable, Hashable {
    /// The hash functions of FIPS 180-4 that are applied to a message before it is signed.
    public enum Hash: Sendable, Hashable, CaseIterable {
        /// 32 bytes.
        case sha256
        /// 48 bytes.
        case sha384
        /// 64 bytes.
        case sha512
    }

    /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2). TLS 1.2 only.
    case rsaPKCS1(Hash)
    /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 over the same hash, and a salt of the hash's length.
    case rsaPSS(Hash)
    /// ECDSA (FIPS 186-5 §6). TLS 1.3 requires SHA-256 with P-256, SHA-384 with P-384, SHA-512 with P-521.
    case ecdsa(Hash)
    /// Ed25519 (RFC 8032 §5.1).
    case ed25519

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
    public var description: String {
        switch self {
        case .rsaPKCS1(let hash): "RSA PKCS#1 v1.5 with \(hash.name)"
        case .rsaPSS(let hash): "RSA-PSS with \(hash.name)"
        case .ecdsa(let hash): "ECDSA with \(hash.name)"
        case .ed25519: "Ed25519"
        }
    }

    /// The hash that is signed in place of the message; nil for Ed25519, which signs the message itself.
    public var hash: Hash? {
        switch self {
        case .rsaPKCS1(let hash), .rsaPSS(let hash), .ecdsa(let hash): hash
        case .ed25519: nil
        }
    }
}

extension SigningAlgorithm.Hash {
    fileprivate var name: String {
        switch self {
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }
}
