/// Why a device cannot be used as it describes itself.
public struct ONVIFError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A device reports a time that does not exist.
        public static let unusableTime = Code("unusableTime")
        /// A device reports no service with the namespace that the program asked for.
        public static let noSuchService = Code("noSuchService")
        /// A device reports an address that cannot be used, or that ``ONVIFAddressing`` does not allow.
        public static let unusableAddress = Code("unusableAddress")
        /// An option was set that cannot take effect.
        public static let unusableOption = Code("unusableOption")
        /// A device answers with more notifications than are accepted.
        public static let unusableEvents = Code("unusableEvents")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next; it holds no secret.
    public var message: String
    /// The error that led to this one, such as that of an address; nil where there was none.
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

extension ONVIFError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
