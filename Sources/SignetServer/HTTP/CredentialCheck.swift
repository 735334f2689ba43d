#if Server
import SignetAuthentication
import SignetSOAP

/// Asks clients for the credentials of ``ServerAuthentication`` and checks them.
struct CredentialCheck: Sendable {
    enum Finding: Sendable {
        case accepted(user: String)
        /// The reason, for the log; the client gets the challenge only.
        case refused(String, challenge: String)
    }

    private enum Scheme: Sendable {
        case basic(BasicAuthenticator, ServerAuthentication.Check)
        case bearer(BearerAuthenticator, ServerAuthentication.TokenCheck)
    }

    private let scheme: Scheme

    /// Nil when the server asks for no credentials.
    init?(_ authentication: ServerAuthentication) throws(AuthenticationError) {
        switch authentication.scheme {
        case .none: return nil
        case .basic(let realm, let check): scheme = .basic(try BasicAuthenticator(realm: realm), check)
        case .bearer(let realm, let check): scheme = .bearer(try BearerAuthenticator(realm: realm), check)
        }
    }

    /// - Parameters:
    ///   - lines: the lines of the `Authorization` field.
    ///   - peer: what is known of the client already.
    func findings(_ lines: [String], of peer: PeerDescription) async throws -> Finding {
        switch scheme {
        case .basic(let authenticator, let check):
            switch authenticator.read(lines) {
            case .nothing: return .refused("no credentials", challenge: authenticator.challenge)
            case .unusable(let reason): return .refused(reason, challenge: authenticator.challenge)
            case .value(let account):
                if try await check(account.user, account.password) { return .accepted(user: account.user) }
                return .refused(
                    "wrong credentials for user “\(account.user.printable)”", challenge: authenticator.challenge)
            }
        case .bearer(let authenticator, let check):
            switch authenticator.read(lines) {
            case .nothing: return .refused("no token", challenge: authenticator.challenge(isRefused: false))
            case .unusable(let reason): return .refused(reason, challenge: authenticator.challenge(isRefused: false))
            case .value(let token):
                let challenge = authenticator.challenge(isRefused: true)
                guard let user = try await check(token, peer) else {
                    return .refused("a token that is not good", challenge: challenge)
                }
                // Names are logged, as those of Basic, which cannot have such characters either.
                guard !user.isEmpty, user == user.printable else {
                    return .refused("a token of “\(user.printable)”, which is no name of a user", challenge: challenge)
                }
                return .accepted(user: user)
            }
        }
    }
}
#endif
