/// Why devices cannot be looked for, or why a found address is not given to the program.
public struct DiscoveryError: Error, Sendable, CustomStringConvertible {
    /// Why. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// A setting of the search cannot be used. Nothing was sent.
        public static let unusableSetting = Code("unusableSetting")
        /// No network interface has a name or an address that the program gave, or none can send multicast. Nothing was
        /// sent.
        public static let noInterface = Code("noInterface")
        /// The name of the asked host has no address, or its lookup took too long. Nothing was sent.
        public static let unknownHost = Code("unknownHost")
        /// No socket could be opened, the question could be sent over none of them, or it could not be sent over a network
        /// interface that the program gave.
        public static let notSent = Code("notSent")
        /// A found address must not be called: it has user information or another scheme than `http` and `https`, or it
        /// leads to the client's own machine.
        public static let unusableAddress = Code("unusableAddress")
        /// The device has no address that the program's confirmation confirms.
        public static let notConfirmed = Code("notConfirmed")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next; it holds no secret.
    public var message: String
    /// The error that led to this one, such as that of a socket; nil where there was none.
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

extension DiscoveryError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
