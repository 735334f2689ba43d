/// The failure of a ``SigningKey`` to sign. The key's own error is the `cause`.
public struct SigningKeyError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The key, or the device that holds it, reports an error.
        public static let failed = Code("failed")
        /// The key's answer is not a signature, or not this key's signature of this message.
        public static let invalidSignature = Code("invalidSignature")
        /// The connection that needed the signature ended first.
        public static let connectionEnded = Code("connectionEnded")
        /// The caller requested an algorithm that the key does not offer.
        public static let unsupportedAlgorithm = Code("unsupportedAlgorithm")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, which key it was, and what to do next.
    public var message: String
    /// The error that the key threw; nil when the key answered or was not called.
    public var cause: (any Error)?

    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, which key it was, and what to do next. It must not contain a secret.
    ///   - cause: the error that the key threw; nil when the key answered or was not called.
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
