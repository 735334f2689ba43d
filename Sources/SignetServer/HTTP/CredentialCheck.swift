#if Server
import HTTPTypes
import SignetAuthentication
import SignetCredentials
import SignetSOAP
import Synchronization

/// Asks clients for the credentials of ``ServerAuthentication`` and checks them.
struct CredentialCheck: Sendable {
    enum Finding: Sendable {
        /// - fields: for the answer.
        case accepted(user: String, fields: HTTPFields = [:])
        /// The reason, for the log; the client gets the challenges only.
        case refused(String, challenges: [String])
        /// No credentials can help: the reason, for the log.
        case forbidden(String)
        /// The server cannot check more credentials now.
        case busy(String)
    }

    private enum Scheme: Sendable {
        case basic(BasicAuthenticator, @Sendable (PasswordQuestion) async throws -> String?)
        case bearer(BearerAuthenticator, ServerAuthentication.TokenCheck)
        case digest(DigestCheck)
        case certificate(Accounts)
    }

    private let scheme: Scheme

    /// Nil when the server asks for no credentials.
    ///
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    init?(_ authentication: ServerAuthentication) throws(SOAPServerError) {
        do {
            switch authentication.scheme {
            case .none: return nil
            case .basic(let realm, let check):
                scheme = .basic(try BasicAuthenticator(realm: realm)) { question in
                    try await check(question) ? nil : "wrong credentials for user “\(question.user.printable)”"
                }
            case .passwords(let realm, let accounts):
                guard !accounts.verifiers.isDisjoint(with: [.hash, .password]) else {
                    throw Self.lacking("Basic", ".hash")
                }
                scheme = .basic(try BasicAuthenticator(realm: realm)) { question in
                    switch try await accounts.check(question.user, password: SecretBytes(question.password)) {
                    case .accepted: nil as String?
                    case .refused(let reason): reason
                    }
                }
            case .bearer(let realm, let check): scheme = .bearer(try BearerAuthenticator(realm: realm), check)
            case .digest(let realm, let algorithms, let seconds, let accounts):
                for algorithm in algorithms where !accounts.verifiers.contains(.digest(realm: realm, algorithm)) {
                    throw Self.lacking(
                        "Digest", ".digest(realm: \"\(realm.printable)\", …) with \(algorithm.rawValue)")
                }
                guard (10...86_400).contains(seconds) else {
                    throw SOAPServerError(
                        .invalidConfiguration, "The nonceLifetime of Digest must be 10 seconds to a day.")
                }
                scheme = .digest(
                    DigestCheck(try DigestAuthenticator(realm: realm, algorithms: algorithms), seconds, accounts))
            case .certificate(let accounts): scheme = .certificate(accounts)
            }
        } catch let error as AuthenticationError {
            throw SOAPServerError(.invalidConfiguration, error.message, cause: error)
        } catch let error as SOAPServerError { throw error } catch {
            throw SOAPServerError(.invalidConfiguration, "\(error)", cause: error)
        }
    }

    private static func lacking(_ scheme: String, _ verifier: String) -> SOAPServerError {
        SOAPServerError(
            .invalidConfiguration,
            "The accounts cannot verify \(scheme): add \(verifier) to their verifiers, and set the passwords anew.")
    }

    /// - Parameters:
    ///   - request: as it arrived.
    ///   - peer: what is known of the client already.
    func findings(_ request: ServerRequest, of peer: PeerDescription) async throws -> Finding {
        do { return try await find(request, peer) } catch let error as CredentialStoreError where error.code == .busy {
            return .busy(error.message)
        }
    }

