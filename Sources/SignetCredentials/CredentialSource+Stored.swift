public import SignetAuthentication

extension CredentialSource {
    /// The credentials that a store has for a question: for its space, or for the origin without a realm; for a path
    /// above the request's; and for the scheme or any scheme.
    ///
    /// The store is searched for each question, so a change in the store counts from the next question on. Credentials
    /// that the server has refused stay in the store, since only a person knows whether the account or the server is
    /// wrong.
    ///
    /// - Parameters:
    ///   - persistence: how long the store keeps an answer of `ask` that the server has accepted; it replaces the
    ///     store's credential for that account. With ``CredentialPersistence/none`` it keeps nothing.
    ///   - ask: is called when the store has no credentials, or only those that were refused.
    ///   - notKept: is called when the store could not keep an answer. The call has succeeded nevertheless.
    public static func stored(
        in store: any CredentialStore, keeping persistence: CredentialPersistence = .none,
        otherwise ask: (@Sendable (CredentialQuestion) async throws -> Credentials?)? = nil,
        notKept: (@Sendable (any Error) -> Void)? = nil
    ) -> CredentialSource {
        var source = CredentialSource.stored(in: store, ask)
        source.tellsSchemesApart = true
        guard persistence != .none else { return source }
        source.keep = { credentials, question in
            do { try await store.keep(credentials, for: question, persistence) } catch { notKept?(error) }
        }
        return source
    }

    private static func stored(
        in store: any CredentialStore, _ ask: (@Sendable (CredentialQuestion) async throws -> Credentials?)?
    ) -> CredentialSource {
        .asking { question in
            // A credential without a realm is for every realm of the server.
            for space in Set([question.space, question.space.with(realm: "")]).sorted(by: { $0.realm > $1.realm }) {
                let query = CredentialQuery(space: space, path: question.path, scheme: question.scheme.description)
                for found in try await store.find(query) {
                    if let credentials = found.credentials(for: question.scheme), credentials != question.refused,
                        !question.everRefused.contains(credentials)
                    {
                        return credentials
                    }
                }
            }
            // The store may have a token for another scheme; a person can only be asked for an account.
            guard let ask, ![.bearer, .oauth1].contains(question.scheme) else {
                if question.refused != nil || !question.everRefused.isEmpty { return nil }
                throw NothingForScheme()
            }
            return try await ask(question)
        }
    }
}

extension CredentialStore {
    /// Keeps an account for the realm that has accepted it. It replaces what ``find(_:)`` would return for the same
    /// question.
    func keep(
        _ credentials: Credentials, for question: CredentialQuestion, _ persistence: CredentialPersistence
    ) async throws {
        guard let account = credentials.account else { return }
        // Schemes other than NTLM and Negotiate send only the name.
        let hasDomain = question.scheme.bindsToConnection && !account.domain.isEmpty
        let name = hasDomain ? "\(account.domain)\\\(account.user)" : account.user
        let secret = SecretBytes(account.password)
        func known(in space: ProtectionSpace) async throws -> [StoredCredential] {
            try await find(
                CredentialQuery(
                    space: space, path: question.path, scheme: question.scheme.description, account: name))
        }
        let own = try await known(in: question.space)
        // Credentials that came from the store itself are not added a second time.
        let all = try await own + known(in: question.space.with(realm: ""))
        if all.contains(where: { $0.secret == secret }) { return }
        guard let old = own.first else {
            let key = CredentialKey(space: question.space, account: name)
            return try await add(StoredCredential(key: key, secret: secret, persistence: persistence))
        }
        try await update(old.key, with: CredentialChange(secret: secret))
    }
}

extension StoredCredential {
    /// The credentials in the form for a scheme; nil when the secret is not text.
    func credentials(for scheme: AuthenticationScheme) -> Credentials? {
        guard let text = secret.text else { return nil }
        switch scheme {
        // A password is never given as a token: it would be sent to any server that asks for a token.
        case .bearer: return key.scheme == "bearer" ? .bearer(text) : nil
        case .oauth1: return nil
        case _ where key.scheme == "bearer": return nil
        default:
            // Always in the same form, so that refused credentials are recognised.
            guard scheme.bindsToConnection, let backslash = key.account.firstIndex(of: "\\") else {
                return .account(user: key.account, password: text)
            }
            return .account(
                user: String(key.account[key.account.index(after: backslash)...]), password: text,
                domain: String(key.account[..<backslash]))
        }
    }
}
