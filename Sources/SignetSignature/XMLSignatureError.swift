/// Why a document could not be signed, or why its signature is not accepted.
public struct XMLSignatureError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The document is not well-formed, or exceeds a limit; ``XMLSignatureError/cause`` is the `XMLError`.
        public static let unreadable = Code("unreadable")
        /// The document has no signature.
        public static let noSignature = Code("noSignature")
        /// A signature is not what XML Signature prescribes.
        public static let malformed = Code("malformed")
        /// An algorithm, a transform or a reference that is not in the closed list.
        public static let unsupported = Code("unsupported")
        /// An algorithm or a key that no longer protects.
        public static let tooWeak = Code("tooWeak")
        /// A reference leads to no element, or to several.
        public static let wrongReference = Code("wrongReference")
        /// What is expected to be signed is not covered by a signature.
        public static let notCovered = Code("notCovered")
        /// The content is not what was signed.
        public static let changedContent = Code("changedContent")
        /// The signature was not made by the key of the certificate that it names.
        public static let wrongSignature = Code("wrongSignature")
        /// The signer is not one that the program accepts.
        public static let untrustedSigner = Code("untrustedSigner")
        /// The key does not sign, or not with this algorithm.
        public static let cannotSign = Code("cannotSign")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What is wrong, where, and what to do next.
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

extension XMLSignatureError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
