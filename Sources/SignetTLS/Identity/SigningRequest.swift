/// The message that a ``SigningKey`` must sign, and how.
public struct SigningRequest: Sendable {
    /// One of the algorithms that the key offers.
    public let algorithm: SigningAlgorithm
    /// The whole message, for devices that hash it themselves, and for algorithms that sign it without a
    /// hash, such as Ed25519. In TLS it has a few hundred bytes.
    public let message: [UInt8]

    /// A request for tests of a ``SigningKey``. TLS and the other users of a key make their own requests.
    public init(algorithm: SigningAlgorithm, message: [UInt8]) {
        self.algorithm = algorithm
        self.message = message
    }

    /// The message's hash, for devices that sign a hash; nil for an algorithm without a hash, such as Ed25519.
    public var digest: [UInt8]? { algorithm.hash?.digest(of: message) }
}
