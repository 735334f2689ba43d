/// Why WS-Security has ended a call.
public struct WSSecurityError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A password would be sent over plain HTTP, as text or in a digest from which an attacker can guess it, or another token.
        /// Nothing was sent.
        public static let plaintextRefused = Code("plaintextRefused")
        /// The policies of the WSDL demand a UsernameToken, a signature or an encryption, and the user, the password, the identity
        /// or the certificate for it was not given. Nothing was sent.
        public static let missingCredentials = Code("missingCredentials")
        /// The policies of the WSDL demand an algorithm that no longer protects, and the settings do not allow it. Nothing was sent.
        public static let weakAlgorithm = Code("weakAlgorithm")
        /// A user name, a password or a time cannot be written. Nothing was sent.
        public static let unwritable = Code("unwritable")
        /// The message cannot be signed. Nothing was sent.
        public static let cannotSign = Code("cannotSign")
        /// The message cannot be encrypted. Nothing was sent.
        public static let cannotEncrypt = Code("cannotEncrypt")
        /// The settings say that messages are decrypted, and name no key that can. Nothing was sent.
        public static let cannotDecrypt = Code("cannotDecrypt")
        /// The answer has an invalid Security header block that the client must understand, or a signature or an encryption
        /// that the client demands is missing or wrong. The answer was not used.
        public static let invalidAnswer = Code("invalidAnswer")
        /// A security token service issued no token.
        public static let noToken = Code("noToken")
        /// A security token cannot be used: it cannot be read, has expired, or is of another kind than the one that was asked for.
        public static let unusableToken = Code("unusableToken")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened and what to do next; it holds no secret.
    public var message: String
    /// The error that led to this one; nil where there was no other.
    public var cause: (any Error)?

    /// An error of your own code, such as a middleware or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a secret.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

extension WSSecurityError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
