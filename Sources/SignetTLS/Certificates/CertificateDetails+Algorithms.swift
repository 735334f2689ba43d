import SwiftASN1

extension CertificateContent {
    private static let keys: [ASN1ObjectIdentifier: String] = [
        .ed25519: "Ed25519", [1, 3, 101, 113]: "Ed448", [1, 2, 840, 10_040, 4, 1]: "DSA",
        [2, 16, 840, 1, 101, 3, 4, 3, 17]: "ML-DSA-44", [2, 16, 840, 1, 101, 3, 4, 3, 18]: "ML-DSA-65",
        [2, 16, 840, 1, 101, 3, 4, 3, 19]: "ML-DSA-87",
    ]

    private static let curves: [ASN1ObjectIdentifier: String] = [
        .NamedCurves.secp256r1: "P-256", .NamedCurves.secp384r1: "P-384", .NamedCurves.secp521r1: "P-521",
        [1, 3, 132, 0, 10]: "secp256k1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 7]: "brainpoolP256r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 11]: "brainpoolP384r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 13]: "brainpoolP512r1",
    ]

    /// The kind and the size of the key, also of a key that Signet cannot use.
    var keyName: String {
        guard var fields = try? NodeReader(try DER.parse(publicKeyInfo)), let node = try? fields.next(),
            let algorithm = try? AlgorithmIdentifier(node), let bits = try? fields.next()
        else { return "a malformed key" }
        switch algorithm.algorithm {
        case .AlgorithmIdentifier.rsaEncryption, .AlgorithmIdentifier.rsaPSS:
            let kind = algorithm.algorithm == .AlgorithmIdentifier.rsaPSS ? "RSA-PSS" : "RSA"
            guard let key = try? ASN1BitString(derEncoded: bits).bytes, let size = Self.modulusBits(key) else {
                return kind
            }
            return "\(kind) \(size)"
        case .AlgorithmIdentifier.idEcPublicKey:
            guard let curve = algorithm.parameters.flatMap({ try? $0.objectIdentifier() }) else {
                return "an elliptic curve without a name"
            }
            return Self.curves[curve] ?? curve.description
        case let other: return Self.keys[other] ?? other.description
        }
    }

    private static func modulusBits(_ key: ArraySlice<UInt8>) -> Int? {
        guard var fields = try? NodeReader(try DER.parse(key)), let modulus = try? fields.next().primitiveBytes(),
            case let digits = modulus.drop(while: { $0 == 0 }), let first = digits.first
        else { return nil }
        return digits.count * 8 - first.leadingZeroBitCount
    }
}

extension AlgorithmIdentifier {
    private static let signatures: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113_549, 1, 1, 2]: "RSA with MD2", [1, 2, 840, 113_549, 1, 1, 4]: "RSA with MD5",
        [1, 2, 840, 113_549, 1, 1, 5]: "RSA with SHA-1", [1, 2, 840, 113_549, 1, 1, 14]: "RSA with SHA-224",
        .AlgorithmIdentifier.sha256WithRSAEncryption: "RSA with SHA-256",
        .AlgorithmIdentifier.sha384WithRSAEncryption: "RSA with SHA-384",
        .AlgorithmIdentifier.sha512WithRSAEncryption: "RSA with SHA-512",
        [1, 2, 840, 10_045, 4, 1]: "ECDSA with SHA-1", [1, 2, 840, 10_045, 4, 3, 1]: "ECDSA with SHA-224",
        [1, 2, 840, 10_045, 4, 3, 2]: "ECDSA with SHA-256", [1, 2, 840, 10_045, 4, 3, 3]: "ECDSA with SHA-384",
        [1, 2, 840, 10_045, 4, 3, 4]: "ECDSA with SHA-512", .ed25519: "Ed25519", [1, 3, 101, 113]: "Ed448",
        [1, 2, 840, 10_040, 4, 3]: "DSA with SHA-1", [2, 16, 840, 1, 101, 3, 4, 3, 2]: "DSA with SHA-256",
    ]

    private static let hashes: [ASN1ObjectIdentifier: String] = [
        [1, 3, 14, 3, 2, 26]: "SHA-1", [2, 16, 840, 1, 101, 3, 4, 2, 4]: "SHA-224",
        [2, 16, 840, 1, 101, 3, 4, 2, 1]: "SHA-256", [2, 16, 840, 1, 101, 3, 4, 2, 2]: "SHA-384",
        [2, 16, 840, 1, 101, 3, 4, 2, 3]: "SHA-512",
    ]

    /// The signature algorithm, also one that Signet does not accept.
    var signatureName: String {
        guard algorithm == .AlgorithmIdentifier.rsaPSS else {
            return Self.signatures[algorithm] ?? algorithm.description
        }
        // An absent hash means SHA-1 (RFC 4055 §3.1).
        guard let parameters, var fields = try? NodeReader(parameters), let node = fields.next(ifContext: 0) else {
            return "RSA-PSS with SHA-1"
        }
        let hash = try? AlgorithmIdentifier(try node.explicit()).algorithm
        return "RSA-PSS with \(hash.map { Self.hashes[$0] ?? $0.description } ?? "an unknown hash")"
    }
}
