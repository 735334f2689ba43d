#if Server
import SignetAuthentication

/// Asks clients for the credentials of ``ServerAuthentication`` and checks them.
struct CredentialCheck: Sendable {
    enum Finding: Sendable {
        case accepted(user: String)
        /// The reason, for the log; the client gets the challenge only.
        case refused(String)
    }

    private let authenticator: BasicAuthenticator
    private let check: ServerAuthentication.Check

    /// Nil when the server asks for no credentials.
    init?(_ authentication: ServerAuthentication) throws(AuthenticationError) {
        guard let check = authentication.check else { return nil }
        self.check = check
        authenticator = try BasicAuthenticator(realm: authentication.realm)
    }

    /// The value of the `WWW-Authenticate` field.
    var challenge: String { authenticator.challenge }

    /// - Parameter lines: the lines of the `Authorization` field.
    func findings(_ lines: [String]) async throws -> Finding {
        switch authenticator.read(lines) {
        case .nothing: .refused("no credentials")
        case .unusable(let reason): .refused(reason)
        case .account(let account):
            if try await check(account.user, account.password) {
                .accepted(user: account.user)
            } else {
                .refused("wrong credentials for user “\(account.user.printable)”")
            }
        }
    }
}
#endif
