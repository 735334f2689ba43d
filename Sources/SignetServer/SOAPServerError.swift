#if Server
/// Why a server cannot start or change.
public struct SOAPServerError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A setting is invalid or has no effect.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The identity cannot be used for TLS, or its source returned none.
        public static let unusableIdentity = Code("unusableIdentity")
        /// The server cannot listen at the address: it is in use, belongs to another machine, or needs a privilege.
        public static let cannotListen = Code("cannotListen")
        /// The server was started or shut down before; make a new one.
        public static let alreadyStarted = Code("alreadyStarted")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The error of the system, of TLS or of a setting's own check that led to this one; nil where there was none.
    public var cause: (any Error)?

    /// An error of your own code, such as a program around the server or a test.
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

extension SOAPServerError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
#endif
