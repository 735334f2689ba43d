import Crypto
import CryptoExtras

/// The parts of a public key, as XML Signature 1.1 §4.5.2 writes them.
package enum PublicKeyComponents: Sendable, Hashable {
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// The object identifier of the curve, and the point without compression (X9.63).
    case curve(identifier: String, point: [UInt8])
    case other
}

extension KeyPair {
    package var publicKeyComponents: PublicKeyComponents {
        switch key.publicKey {
        case .rsa(let key):
            guard let numbers = try? key.getKeyPrimitives() else { return .other }
            return .rsa(
                modulus: Array(numbers.modulus.drop { $0 == 0 }),
                exponent: Array(numbers.publicExponent.drop { $0 == 0 }))
        case .p256(let key): return .curve(identifier: "1.2.840.10045.3.1.7", point: Array(key.x963Representation))
        case .p384(let key): return .curve(identifier: "1.3.132.0.34", point: Array(key.x963Representation))
        case .p521(let key): return .curve(identifier: "1.3.132.0.35", point: Array(key.x963Representation))
        case .ed25519: return .other
        }
    }
}
