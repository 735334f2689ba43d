import Crypto
import SignetTLS
import SignetXML

/// A set of parameters of ML-DSA (FIPS 204 §4). Experimental, as ``MLDSAKey`` is.
@_spi(Experimental) public enum MLDSAParameters: Sendable, Hashable, CaseIterable {
    /// ML-DSA-65.
    case mlDSA65
    /// ML-DSA-87.
    case mlDSA87
}

/// A key of ML-DSA (FIPS 204), which signs documents so that a quantum computer cannot forge them.
///
/// Experimental: the identifiers are those of a draft of XML Signature, there are no certificates, and both can change in any version.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@_spi(Experimental) public struct MLDSAKey: Sendable {
    private enum Key: Sendable {
        case mlDSA65(MLDSA65.PrivateKey)
        case mlDSA87(MLDSA87.PrivateKey)
    }

    private let key: Key

    /// Makes a new key.
    ///
    /// - Throws: ``XMLSignatureError`` with `cannotSign` when no key can be made.
    public init(_ parameters: MLDSAParameters) throws(XMLSignatureError) {
        key = try Self.made {
            switch parameters {
            case .mlDSA65: .mlDSA65(try MLDSA65.PrivateKey())
            case .mlDSA87: .mlDSA87(try MLDSA87.PrivateKey())
            }
        }
    }

    /// The key of a seed (FIPS 204 §3.6.3).
    ///
    /// - Parameters:
    ///   - seed: 32 secret bytes.
    ///   - parameters: the set of parameters.
    /// - Throws: ``XMLSignatureError`` with `cannotSign` for a seed of another length.
    public init(seed: [UInt8], _ parameters: MLDSAParameters) throws(XMLSignatureError) {
        key = try Self.made {
            switch parameters {
            case .mlDSA65: .mlDSA65(try MLDSA65.PrivateKey(seedRepresentation: seed, publicKey: nil))
            case .mlDSA87: .mlDSA87(try MLDSA87.PrivateKey(seedRepresentation: seed, publicKey: nil))
            }
        }
    }

    private static func made(_ make: () throws -> Key) throws(XMLSignatureError) -> Key {
        do { return try make() } catch {
            throw XMLSignatureError(
                .cannotSign, "No key of ML-DSA can be made of this: a seed has 32 bytes.", cause: error)
        }
    }

    /// The set of parameters.
    public var parameters: MLDSAParameters {
        switch key {
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }

    /// The 32 secret bytes of which the key is made.
    public var seed: [UInt8] {
        switch key {
        case .mlDSA65(let key): Array(key.seedRepresentation)
        case .mlDSA87(let key): Array(key.seedRepresentation)
        }
    }

    /// The public half.
    public var publicKey: MLDSAPublicKey {
        switch key {
        case .mlDSA65(let key): MLDSAPublicKey(key.publicKey)
        case .mlDSA87(let key): MLDSAPublicKey(key.publicKey)
        }
    }

    func signature(over message: [UInt8]) throws -> [UInt8] {
        switch key {
        case .mlDSA65(let key): Array(try key.signature(for: message))
        case .mlDSA87(let key): Array(try key.signature(for: message))
        }
    }
}

/// The public half of a key of ML-DSA. Experimental, as ``MLDSAKey`` is.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@_spi(Experimental) public struct MLDSAPublicKey: Sendable {
    private enum Key: Sendable {
        case mlDSA65(MLDSA65.PublicKey)
        case mlDSA87(MLDSA87.PublicKey)
    }

    private let key: Key

    init(_ key: MLDSA65.PublicKey) { self.key = .mlDSA65(key) }
    init(_ key: MLDSA87.PublicKey) { self.key = .mlDSA87(key) }

    /// - Parameters:
    ///   - bytes: the key as FIPS 204 §7.2 encodes it: 1,952 bytes for ML-DSA-65, 2,592 for ML-DSA-87.
    ///   - parameters: the set of parameters.
    /// - Throws: ``XMLSignatureError`` with `unsupported` for bytes that are no such key.
    public init(bytes: [UInt8], _ parameters: MLDSAParameters) throws(XMLSignatureError) {
        do {
            switch parameters {
            case .mlDSA65: key = .mlDSA65(try MLDSA65.PublicKey(rawRepresentation: bytes))
            case .mlDSA87: key = .mlDSA87(try MLDSA87.PublicKey(rawRepresentation: bytes))
            }
        } catch {
            throw XMLSignatureError(
                .unsupported, "\(bytes.count) bytes are no public key of \(parameters).", cause: error)
        }
    }

    /// The set of parameters.
    public var parameters: MLDSAParameters {
        switch key {
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }

    /// The key as FIPS 204 §7.2 encodes it.
    public var bytes: [UInt8] {
        switch key {
        case .mlDSA65(let key): Array(key.rawRepresentation)
        case .mlDSA87(let key): Array(key.rawRepresentation)
        }
    }

    func isValid(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        switch key {
        case .mlDSA65(let key): key.isValidSignature(signature, for: message)
        case .mlDSA87(let key): key.isValidSignature(signature, for: message)
        }
    }
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
extension MLDSAKey: CustomStringConvertible, CustomReflectable {
    public var description: String { "a key of \(parameters)" }
    // The seed is secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MLDSAParameters {
    var algorithm: SigningAlgorithm {
        switch self {
        case .mlDSA65: .mlDSA65
        case .mlDSA87: .mlDSA87
        }
    }
}

extension MLDSAParameters: CustomStringConvertible {
    public var description: String { "\(algorithm)" }
}
