import Crypto
import CryptoExtras
import SwiftASN1

/// The signature algorithms that are accepted in certificates. MD5 and SHA-1 are left out on purpose.
enum SignatureAlgorithm: Sendable {
    enum Hash: Sendable { case sha256, sha384, sha512 }

    case rsa(Hash)
    case rsaPSS(PSSParameters)
    case ecdsa(Hash)
    case ed25519

    private static let table: [ASN1ObjectIdentifier: SignatureAlgorithm] = [
        .AlgorithmIdentifier.sha256WithRSAEncryption: .rsa(.sha256),
        .AlgorithmIdentifier.sha384WithRSAEncryption: .rsa(.sha384),
        .AlgorithmIdentifier.sha512WithRSAEncryption: .rsa(.sha512),
        [1, 2, 840, 10_045, 4, 3, 2]: .ecdsa(.sha256),
        [1, 2, 840, 10_045, 4, 3, 3]: .ecdsa(.sha384),
        [1, 2, 840, 10_045, 4, 3, 4]: .ecdsa(.sha512),
        .ed25519: .ed25519,
    ]

    private static let weak: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113_549, 1, 1, 2]: "an RSA signature over MD2",
        [1, 2, 840, 113_549, 1, 1, 4]: "an RSA signature over MD5",
        [1, 2, 840, 113_549, 1, 1, 5]: "an RSA signature over SHA-1",
        [1, 2, 840, 10_045, 4, 1]: "an ECDSA signature over SHA-1",
        [1, 2, 840, 10_040, 4, 3]: "a DSA signature over SHA-1",
    ]

    init(_ identifier: AlgorithmIdentifier) throws(AlgorithmProblem) {
        if let known = Self.table[identifier.algorithm] {
            self = known
        } else if let name = Self.weak[identifier.algorithm] {
            throw .weak(name)
        } else if identifier.algorithm == .AlgorithmIdentifier.rsaPSS {
            self = .rsaPSS(try PSSParameters(identifier.parameters))
        } else {
            throw .unsupported("the signature algorithm \(identifier.algorithm)")
        }
    }

    /// Whether the owner of `key` made `signature` over `bytes`; also false when the key does not fit the algorithm.
    func isValid(_ signature: ArraySlice<UInt8>, over bytes: ArraySlice<UInt8>, by key: PublicKey) -> Bool {
        switch (self, key) {
        case (.rsa(let hash), .rsa(let key)):
            hash.check(bytes) {
                key.isValidSignature(.init(rawRepresentation: Array(signature)), for: $0, padding: .insecurePKCS1v1_5)
            }
        case (.rsaPSS(let parameters), .rsa(let key)): parameters.isValid(signature, over: bytes, by: key)
        case (.ecdsa(let hash), .p256(let key)):
            Self.check(hash, bytes, try? P256.Signing.ECDSASignature(derRepresentation: Array(signature))) {
                key.isValidSignature($0, for: $1)
            }
        case (.ecdsa(let hash), .p384(let key)):
            Self.check(hash, bytes, try? P384.Signing.ECDSASignature(derRepresentation: Array(signature))) {
                key.isValidSignature($0, for: $1)
            }
        case (.ecdsa(let hash), .p521(let key)):
            Self.check(hash, bytes, try? P521.Signing.ECDSASignature(derRepresentation: Array(signature))) {
                key.isValidSignature($0, for: $1)
            }
        case (.ed25519, .ed25519(let key)): key.isValidSignature(Array(signature), for: Array(bytes))
        default: false
        }
    }

    private static func check<Signature>(
        _ hash: Hash, _ bytes: ArraySlice<UInt8>, _ signature: Signature?, _ body: (Signature, any Digest) -> Bool
    ) -> Bool {
        guard let signature else { return false }
        return hash.check(bytes) { body(signature, $0) }
    }
}

extension CertificateContent {
    /// Whether the key of `issuer` made the signature on this certificate.
    func isSigned(by issuer: CertificateContent) throws(AlgorithmProblem) -> Bool {
        try issuer.hasSigned(signedBytes, signature, signatureAlgorithm)
    }

    /// Whether the key of this certificate made `signature` over `bytes`.
    func hasSigned(
        _ bytes: ArraySlice<UInt8>, _ signature: ArraySlice<UInt8>, _ identifier: AlgorithmIdentifier
    ) throws(AlgorithmProblem) -> Bool {
        let algorithm = try SignatureAlgorithm(identifier)
        let key = try PublicKey(publicKeyInfo: publicKeyInfo)
        if let restriction = PublicKey.signatureRestriction(publicKeyInfo) {
            guard case .rsaPSS(let parameters) = algorithm, try restriction.allows(parameters) else { return false }
        }
        return algorithm.isValid(signature, over: bytes, by: key)
    }
}
