import Crypto

/// What a ``SigningKey`` is to sign.
public struct SigningRequest: Sendable {
    /// One of those that the key has offered.
    public let algorithm: SigningAlgorithm
    /// The whole message, for devices that hash it themselves, and for Ed25519. In TLS it has some hundred bytes.
    public let message: [UInt8]

    /// A request for tests of a ``SigningKey``. TLS and the users of a key make their own.
    public init(algorithm: SigningAlgorithm, message: [UInt8]) {
        self.algorithm = algorithm
        self.message = message
    }

    /// The message's hash, for devices that sign one; nil for Ed25519.
    public var digest: [UInt8]? {
        switch algorithm.hash {
        case .sha256: Array(SHA256.hash(data: message))
        case .sha384: Array(SHA384.hash(data: message))
        case .sha512: Array(SHA512.hash(data: message))
        case nil: nil
        }
    }
}
