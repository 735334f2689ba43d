/// Why no port of the tax agency can be chosen.
public struct AEATError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A certificate does not state whether it is a person's or a seal, or states both.
        public static let unknownCertificateKind = Code("unknownCertificateKind")
        /// No port has the address of the environment and the certificate, or several ports have it.
        public static let noSuchPort = Code("noSuchPort")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next; it holds no secret.
    public var message: String
    /// The error that led to this one; nil where there was none.
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

extension AEATError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
