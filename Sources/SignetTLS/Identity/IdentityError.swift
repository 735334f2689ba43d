/// A key or certificate file that cannot be used. Its message never contains the password or a byte of the key.
public struct IdentityError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The password does not open the file.
        public static let wrongPassword = Code("wrongPassword")
        /// The file is encrypted, and no password was given.
        public static let passwordRequired = Code("passwordRequired")
        /// The file holds no private key.
        public static let noPrivateKey = Code("noPrivateKey")
        /// The file holds no certificate at all.
        public static let noCertificate = Code("noCertificate")
        /// No certificate in the file belongs to the private key.
        public static let noMatchingCertificate = Code("noMatchingCertificate")
        /// The file is cut off, altered, or of another kind.
        public static let damaged = Code("damaged")
        /// A cipher, hash or key type that Signet does not read; the message names it.
        public static let unsupportedAlgorithm = Code("unsupportedAlgorithm")
        /// The PKCS#12 file has no MAC, so an alteration would not be noticed.
        public static let noIntegrityCheck = Code("noIntegrityCheck")
        /// A key that Signet can read but cannot use for TLS, such as an RSA-PSS key.
        public static let unusableForTLS = Code("unusableForTLS")
        /// A certificate in the file names an issuer that is in the file too, but that issuer's key did not sign it.
        public static let brokenChain = Code("brokenChain")
        /// The file holds several private keys, and the caller must choose one.
        public static let severalKeys = Code("severalKeys")
        /// The file, or the work to decrypt it, exceeds a limit.
        public static let tooLarge = Code("tooLarge")
        /// A certificate cannot be requested with these values.
        public static let invalidRequest = Code("invalidRequest")
        /// The key could not be written.
        public static let cannotWrite = Code("cannotWrite")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What is wrong, where, and what to do next.
    public var message: String
    /// The error of the decoder or the key store that led to this one; nil when there was no other error.
    public var cause: (any Error)?

    /// An error of your own code, such as a source of identities or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what is wrong, where, and what to do next. It must contain neither the password nor a byte of the
    ///     key.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    public var description: String { message }
}

extension IdentityError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
