import Crypto
import CryptoExtras
import SwiftASN1

/// A private key in PKCS#8 DER (RFC 5208). Its bytes are overwritten when the last reference goes away.
@safe package final class PrivateKey: Sendable {
    // It is written only by the initialiser and the deinitialiser, when there is no other reference.
    private nonisolated(unsafe) let storage: UnsafeMutableBufferPointer<UInt8>
    let publicKey: PublicKey

    /// A copy of the key, which nothing overwrites: the caller must not keep it.
    package var pkcs8: [UInt8] { unsafe Array(storage) }

    /// - Parameter algorithm: AlgorithmIdentifier of PKCS#8.
    /// - Parameter key: RSAPrivateKey (RFC 8017), ECPrivateKey (RFC 5915) or CurvePrivateKey (RFC 8410).
    init(algorithm: AlgorithmIdentifier, key: ArraySlice<UInt8>) throws(AlgorithmProblem) {
        publicKey = try Self.publicKey(algorithm, key)
        var coder = DER.Serializer()
        coder.appendConstructedNode(identifier: .sequence) { coder in
            coder.appendPrimitiveNode(identifier: .integer) { $0.append(0) }
            coder.serializeRawBytes(algorithm.encoded)
            coder.appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: key) }
        }
        unsafe storage = .allocate(capacity: coder.serializedBytes.count)
        _ = unsafe storage.initialize(from: coder.serializedBytes)
    }

    deinit {
        unsafe storage.update(repeating: 0)
        unsafe storage.deallocate()
    }

    /// Reads PrivateKeyInfo (RFC 5208 §5) or OneAsymmetricKey (RFC 5958 §2); attributes are dropped.
    convenience init(pkcs8 der: ArraySlice<UInt8>) throws(AlgorithmProblem) {
        let algorithm: AlgorithmIdentifier
        let key: ArraySlice<UInt8>
        do {
            var fields = try NodeReader(try BER.parse(der))
            _ = try fields.next().integer()
            algorithm = try AlgorithmIdentifier(try fields.next())
            key = try fields.next().octets()
        } catch { throw .malformed("a PKCS#8 private key") }
        try self.init(algorithm: algorithm, key: key)
    }

    private static func publicKey(
        _ algorithm: AlgorithmIdentifier, _ key: ArraySlice<UInt8>
    ) throws(AlgorithmProblem) -> PublicKey {
        switch algorithm.algorithm {
        case .AlgorithmIdentifier.rsaEncryption, .AlgorithmIdentifier.rsaPSS: return try rsa(key)
        case .AlgorithmIdentifier.idEcPublicKey:
            return try elliptic(curve: algorithm.parameters.flatMap { try? $0.objectIdentifier() }, key)
        case .ed25519:
            do {
                let seed = try DER.parse(key).octets()
                return .ed25519(try Curve25519.Signing.PrivateKey(rawRepresentation: Array(seed)).publicKey)
            } catch { throw .malformed("an Ed25519 private key") }
        default: throw .unsupported("the private key algorithm \(algorithm.algorithm)")
        }
    }

    private static func rsa(_ key: ArraySlice<UInt8>) throws(AlgorithmProblem) -> PublicKey {
        let parsed: _RSA.Signing.PrivateKey
        do {
            parsed = try .init(unsafeDERRepresentation: Array(key))
        } catch { throw .malformed("an RSA private key") }
        guard parsed.keySizeInBits >= 2048 else { throw .weak("an RSA key of \(parsed.keySizeInBits) bits") }
        return .rsa(parsed.publicKey)
    }

    private static func elliptic(
        curve: ASN1ObjectIdentifier?, _ key: ArraySlice<UInt8>
    ) throws(AlgorithmProblem) -> PublicKey {
        let sizes: [ASN1ObjectIdentifier: Int] = [
            .NamedCurves.secp256r1: 32, .NamedCurves.secp384r1: 48, .NamedCurves.secp521r1: 66,
        ]
        guard let curve, let size = sizes[curve] else {
            throw .unsupported(KeyDescription.unusable(curve))
        }
        do {
            var fields = try NodeReader(try DER.parse(key))
            _ = try fields.next().integer()
            let scalar = try fields.next().octets()
            guard scalar.count <= size else { throw EncodingError("a scalar too long") }
            // Some programs leave out leading zeros.
            let padded = Array(repeating: 0, count: size - scalar.count) + scalar
            let publicKey: PublicKey
            let point: [UInt8]
            switch size {
            case 32:
                let key = try P256.Signing.PrivateKey(rawRepresentation: padded).publicKey
                (publicKey, point) = (.p256(key), Array(key.x963Representation))
            case 48:
                let key = try P384.Signing.PrivateKey(rawRepresentation: padded).publicKey
                (publicKey, point) = (.p384(key), Array(key.x963Representation))
            default:
                let key = try P521.Signing.PrivateKey(rawRepresentation: padded).publicKey
                (publicKey, point) = (.p521(key), Array(key.x963Representation))
            }
            // Other programs trust the public key that is stored with the private one, so it must match.
            _ = fields.next(ifContext: 0)
            if let stated = try fields.next(ifContext: 1)?.explicit() {
                let bytes = try ASN1BitString(derEncoded: stated).bytes
                guard bytes.first != 4 || bytes.elementsEqual(point) else {
                    throw EncodingError("a foreign public key")
                }
            }
            return publicKey
        } catch { throw .malformed("an elliptic curve private key") }
    }
}

extension PrivateKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "PrivateKey(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
