import Crypto
import CryptoExtras
import SwiftASN1

/// Why a key or a signature cannot be used.
enum AlgorithmProblem: Error, CustomStringConvertible {
    /// A known algorithm that is no longer strong enough.
    case weak(String)
    /// An algorithm that Signet does not implement.
    case unsupported(String)
    case malformed(String)

    var description: String {
        switch self {
        case .weak(let what): "\(what), which is too weak"
        case .unsupported(let what): "\(what), which is not supported"
        case .malformed(let what): "\(what), which is malformed"
        }
    }
}

/// A public key that can check signatures.
enum PublicKey: Sendable {
    case rsa(_RSA.Signing.PublicKey)
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case ed25519(Curve25519.Signing.PublicKey)

    /// Reads a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7, RFC 3279, RFC 5480, RFC 8410).
    init(publicKeyInfo: ArraySlice<UInt8>) throws(AlgorithmProblem) {
        let algorithm: AlgorithmIdentifier
        let key: ArraySlice<UInt8>
        do {
            var fields = try NodeReader(try DER.parse(publicKeyInfo))
            algorithm = try AlgorithmIdentifier(try fields.next())
            key = try ASN1BitString(derEncoded: try fields.next()).bytes
            try fields.end()
        } catch { throw .malformed("a public key") }
        switch algorithm.algorithm {
        case .AlgorithmIdentifier.rsaEncryption, .AlgorithmIdentifier.rsaPSS:
            let size = Self.modulusBits(key)
            if size < 2048 { throw .weak("an RSA key of \(size) bits") }
            // Checking a signature with a huge key takes long, and the peer chooses the key.
            if size > RSAPublicOperation.maximumBits { throw .unsupported("an RSA key of \(size) bits") }
            self = try Self.make("RSA") { .rsa(try .init(derRepresentation: Array(publicKeyInfo))) }
        case .AlgorithmIdentifier.idEcPublicKey:
            let curve = algorithm.parameters.flatMap { try? $0.objectIdentifier() }
            let bytes = Array(key)
            let isCompressed = bytes.first == 2 || bytes.first == 3
            switch curve {
            case .NamedCurves.secp256r1:
                self = try Self.make("P-256") {
                    .p256(try isCompressed ? .init(compressedRepresentation: bytes) : .init(x963Representation: bytes))
                }
            case .NamedCurves.secp384r1:
                self = try Self.make("P-384") {
                    .p384(try isCompressed ? .init(compressedRepresentation: bytes) : .init(x963Representation: bytes))
                }
            case .NamedCurves.secp521r1:
                self = try Self.make("P-521") {
                    .p521(try isCompressed ? .init(compressedRepresentation: bytes) : .init(x963Representation: bytes))
                }
            default: throw .unsupported(KeyDescription.unusable(curve))
            }
        case .ed25519: self = try Self.make("Ed25519") { .ed25519(try .init(rawRepresentation: Array(key))) }
        default: throw .unsupported("the key algorithm \(algorithm.algorithm)")
        }
    }

    private static func make(_ kind: String, _ body: () throws -> PublicKey) throws(AlgorithmProblem) -> PublicKey {
        do { return try body() } catch {
            throw .malformed("\(kind == "RSA" || kind == "Ed25519" ? "an" : "a") \(kind) key")
        }
    }

    /// What an id-RSASSA-PSS key may sign with (RFC 4055 §1.2, §3.3); nil for any other key.
    struct PSSRestriction {
        let parameters: ASN1Node?

        /// Absent parameters allow everything. Otherwise they fix the hashes and the least length of the salt.
        func allows(_ used: PSSParameters) throws(AlgorithmProblem) -> Bool {
            guard let parameters else { return true }
            let allowed = try PSSParameters(parameters)
            return used.hash == allowed.hash && used.maskHash == allowed.maskHash
                && used.saltLength >= allowed.saltLength
        }
    }

    static func signatureRestriction(_ publicKeyInfo: ArraySlice<UInt8>) -> PSSRestriction? {
        guard var fields = try? NodeReader(try DER.parse(publicKeyInfo)),
            let algorithm = try? AlgorithmIdentifier(try fields.next()),
            algorithm.algorithm == .AlgorithmIdentifier.rsaPSS
        else { return nil }
        return PSSRestriction(parameters: algorithm.parameters)
    }

    /// The bits of the modulus of an RSA key; nil for any other key, and for a malformed one.
    static func modulusBits(publicKeyInfo: ArraySlice<UInt8>) -> Int? {
        guard var fields = try? NodeReader(try DER.parse(publicKeyInfo)),
            let algorithm = try? AlgorithmIdentifier(try fields.next()).algorithm,
            algorithm == .AlgorithmIdentifier.rsaEncryption || algorithm == .AlgorithmIdentifier.rsaPSS,
            let key = try? ASN1BitString(derEncoded: try fields.next()).bytes
        else { return nil }
        return modulusBits(key)
    }

    private static func modulusBits(_ key: ArraySlice<UInt8>) -> Int {
        guard var fields = try? NodeReader(try DER.parse(key)), let modulus = try? fields.next().primitiveBytes()
        else { return 0 }
        let digits = modulus.drop { $0 == 0 }
        guard let first = digits.first else { return 0 }
        return digits.count * 8 - first.leadingZeroBitCount
    }

    /// The SubjectPublicKeyInfo in DER, in the one form that is used to compare keys.
    var canonical: [UInt8] {
        switch self {
        case .rsa(let key): Array(key.derRepresentation)
        case .p256(let key): Array(key.derRepresentation)
        case .p384(let key): Array(key.derRepresentation)
        case .p521(let key): Array(key.derRepresentation)
        case .ed25519(let key):
            DER.bytes { coder in
                coder.appendSequence { coder in
                    coder.appendEd25519()
                    coder.appendBits(key.rawRepresentation)
                }
            }
        }
    }

    /// Whether a certificate is for this key.
    func belongs(to certificate: EncodedCertificate) -> Bool {
        guard let content = certificate.content, let key = try? PublicKey(publicKeyInfo: content.publicKeyInfo)
        else { return false }
        return key.canonical == canonical
    }
}

extension ASN1ObjectIdentifier {
    static let ed25519: Self = [1, 3, 101, 112]
}
