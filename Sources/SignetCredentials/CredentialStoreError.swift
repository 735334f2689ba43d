/// The error of a store of credentials. Its message contains no secret.
public struct CredentialStoreError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// There is a credential with this key already.
        public static let alreadyThere = Code("alreadyThere")
        /// There is no credential with this key.
        public static let notFound = Code("notFound")
        /// Several credentials have this key, and the store cannot know which one is meant.
        public static let ambiguous = Code("ambiguous")
        /// A part of a credential is too long, empty or not allowed.
        public static let invalidItem = Code("invalidItem")
        /// The store cannot keep a credential for the given time, or for this scheme.
        public static let unsupported = Code("unsupported")
        /// The user would have to be asked, and that is not possible now: the device is locked, or there is no user
        /// session.
        public static let interactionNotAllowed = Code("interactionNotAllowed")
        /// The user was asked and refused.
        public static let userCanceled = Code("userCanceled")
        /// The operating system does not let this program use the store.
        public static let notEntitled = Code("notEntitled")
        /// Another program changed the stored data, exchanged it, cut it off or restored old data.
        public static let damaged = Code("damaged")
        /// The file is of another kind.
        public static let notAStore = Code("notAStore")
        /// The file was written by a later version of this library.
        public static let newerVersion = Code("newerVersion")
        /// The store is older than expected: an old copy has replaced it.
        public static let rolledBack = Code("rolledBack")
        /// Others can read or exchange the file or folder: wrong owner, loose permissions, or a symbolic link.
        public static let unsafePermissions = Code("unsafePermissions")
        /// The master key does not open the store.
        public static let wrongKey = Code("wrongKey")
        /// There is no master key or private key, or it cannot be used.
        public static let keyUnavailable = Code("keyUnavailable")
        /// The disk is full, or the store has reached its size limit. Nothing was changed.
        public static let full = Code("full")
        /// Other processes used the store for longer than the limit for waiting. Nothing was changed.
        public static let busy = Code("busy")
        /// The database of the store cannot be reached, or it does not let the program in.
        public static let unreachable = Code("unreachable")
        /// The operating system refused to read or write.
        public static let inputOutput = Code("inputOutput")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The error of the database, the Keychain or the key's source that led to this one; nil when there was no other
    /// error.
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

    package static func alreadyThere(_ key: CredentialKey) -> Self {
        .init(.alreadyThere, "The store has a credential for the \(key) already. Update it, or remove it first.")
    }

    package static func notFound(_ key: CredentialKey) -> Self {
        .init(.notFound, "The store has no credential for the \(key). Add it first.")
    }

    package static func notPermanent(_ store: String) -> Self {
        .init(
            .unsupported,
            "\(store) keeps only permanent credentials. Put a LayeredCredentialStore before it for others.")
    }
}

extension CredentialStoreError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
