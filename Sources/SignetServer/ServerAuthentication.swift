#if Server
public import SignetAuthentication
public import SignetCredentials
public import SignetSOAP

/// The credentials that a server requires from its clients over HTTP (RFC 9110 §11), besides their certificates. The
/// dispatcher's `verifiers` check credentials inside messages.
public struct ServerAuthentication: Sendable {
    /// Returns whether the password is that of the user. When it throws, the server logs the error and answers with
    /// 500. Compare with `ConstantTime.equal`, so that the time taken reveals nothing.
    public typealias Check = @Sendable (PasswordQuestion) async throws -> Bool

    /// Returns the user to whom a token was issued, a name in printable characters; nil for a token that is not good: unknown, expired, or
    /// for another service. When it throws, the server logs the error and answers with 500.
    public typealias TokenCheck = @Sendable (TokenQuestion) async throws -> String?

    enum Scheme: Sendable {
        case none
        case basic(realm: String, Check)
        case bearer(realm: String, TokenCheck)
        case passwords(realm: String, Accounts)
        case digest(realm: String, Set<DigestAlgorithm>, nonceSeconds: Int64, Accounts)
        case certificate(Accounts)
    }

    let scheme: Scheme

    /// The server requires no credentials.
    public static let none = ServerAuthentication(scheme: .none)

    /// The Basic scheme (RFC 7617).
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: called for every request.
    public static func basic(realm: String, check: @escaping Check) -> ServerAuthentication {
        ServerAuthentication(scheme: .basic(realm: realm, check))
    }

    /// The Bearer scheme (RFC 6750), with tokens in the field `Authorization` only.
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: called for every request.
    public static func bearer(realm: String, check: @escaping TokenCheck) -> ServerAuthentication {
        ServerAuthentication(scheme: .bearer(realm: realm, check))
    }

    /// The Basic scheme (RFC 7617), with the passwords of accounts.
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - accounts: their ``/SignetCredentials/Accounts/verifiers`` have `hash` or `password`.
    public static func basic(realm: String, accounts: Accounts) -> ServerAuthentication {
        ServerAuthentication(scheme: .passwords(realm: realm, accounts))
    }

    /// The Digest scheme (RFC 7616) with `qop=auth`: clients prove that they know the password, and do not send it. The server proves the
    /// same to them in `Authentication-Info`. It accepts each proof once.
    ///
    /// A client that sends several requests at the same time must count its uses of the nonce; Signet's does. What is proved is not the content
    /// of the request: use TLS.
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - algorithms: those that the server offers. SHA-256 unless others are named; some old clients know MD5 only.
    ///   - nonceLifetime: how long clients can use a nonce, from 10 seconds to a day. Clients that can read `nextnonce` get another one before.
    ///   - accounts: their ``/SignetCredentials/Accounts/verifiers`` have `digest` for this realm and each algorithm.
    public static func digest(
        realm: String, algorithms: Set<DigestAlgorithm> = [.sha256], nonceLifetime: Duration = .seconds(300),
        accounts: Accounts
    ) -> ServerAuthentication {
        ServerAuthentication(
            scheme: .digest(realm: realm, algorithms, nonceSeconds: nonceLifetime.components.seconds, accounts))
    }

    /// No credentials over HTTP: the certificate of the client must belong to an account that is not locked; others get 403. A handler finds
    /// the account's name in ``/SignetSOAP/PeerDescription/user``.
    ///
    /// The server must request certificates.
    ///
    /// - Parameter accounts: see ``/SignetCredentials/Accounts/addCertificate(_:of:)``.
    public static func certificate(accounts: Accounts) -> ServerAuthentication {
        ServerAuthentication(scheme: .certificate(accounts))
    }

    /// Whether only clients with a certificate can authenticate.
    var demandsCertificates: Bool { if case .certificate = scheme { true } else { false } }
}

/// The input of a ``ServerAuthentication/Check``. Nothing that prints it shows the password.
public struct PasswordQuestion: Sendable {
    /// The user that the client names.
    public let user: String
    /// The password that the client sent.
    public let password: String
    /// What is known of the client already: its address and its certificate. It has no user yet.
    public let peer: PeerDescription

    /// A question for tests of a check. The server makes its own questions.
    public init(user: String, password: String, peer: PeerDescription = PeerDescription()) {
        self.user = user
        self.password = password
        self.peer = peer
    }
}

/// The input of a ``ServerAuthentication/TokenCheck``. Nothing that prints it shows the token.
public struct TokenQuestion: Sendable {
    /// The token that the client sent (RFC 6750 §2.1).
    public let token: String
    /// What is known of the client already: its address and its certificate. It has no user yet. A token that is bound to a certificate
    /// (RFC 8705 §3) is good only with that certificate.
    public let peer: PeerDescription

    /// A question for tests of a check. The server makes its own questions.
    public init(token: String, peer: PeerDescription = PeerDescription()) {
        self.token = token
        self.peer = peer
    }
}

extension PasswordQuestion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a password of “\(user.printable)”" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "peer": peer], displayStyle: .struct) }
}

extension TokenQuestion: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "a token" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["peer": peer], displayStyle: .struct) }
}
#endif
