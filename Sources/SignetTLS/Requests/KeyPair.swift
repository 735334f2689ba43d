import Crypto
import CryptoExtras
import SwiftASN1

/// A private key and its public half, for which a certificate is to be requested.
///
/// The private key stays where it is: a request has the public half and a signature. Nothing that prints a key pair shows
/// the private key.
public struct KeyPair: Sendable {
    /// A kind of key that can be made in memory.
    ///
    /// New kinds may be added: keep a `default` when switching.
    public struct Kind: Sendable, Hashable {
        fileprivate enum Value: Sendable, Hashable { case rsa(bits: Int), p256, p384, p521, ed25519 }

        fileprivate let value: Value
        private init(_ value: Value) { self.value = value }

        /// RSA with 2,048 to 4,096 bits, a multiple of 8.
        public static func rsa(bits: Int) -> Self { .init(.rsa(bits: bits)) }
        /// ECDSA with the curve P-256, which nearly all peers accept.
        public static let p256 = Self(.p256)
        /// ECDSA with the curve P-384.
        public static let p384 = Self(.p384)
        /// ECDSA with the curve P-521.
        public static let p521 = Self(.p521)
        /// Ed25519 (RFC 8410), which few authorities issue certificates for.
        public static let ed25519 = Self(.ed25519)

        /// The number of bits of an RSA key; nil for every other kind.
        public var rsaBits: Int? { if case .rsa(let bits) = value { bits } else { nil } }
    }

    let key: IdentityKey
    private var publicKey: PublicKey { key.publicKey }

    /// Makes a new key in memory. RSA takes up to a few seconds.
    ///
    /// - Throws: ``IdentityError`` with `invalidRequest` for a number of bits that is not allowed, or with
    ///   `unsupportedAlgorithm` when no key can be made.
    public static func generate(_ kind: Kind) throws(IdentityError) -> KeyPair {
        if let bits = kind.rsaBits, !(2048...4096).contains(bits) || !bits.isMultiple(of: 8) {
            throw IdentityError(
                .invalidRequest, "An RSA key of \(bits) bits is not made; choose 2048 to 4096, a multiple of 8.")
        }
        do {
            return KeyPair(key: .held(try PrivateKey(pkcs8: try pkcs8(kind)[...])))
        } catch { throw IdentityError(.unsupportedAlgorithm, "The key could not be made: \(error).", cause: error) }
    }

    private static func pkcs8(_ kind: Kind) throws -> [UInt8] {
        switch kind.value {
        case .rsa(let bits):
            Array(try _RSA.Signing.PrivateKey(keySize: .init(bitCount: bits)).pkcs8DERRepresentation)
        case .p256: Array(P256.Signing.PrivateKey().derRepresentation)
        case .p384: Array(P384.Signing.PrivateKey().derRepresentation)
        case .p521: Array(P521.Signing.PrivateKey().derRepresentation)
        case .ed25519: PrivateKey.pkcs8(ed25519: Array(Curve25519.Signing.PrivateKey().rawRepresentation))
        }
    }

    private init(key: IdentityKey) { self.key = key }

    /// A key that signs elsewhere: in a smart card, a security module, a Secure Enclave.
    ///
    /// - Throws: ``IdentityError`` with `unsupportedAlgorithm` or `damaged`.
    public init(_ signingKey: any SigningKey) throws(IdentityError) {
        self.init(key: .signsOnly(try Signer(signingKey)))
    }

    /// The key of an identity, for a new certificate for the same key.
    public init(of identity: Identity) { self.init(key: identity.key) }

    /// The kind of the key.
    public var kind: Kind {
        switch publicKey {
        case .rsa(let key): .rsa(bits: key.keySizeInBits)
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .ed25519: .ed25519
        }
    }

    /// The public half as a SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7).
    public var publicKeyInfo: [UInt8] { publicKey.canonical }

