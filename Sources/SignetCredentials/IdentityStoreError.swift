/// The error of a store of identities. Its message contains no secret.
public struct IdentityStoreError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// No identity has this label.
        public static let notFound = Code("notFound")
        /// The label is empty or too long.
        public static let invalidLabel = Code("invalidLabel")
        /// Others can read or exchange the file or folder: wrong owner, loose permissions, or a symbolic link.
        public static let unsafePermissions = Code("unsafePermissions")
        /// The operating system refused to read or write.
        public static let inputOutput = Code("inputOutput")
        /// Another program has changed a file of the store.
        public static let damaged = Code("damaged")
        /// The task uses the label exclusively already, and would wait for itself.
        public static let inUse = Code("inUse")
        /// The password for the store is too weak.
        public static let weakPassword = Code("weakPassword")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The error that led to this one; nil when the store found the defect itself.
    public var cause: (any Error)?

    /// An error of your own store.
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

extension IdentityStoreError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
