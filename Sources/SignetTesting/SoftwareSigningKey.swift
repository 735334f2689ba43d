import Crypto
import CryptoExtras
public import SignetTLS

/// A ``/SignetTLS/SigningKey`` in memory, for tests of code that uses keys in devices.
public struct SoftwareSigningKey: SigningKey {
    /// The kind of a key, which decides its signature algorithms.
    public enum Kind: Sendable, Hashable, CaseIterable {
        /// RSA with 2048 bits; PSS before PKCS #1 v1.5, each with SHA-256, SHA-384 and SHA-512.
        case rsa2048
        /// ECDSA with SHA-256.
        case p256
        /// ECDSA with SHA-384.
        case p384
        /// ECDSA with SHA-512.
        case p521
        /// Ed25519, which signs the whole message.
        case ed25519
    }

    /// A function through which a test intercepts the key's signing.
    public typealias SigningOverride = @Sendable (SigningRequest) async throws -> [UInt8]

    public let name: String
    public let publicKeyInfo: [UInt8]
    public var algorithms: [SigningAlgorithm]
    private let sign: SigningOverride

    /// Makes a new key.
    ///
    /// - Parameters:
    ///   - kind: the kind of the key.
    ///   - name: the name of the key in messages.
    ///   - signing: replaces the signing, which it receives as an argument; a test can let it fail, hang or return a
    ///     wrong signature.
    public init(
        _ kind: Kind, name: String = "“test”",
        signing: @escaping @Sendable (SigningRequest, SigningOverride) async throws -> [UInt8] = { try await $1($0) }
    ) throws {
        let (info, algorithms, sign) = try Self.make(kind)
        self.name = name
        publicKeyInfo = info
        self.algorithms = algorithms
        self.sign = { try await signing($0, sign) }
    }

    public func signature(for request: SigningRequest) async throws -> [UInt8] { try await sign(request) }

    private struct Unfit: Error {}

    private static func make(_ kind: Kind) throws -> ([UInt8], [SigningAlgorithm], SigningOverride) {
        let hashes = SigningAlgorithm.Hash.allCases
        switch kind {
        case .rsa2048:
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            return (
                Array(key.publicKey.derRepresentation),
                hashes.map(SigningAlgorithm.rsaPSS) + hashes.map(SigningAlgorithm.rsaPKCS1),
                { request in
                    let padding: _RSA.Signing.Padding = request.algorithm.isRSAPSS ? .PSS : .insecurePKCS1v1_5
                    let message = request.message
                    let signature =
                        switch request.algorithm.hash?.value {
                        case .sha256: try key.signature(for: SHA256.hash(data: message), padding: padding)
                        case .sha384: try key.signature(for: SHA384.hash(data: message), padding: padding)
                        case .sha512: try key.signature(for: SHA512.hash(data: message), padding: padding)
                        case nil: throw Unfit()
                        }
                    return Array(signature.rawRepresentation)
                }
            )
        case .p256:
            let key = P256.Signing.PrivateKey()
            return (
                Array(key.publicKey.derRepresentation), [.ecdsa(.sha256)],
                { Array(try key.signature(for: SHA256.hash(data: $0.message)).derRepresentation) }
            )
        case .p384:
            let key = P384.Signing.PrivateKey()
            return (
                Array(key.publicKey.derRepresentation), [.ecdsa(.sha384)],
                { Array(try key.signature(for: SHA384.hash(data: $0.message)).derRepresentation) }
            )
        case .p521:
            let key = P521.Signing.PrivateKey()
            return (
                Array(key.publicKey.derRepresentation), [.ecdsa(.sha512)],
                { Array(try key.signature(for: SHA512.hash(data: $0.message)).derRepresentation) }
            )
        case .ed25519:
            let key = Curve25519.Signing.PrivateKey()
            // The SubjectPublicKeyInfo (RFC 8410 §4) before the key.
            let head: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
            return (
                head + key.publicKey.rawRepresentation, [.ed25519], { Array(try key.signature(for: $0.message)) }
            )
        }
    }
}