    private func find(_ request: ServerRequest, _ peer: PeerDescription) async throws -> Finding {
        let lines = request.fields[values: .authorization]
        switch scheme {
        case .basic(let authenticator, let problem):
            let challenges = [authenticator.challenge]
            switch authenticator.read(lines) {
            case .nothing: return .refused("no credentials", challenges: challenges)
            case .unusable(let reason): return .refused(reason, challenges: challenges)
            case .value(let account):
                let question = PasswordQuestion(user: account.user, password: account.password, peer: peer)
                guard let reason = try await problem(question) else { return .accepted(user: account.user) }
                return .refused(reason, challenges: challenges)
            }
        case .bearer(let authenticator, let check):
            switch authenticator.read(lines) {
            case .nothing: return .refused("no token", challenges: [authenticator.challenge(isRefused: false)])
            case .unusable(let reason):
                return .refused(reason, challenges: [authenticator.challenge(isRefused: false)])
            case .value(let token):
                let challenges = [authenticator.challenge(isRefused: true)]
                guard let user = try await check(TokenQuestion(token: token, peer: peer)) else {
                    return .refused("a token that is not good", challenges: challenges)
                }
                // Names are logged, as those of Basic, which cannot have such characters either.
                guard !user.isEmpty, user == user.printable else {
                    return .refused(
                        "a token of “\(user.printable)”, which is no name of a user", challenges: challenges)
                }
                return .accepted(user: user)
            }
        case .digest(let check): return try await check.findings(request, lines)
        case .certificate(let accounts):
            guard let sha256 = peer.certificateSHA256 else { return .forbidden("no certificate") }
            guard let account = try await accounts.owner(ofCertificate: sha256) else {
                return .forbidden("the certificate belongs to no account")
            }
            if account.isLocked { return .forbidden("the account of “\(account.user.printable)” is locked") }
            return .accepted(user: account.user)
        }
    }
}

/// Checks proofs of the Digest scheme.
private final class DigestCheck: Sendable {
    private let authenticator: DigestAuthenticator
    private let seconds: Int64
    private let accounts: Accounts
    /// Nil before the first request: the state is asked for its secret then.
    private let nonces = Mutex<DigestNonces?>(nil)

    /// - Parameter seconds: how long a nonce is good.
    init(_ authenticator: DigestAuthenticator, _ seconds: Int64, _ accounts: Accounts) {
        (self.authenticator, self.seconds, self.accounts) = (authenticator, seconds, accounts)
    }

    private func madeNonces() async throws -> DigestNonces {
        if let made = nonces.withLock({ $0 }) { return made }
        let secret = try await accounts.state.secret(for: "nonces of Digest")
        let made = DigestNonces(secret: secret.bytes, realm: authenticator.realm, seconds: seconds)
        nonces.withLock { $0 = made }
        return made
    }

    func findings(_ request: ServerRequest, _ lines: [String]) async throws -> CredentialCheck.Finding {
        let nonces = try await madeNonces()
        func refused(_ reason: String, isStale: Bool = false) -> CredentialCheck.Finding {
            let nonce = nonces.next(now: accounts.now)
            return .refused(reason, challenges: authenticator.challenges(nonce: nonce, isStale: isStale))
        }
        switch authenticator.read(lines, method: request.method.rawValue, target: request.path) {
        case .nothing: return refused("no credentials")
        case .unusable(let reason): return refused(reason)
        case .value(let proof):
            let realm = authenticator.realm
            @Sendable func secret(_ account: ServerAccount?) -> String? {
                account?.digests.first { $0.realm == realm && $0.algorithm == proof.algorithm }?.value.text
            }
            // The same work for an account that has no such hash.
            let decoy = proof.algorithm.hash("no account")
            let finding = try await accounts.check(proof.user) { account in
                let kept = secret(account)
                let isRight = proof.isRight(kept ?? decoy)
                return kept == nil ? nil : isRight
            }
            let account: ServerAccount
            switch finding {
            case .accepted(let found): account = found
            case .refused(let reason): return refused(reason)
            }
            let user = account.user
            guard case .fresh(let end, let isYoung) = nonces.find(proof.nonce, now: accounts.now) else {
                return refused("an old nonce of user “\(user.printable)”", isStale: true)
            }
            // A minute longer than the nonce: other servers of the realm may be behind.
            switch try await accounts.state.remember(proof.use, until: end + 60, now: accounts.now) {
            case .new: break
            case .replayed:
                return refused("credentials of user “\(user.printable)” that were sent before", isStale: true)
            case .full: return .busy("no room to remember credentials: give the state more capacity")
            }
            var fields: HTTPFields = [:]
            if let name = HTTPField.Name("Authentication-Info") {
                let next = isYoung ? nil : nonces.next(now: accounts.now)
                fields[name] = proof.information(secret(account) ?? decoy, next: next)
            }
            return .accepted(user: user, fields: fields)
        }
    }
}
#endif