    /// The private key in PKCS#8 as PEM, encrypted with AES-256 when there is a password.
    ///
    /// - Throws: ``IdentityError`` with `cannotWrite` for a key that only signs.
    public func pem(password: String?) throws(IdentityError) -> [UInt8] {
        guard case .held(let key) = key else {
            throw IdentityError(.cannotWrite, "The key \(name) stays in its device and cannot be written.")
        }
        guard let text = try? key.pem(password: password) else {
            throw IdentityError(.cannotWrite, "The key could not be encrypted.")
        }
        return Array(text.utf8)
    }

    /// Whether a certificate is for this key.
    public func belongs(to certificate: EncodedCertificate) -> Bool { publicKey.belongs(to: certificate) }

    /// The identity that this key and the certificates issued for it are.
    ///
    /// - Parameters:
    ///   - certificates: in any order: the one for this key, and those that lead from there to an authority.
    ///   - label: the friendly name; nil for no name.
    /// - Throws: ``IdentityError`` with `noCertificate` or `noMatchingCertificate`.
    public func identity(
        certificates: [EncodedCertificate], label: String? = nil
    ) throws(IdentityError) -> Identity {
        guard let first = certificates.first else {
            throw IdentityError(
                .noCertificate, "There is no certificate for the key \(name). Give the one issued for it.")
        }
        // A renewal for the same key may come with the certificate before.
        let own = certificates.filter(belongs)
        guard let leaf = own.max(by: { ($0.notAfter ?? .min) < ($1.notAfter ?? .min) }) else {
            throw IdentityError(
                .noMatchingCertificate,
                "None of the \(certificates.count) certificates belongs to the key \(name). The first is for \(first.subject)."
            )
        }
        return Identity(leaf: leaf, key: key, others: certificates.filter { !own.contains($0) }, label: label)
    }

    /// The algorithm with which the key signs requests: the one that most authorities know.
    ///
    /// - Throws: ``SigningKeyError`` with `unsupportedAlgorithm`.
    func algorithm() throws(SigningKeyError) -> SigningAlgorithm {
        let wanted: [SigningAlgorithm] =
            switch publicKey {
            case .rsa: [.rsaPKCS1(.sha256), .rsaPKCS1(.sha384), .rsaPKCS1(.sha512), .rsaPSS(.sha256)]
            case .p256: [.ecdsa(.sha256)]
            case .p384: [.ecdsa(.sha384), .ecdsa(.sha256)]
            case .p521: [.ecdsa(.sha512), .ecdsa(.sha384), .ecdsa(.sha256)]
            case .ed25519: [.ed25519]
            }
        guard case .signsOnly(let signer) = key, let first = wanted.first(where: signer.algorithms.contains) else {
            if case .held = key, let first = wanted.first { return first }
            throw SigningKeyError(
                .unsupportedAlgorithm,
                "The key \(name) offers no algorithm for certificate requests; one of these is needed: \(wanted.map(\.description).joined(separator: ", "))."
            )
        }
        return first
    }

    func signature(_ algorithm: SigningAlgorithm, over message: [UInt8]) async throws(SigningKeyError) -> [UInt8] {
        switch key {
        case .held(let key): try key.signature(algorithm, over: message)
        case .signsOnly(let signer): try await signer.signature(algorithm, over: message)
        }
    }

    /// A structure with its signature, as certificates and requests are (RFC 5280 §4.1, RFC 2986 §4.2).
    func signed(_ content: [UInt8], _ algorithm: SigningAlgorithm) async throws -> [UInt8] {
        let signature = try await signature(algorithm, over: content)
        return try DER.bytes { coder in
            try coder.appendSequence { coder in
                coder.serializeRawBytes(content)
                try coder.appendSignatureAlgorithm(algorithm)
                coder.appendBits(signature)
            }
        }
    }

    private var name: String { if case .signsOnly(let signer) = key { signer.name } else { "in memory" } }
}

extension KeyPair: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "KeyPair(hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension KeyPair.Kind: CustomStringConvertible {
    /// As people write it, such as `P-256` and `RSA with 2048 bits`.
    public var description: String {
        switch value {
        case .rsa(let bits): "RSA with \(bits) bits"
        case .p256: "P-256"
        case .p384: "P-384"
        case .p521: "P-521"
        case .ed25519: "Ed25519"
        }
    }
}
