import SwiftASN1

/// The usual name of a private key's algorithm, also of one that Signet cannot use.
enum KeyDescription {
    private static let names: [ASN1ObjectIdentifier: String] = [
        .AlgorithmIdentifier.rsaEncryption: "RSA", .AlgorithmIdentifier.rsaPSS: "RSA-PSS", .ed25519: "Ed25519",
        [1, 3, 101, 113]: "Ed448", [1, 3, 101, 110]: "X25519", [1, 3, 101, 111]: "X448",
        [1, 2, 840, 10_040, 4, 1]: "DSA", [1, 2, 840, 113_549, 1, 3, 1]: "DH",
        [2, 16, 840, 1, 101, 3, 4, 3, 17]: "ML-DSA-44", [2, 16, 840, 1, 101, 3, 4, 3, 18]: "ML-DSA-65",
        [2, 16, 840, 1, 101, 3, 4, 3, 19]: "ML-DSA-87",
    ]

    private static let curves: [ASN1ObjectIdentifier: String] = [
        .NamedCurves.secp256r1: "P-256", .NamedCurves.secp384r1: "P-384", .NamedCurves.secp521r1: "P-521",
        [1, 3, 132, 0, 33]: "P-224", [1, 3, 132, 0, 10]: "secp256k1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 7]: "brainpoolP256r1", [1, 3, 36, 3, 3, 2, 8, 1, 1, 11]: "brainpoolP384r1",
        [1, 3, 36, 3, 3, 2, 8, 1, 1, 13]: "brainpoolP512r1",
    ]

    /// - Parameter key: the privateKey of PKCS#8.
    static func name(_ algorithm: AlgorithmIdentifier, _ key: ArraySlice<UInt8>) -> String {
        switch algorithm.algorithm {
        case .AlgorithmIdentifier.rsaEncryption, .AlgorithmIdentifier.rsaPSS:
            [names[algorithm.algorithm], modulusBits(key).map(String.init)].compactMap(\.self).joined(separator: " ")
        case .AlgorithmIdentifier.idEcPublicKey: curve(algorithm.parameters)
        default: names[algorithm.algorithm] ?? "\(algorithm.algorithm)"
        }
    }

    /// A curve that cannot be used, with its name if it has a known one.
    static func unusable(_ curve: ASN1ObjectIdentifier?) -> String {
        guard let curve else { return "the elliptic curve without a name" }
        return "the elliptic curve \(curves[curve] ?? curve.description)"
    }

    private static func curve(_ parameters: ASN1Node?) -> String {
        guard let curve = parameters.flatMap({ try? $0.objectIdentifier() }) else {
            return "an elliptic curve without a name"
        }
        return curves[curve] ?? "the elliptic curve \(curve)"
    }

    private static func modulusBits(_ key: ArraySlice<UInt8>) -> Int? {
        guard let node = try? DER.parse(key), var fields = try? NodeReader(node), (try? fields.next()) != nil,
            let modulus = try? fields.next().primitiveBytes().drop(while: { $0 == 0 }), let first = modulus.first
        else { return nil }
        return modulus.count * 8 - first.leadingZeroBitCount
    }
}
