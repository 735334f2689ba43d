/// A ``SigningKey`` that did not sign. The key's own error is the `cause`.
public struct SigningKeyError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The key, or the device that it lives in, reports an error.
        public static let failed = Code("failed")
        /// What the key answered is no signature, or none of this key over this message.
        public static let invalidSignature = Code("invalidSignature")
        /// Nobody waited for the signature any more.
        public static let abandoned = Code("abandoned")
        /// The key was asked for something that it does not offer.
        public static let unsupportedAlgorithm = Code("unsupportedAlgorithm")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, which key it was, and what to do next.
    public var message: String
    /// What the key itself has thrown; nil where the key has answered, or was not asked.
    public var cause: (any Error)?

    /// - Parameter message: what happened, which key it was, and what to do next; it must hold no secret.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

extension SigningKeyError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
