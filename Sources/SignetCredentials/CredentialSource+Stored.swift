public import SignetAuthentication

extension CredentialSource {
    /// What a store has for whoever asks: for its space, or its origin without a realm; for a path above the request's; and for the scheme
    /// or any.
    ///
    /// The store is looked into each time, so that what was changed in it is used from the next question on. What the server has
    /// refused stays in the store, since only a person knows whether the account or the server is wrong.
    ///
    /// - Parameters:
    ///   - persistence: how long the store keeps what `ask` has answered and the server has accepted, instead of what it had for that
    ///     account. With ``CredentialPersistence/none`` it keeps nothing.
    ///   - ask: is asked where the store has nothing, or nothing else than what was refused.
    ///   - notKept: is told why the store could not keep something. The call has succeeded all the same.
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
            // What is kept without a realm is for any of the server's.
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
            // What a store has not may be there for another scheme; a person is asked for an account only.
            guard let ask, ![.bearer, .oauth1].contains(question.scheme) else {
                if question.refused != nil || !question.everRefused.isEmpty { return nil }
                throw NothingForScheme()
            }
            return try await ask(question)
        }
    }
}

extension CredentialStore {
    /// Keeps an account for the realm that has accepted it, in place of what ``find(_:)`` would give for the same question.
    func keep(
        _ credentials: Credentials, for question: CredentialQuestion, _ persistence: CredentialPersistence
    ) async throws {
        guard let account = credentials.account else { return }
        // What others than NTLM and Negotiate have sent is the name alone.
        let hasDomain = question.scheme.bindsToConnection && !account.domain.isEmpty
        let name = hasDomain ? "\(account.domain)\\\(account.user)" : account.user
        let secret = SecretBytes(account.password)
        func known(in space: ProtectionSpace) async throws -> [StoredCredential] {
            try await find(
                CredentialQuery(
                    space: space, path: question.path, scheme: question.scheme.description, account: name))
        }
        let own = try await known(in: question.space)
        // What it has given itself is not kept a second time.
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
    /// What a scheme takes; nil where the secret is no text.
    func credentials(for scheme: AuthenticationScheme) -> Credentials? {
        guard let text = secret.text else { return nil }
        switch scheme {
        // A password is no token: it would be shown to whoever asks for one.
        case .bearer: return key.scheme == "bearer" ? .bearer(text) : nil
        case .oauth1: return nil
        case _ where key.scheme == "bearer": return nil
        default:
            // In one form, so that what was refused is known in the other.
            guard scheme.bindsToConnection, let backslash = key.account.firstIndex(of: "\\") else {
                return .account(user: key.account, password: text)
            }
            return .account(
                user: String(key.account[key.account.index(after: backslash)...]), password: text,
                domain: String(key.account[..<backslash]))
        }
    }
}
