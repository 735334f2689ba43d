import SwiftASN1

/// The public half of a key without its algorithm, as Apple's `SecKeyCopyExternalRepresentation` gives it.
package enum ExternalPublicKey {
    /// The SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7) of a key.
    ///
    /// - Parameter key: an RSAPublicKey in DER (RFC 8017 §A.1.1), or an uncompressed point of P-256, P-384 or P-521
    ///   (SEC 1 §2.3.3).
    /// - Returns: nil when the bytes are neither. ``SigningKey``'s reader checks whether the key is strong enough.
    package static func publicKeyInfo(_ key: [UInt8]) -> [UInt8]? {
        let curve: ASN1ObjectIdentifier?
        switch (key.first, key.count) {
        case (0x04, 65): curve = .NamedCurves.secp256r1
        case (0x04, 97): curve = .NamedCurves.secp384r1
        case (0x04, 133): curve = .NamedCurves.secp521r1
        case (0x30, _): curve = nil
        default: return nil
        }
        return try? DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.appendAlgorithm(
                    curve == nil ? .AlgorithmIdentifier.rsaEncryption : .AlgorithmIdentifier.idEcPublicKey
                ) {
                    if let curve { try $0.serialize(curve) } else { $0.appendNull() }
                }
                try coder.serialize(ASN1BitString(bytes: key[...]))
            }
        }
    }
}
