import Crypto
import CryptoExtras
import SwiftASN1

/// The signature algorithms that are believed in certificates. MD5 and SHA-1 are not among them, on purpose.
enum SignatureAlgorithm: Sendable {
    enum Hash: Sendable { case sha256, sha384, sha512 }

    case rsa(Hash)
    case rsaPSS(Hash)
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

    private static let hashes: [ASN1ObjectIdentifier: (hash: Hash, size: Int)] = [
        [2, 16, 840, 1, 101, 3, 4, 2, 1]: (.sha256, 32),
        [2, 16, 840, 1, 101, 3, 4, 2, 2]: (.sha384, 48),
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: (.sha512, 64),
    ]

    init(_ identifier: AlgorithmIdentifier) throws(AlgorithmProblem) {
        if let known = Self.table[identifier.algorithm] {
            self = known
        } else if let name = Self.weak[identifier.algorithm] {
            throw .weak(name)
        } else if identifier.algorithm == .AlgorithmIdentifier.rsaPSS {
            self = .rsaPSS(try Self.pssHash(identifier.parameters))
        } else {
            throw .unsupported("the signature algorithm \(identifier.algorithm)")
        }
    }

    /// RSASSA-PSS parameters (RFC 4055 §3.1): one hash for everything and a salt of its length, as everyone issues.
    private static func pssHash(_ parameters: ASN1Node?) throws(AlgorithmProblem) -> Hash {
        // What is left out means SHA-1.
        guard let parameters else { throw .weak("an RSA-PSS signature over SHA-1") }
        do {
            var fields = try NodeReader(parameters)
            guard let digest = try fields.next(ifContext: 0).map({ try AlgorithmIdentifier(try $0.explicit()) }),
                let (hash, size) = hashes[digest.algorithm]
            else { throw AlgorithmProblem.weak("an RSA-PSS signature over SHA-1 or an unknown hash") }
            let mask = try fields.next(ifContext: 1).map { try AlgorithmIdentifier(try $0.explicit()) }
            let maskHash = try mask?.parameters.map { try AlgorithmIdentifier($0).algorithm }
            let salt = try fields.next(ifContext: 2).map { try $0.explicit().integer() }
            guard maskHash == digest.algorithm, salt == size else {
                throw AlgorithmProblem.unsupported("an RSA-PSS signature with mixed hashes or an unusual salt")
            }
            return hash
        } catch let problem as AlgorithmProblem {
            throw problem
        } catch { throw .malformed("an RSA-PSS signature algorithm") }
    }

    /// Whether `signature` over `bytes` was made by the owner of `key`; false as well when the two do not fit.
    func isValid(_ signature: ArraySlice<UInt8>, over bytes: ArraySlice<UInt8>, by key: PublicKey) -> Bool {
        switch self {
        case .rsa(let hash):
            guard case .rsa = key else { return false }
            return Self.check(hash, bytes, RSACheck(key: key, signature: signature, padding: .insecurePKCS1v1_5))
        case .rsaPSS(let hash):
            guard case .rsa = key else { return false }
            return Self.check(hash, bytes, RSACheck(key: key, signature: signature, padding: .PSS))
        case .ecdsa(let hash): return Self.check(hash, bytes, ECDSACheck(key: key, signature: signature))
        case .ed25519:
            guard case .ed25519(let key) = key else { return false }
            return key.isValidSignature(Array(signature), for: Array(bytes))
        }
    }

    private static func check(_ hash: Hash, _ bytes: ArraySlice<UInt8>, _ check: some DigestCheck) -> Bool {
        switch hash {
        case .sha256: check.isValid(SHA256.hash(data: bytes))
        case .sha384: check.isValid(SHA384.hash(data: bytes))
        case .sha512: check.isValid(SHA512.hash(data: bytes))
        }
    }
}

/// A signature that waits for its digest; the digest's type depends on the hash.
private protocol DigestCheck {
    func isValid(_ digest: some Digest) -> Bool
}

private struct RSACheck: DigestCheck {
    let key: PublicKey
    let signature: ArraySlice<UInt8>
    let padding: _RSA.Signing.Padding

    func isValid(_ digest: some Digest) -> Bool {
        guard case .rsa(let key) = key else { return false }
        return key.isValidSignature(.init(rawRepresentation: Array(signature)), for: digest, padding: padding)
    }
}

private struct ECDSACheck: DigestCheck {
    let key: PublicKey
    let signature: ArraySlice<UInt8>

    func isValid(_ digest: some Digest) -> Bool {
        let bytes = Array(signature)
        switch key {
        case .p256(let key):
            return (try? P256.Signing.ECDSASignature(derRepresentation: bytes)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p384(let key):
            return (try? P384.Signing.ECDSASignature(derRepresentation: bytes)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p521(let key):
            return (try? P521.Signing.ECDSASignature(derRepresentation: bytes)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .rsa, .ed25519: return false
        }
    }
}

extension CertificateContent {
    /// Whether the key of `issuer` made the signature on this certificate.
    func isSigned(by issuer: CertificateContent) throws(AlgorithmProblem) -> Bool {
        let algorithm = try SignatureAlgorithm(signatureAlgorithm)
        return algorithm.isValid(signature, over: signedBytes, by: try PublicKey(publicKeyInfo: issuer.publicKeyInfo))
    }
}
