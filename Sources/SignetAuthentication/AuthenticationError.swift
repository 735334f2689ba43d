/// The server does not accept who we say we are, or we do not say it under these conditions.
public struct AuthenticationError: Error, Sendable, CustomStringConvertible {
    /// Why authentication failed. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The server asks for credentials and there are none for it.
        public static let credentialsRequired = Code("credentialsRequired")
        /// The server refused the credentials; they are not sent to it again.
        public static let credentialsRefused = Code("credentialsRefused")
        /// The server asked again without having judged the credentials: its nonces are always too old, it names another realm or
        /// scheme each time, or a handshake never gets to its end. They are sent again with the next call.
        public static let undecided = Code("undecided")
        /// Nothing of what the server offers can be used here, or may be; the message says why.
        public static let noUsableScheme = Code("noUsableScheme")
        /// Credentials, or what a password can be guessed from, would travel over plain HTTP.
        public static let insecureChannel = Code("insecureChannel")
        /// The challenge breaks RFC 9110 §11.6.1, or exceeds the limits.
        public static let malformedChallenge = Code("malformedChallenge")
        /// The credentials cannot be written in the scheme, for example a user name with a colon.
        public static let invalidCredentials = Code("invalidCredentials")
        /// The source of the credentials failed; see ``AuthenticationError/cause``.
        public static let sourceFailed = Code("sourceFailed")
        /// The server accepted the credentials and did not prove that it knows them, as it should.
        public static let peerNotProved = Code("peerNotProved")
        /// There is no Kerberos ticket for the service, and none could be got; see ``AuthenticationError/cause``.
        public static let noTicket = Code("noTicket")
        /// A 407 came although no proxy is in use.
        public static let unexpectedProxyChallenge = Code("unexpectedProxyChallenge")
    }

    /// What of an account is wrong.
    public enum Fault: Sendable, Hashable {
        /// The server knows no such user, or the account is locked or has expired.
        case user
        /// The password is wrong or has expired.
        case password
        /// The domain of the account is not known, or no server of it could be found.
        case domain
    }

    /// The reason, for a program to act on. Errors with the same code are equal.
    public var code: Code
    /// What happened, where, and what to do next.
    public var message: String
    /// Where credentials were asked for, as far as it is known.
    public var space: ProtectionSpace?
    /// The schemes that the server offered, as it wrote them.
    public var offeredSchemes: [String]
    /// What the source of the credentials, Kerberos or a decoder has thrown; nil where there was no other error.
    public var cause: (any Error)?
    /// With ``Code/credentialsRefused``, what is wrong; nil where the server does not say, as most do not.
    public var fault: Fault?
    /// What the server said beside its challenge; nil where it was not kept. It may be secret, and is in no description.
    package var content: RefusalContent?

    /// - Parameters:
    ///   - message: what happened, where, and what to do next; it must hold no password and no token.
    ///   - offeredSchemes: as the server wrote them.
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

/// The content of an answer with the status 401.
package struct RefusalContent: Sendable {
    package var contentType: String?
    package var bytes: [UInt8]

    package init(contentType: String?, bytes: [UInt8]) {
        self.contentType = contentType
        self.bytes = bytes
    }
}

extension AuthenticationError: Equatable {
    /// Errors are equal when their codes are.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
