/// Why WS-Addressing has ended a call.
public struct AddressingError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Neither the WSDL nor the program names the action of the operation. Nothing was sent.
        public static let noAction = Code("noAction")
        /// An endpoint reference is invalid or cannot be used. Nothing was sent.
        public static let invalidReference = Code("invalidReference")
        /// A value to send cannot stand in a message. Nothing was sent.
        public static let unwritable = Code("unwritable")
        /// The header blocks of the answer are invalid. The answer was not used.
        public static let invalidAnswer = Code("invalidAnswer")
        /// The answer belongs to another message, or does not say to which message it belongs. The answer was not used.
        public static let unrelatedAnswer = Code("unrelatedAnswer")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened and what to do next.
    public var message: String
    /// The error that led to this one, such as that of an endpoint reference; nil where there was none.
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

extension AddressingError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
