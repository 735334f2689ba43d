/// The server does not accept the client's credentials, or the client may not send them under these conditions.
public struct AuthenticationError: Error, Sendable, CustomStringConvertible {
    /// Why authentication failed. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The server asks for credentials, and the client has none for it.
        public static let credentialsRequired = Code("credentialsRequired")
        /// The server refused the credentials; they are not sent to it again.
        public static let credentialsRefused = Code("credentialsRefused")
        /// The server asked again without judging the credentials: its nonces are always too old, it names another
        /// realm or scheme each time, or a handshake never completes. The next call sends them again.
        public static let undecided = Code("undecided")
        /// The client cannot or may not use any of the schemes that the server offers; the message says why.
        public static let noUsableScheme = Code("noUsableScheme")
        /// Credentials, or an answer from which a password can be guessed, would travel over plain HTTP.
        public static let insecureChannel = Code("insecureChannel")
        /// The challenge breaks RFC 9110 §11.6.1, or exceeds the limits.
        public static let malformedChallenge = Code("malformedChallenge")
        /// The scheme cannot carry the credentials, for example a user name with a colon.
        public static let invalidCredentials = Code("invalidCredentials")
        /// The source of the credentials failed; see ``AuthenticationError/cause``.
        public static let sourceFailed = Code("sourceFailed")
        /// The server accepted the credentials without the required proof that it knows them.
        public static let peerNotProved = Code("peerNotProved")
        /// There is no Kerberos ticket for the service, and none could be obtained; see ``AuthenticationError/cause``.
        public static let noTicket = Code("noTicket")
        /// A 407 came although no proxy is in use.
        public static let unexpectedProxyChallenge = Code("unexpectedProxyChallenge")
    }

    /// The part of an account that is wrong.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Fault: Sendable, Hashable {
        /// The server does not know the user, or the account is locked or has expired.
        case user
        /// The password is wrong or has expired.
        case password
        /// The domain of the account is unknown, or no server of it could be found.
        case domain
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// The protection space that asked for credentials, as far as it is known.
    public var space: ProtectionSpace?
    /// The schemes that the server offered, as it wrote them.
    public var offeredSchemes: [String]
    /// The error of the credential source, of Kerberos or of a decoder, or the fault that came with the server's 401; nil
    /// when there was no other error.
    public var cause: (any Error)?
    /// With ``Code/credentialsRefused``, the part that is wrong; nil when the server does not say, as most do not.
    public var fault: Fault?
    /// The server's refusal; nil when no answer of the origin led to the error. It may be secret, and no description shows it.
    package var content: RefusalContent?

    /// An error of your own code, such as a transport or a test.
    ///
    /// - Parameters:
    ///   - code: the reason.
    ///   - message: what happened, where, and what to do next; it must not contain a password or a token.
    ///   - space: the protection space that asked for credentials; nil when it is not known.
    ///   - offeredSchemes: as the server wrote them.
    ///   - cause: the error that led to this one; nil when there was no other error.
    public init(
        _ code: Code, _ message: String, space: ProtectionSpace? = nil, offeredSchemes: [String] = [],
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.space = space
        self.offeredSchemes = offeredSchemes
        self.cause = cause
    }

    public var description: String { message }
}

/// An answer with the status 401.
package struct RefusalContent: Sendable {
    package var fields: [(name: String, value: String)]
    package var bytes: [UInt8]

    package init(fields: [(name: String, value: String)], bytes: [UInt8]) {
        self.fields = fields
        self.bytes = bytes
    }
}

extension AuthenticationError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
