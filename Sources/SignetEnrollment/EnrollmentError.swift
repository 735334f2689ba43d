/// Why an identity was not obtained, or not put in the place of another one. Nothing that was there before is lost.
///
/// The message contains no secret.
public struct EnrollmentError: Error, Sendable, CustomStringConvertible {
    /// The reason. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The certificate is for another key than the one for which it was requested.
        public static let wrongKey = Code("wrongKey")
        /// The certificate is for another subject than the expected one.
        public static let wrongSubject = Code("wrongSubject")
        /// The certificate is not valid now, or not for long enough.
        public static let wrongValidity = Code("wrongValidity")
        /// The certificate is not for this use, such as one without clientAuth.
        public static let wrongUsage = Code("wrongUsage")
        /// The certificates do not lead to an expected authority.
        public static let unknownAuthority = Code("unknownAuthority")
        /// The certificates are damaged, or break another rule.
        public static let unusable = Code("unusable")
        /// The authority's answer is not what the protocol says, such as a web page.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The answer is not signed by the authority, or answers another request: an attacker may have sent it.
        public static let unverifiedAnswer = Code("unverifiedAnswer")
        /// The authority refuses the request or the caller.
        public static let refused = Code("refused")
        /// The authority had not decided when the time was over. The key waits in the store: run the enrollment again.
        public static let pending = Code("pending")
        /// The authority demands what this library or this key cannot do.
        public static let unsupported = Code("unsupported")
        /// The authority demands a proof that is bound to the TLS channel (RFC 7030 §3.5).
        public static let channelBindingRequired = Code("channelBindingRequired")
        /// The service did not accept the new identity; the former one stays, and the new one waits.
        public static let notAccepted = Code("notAccepted")
        /// The call that was to prove the new identity showed nothing about it; the former one stays, and the new one
        /// waits.
        public static let notProved = Code("notProved")
        /// A label ends with what is reserved for new identities and for keys that wait.
        public static let reservedLabel = Code("reservedLabel")
        /// No certificate of an authority has the expected fingerprint.
        public static let wrongFingerprint = Code("wrongFingerprint")
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The error that led to this one; nil when there was no other error.
    public var cause: (any Error)?

    /// An error of your own ``Enroller``.
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

extension EnrollmentError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
