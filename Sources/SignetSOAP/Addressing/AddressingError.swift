/// A call that WS-Addressing ends.
public struct AddressingError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Nothing says which action the operation has. Nothing was sent.
        public static let noAction = Code("noAction")
        /// An endpoint reference is not in order, or cannot be used. Nothing was sent.
        public static let invalidReference = Code("invalidReference")
        /// What is to be sent cannot stand in a message. Nothing was sent.
        public static let unwritable = Code("unwritable")
        /// The header blocks of the answer are not in order. It was not used.
        public static let invalidAnswer = Code("invalidAnswer")
        /// The answer is one to another message, or does not say to which. It was not used.
        public static let unrelatedAnswer = Code("unrelatedAnswer")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened and what to do next.
    public var message: String
    /// The error that led to this one, such as that of an endpoint reference; nil where there was none.
    public var cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
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
