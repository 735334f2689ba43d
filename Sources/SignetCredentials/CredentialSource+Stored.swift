public import SignetAuthentication

extension CredentialSource {
    /// What a store has for whoever asks: for its space, or its origin without a realm; for a path above the request's; and for the scheme
    /// or any.
    ///
    /// The store is looked into each time, so that what was changed in it is used from the next question on. What the server has
    /// refused stays in the store, since only a person knows whether the account or the server is wrong.
    ///
    /// - Parameter ask: is asked where the store has nothing, or nothing else than what was refused. What it answers is not kept:
    ///   ``CredentialStore/add(_:)`` does that.
    public static func stored(
        in store: any CredentialStore,
        otherwise ask: (@Sendable (CredentialQuestion) async throws -> Credentials?)? = nil
    ) -> CredentialSource {
        .asking { question in
            // What is kept without a realm is for any of the server's.
            for space in Set([question.space, question.space.with(realm: "")]).sorted(by: { $0.realm > $1.realm }) {
                let query = CredentialQuery(space: space, path: question.path, scheme: question.scheme.description)
                for found in try await store.find(query) {
                    if let credentials = found.credentials(for: question.scheme), credentials != question.refused {
                        return credentials
                    }
                }
            }
            // What a store has not may be there for another scheme; a person is asked for an account only.
            guard let ask, ![.bearer, .oauth1].contains(question.scheme) else {
                if question.refused != nil { return nil }
                throw NothingForScheme()
            }
            return try await ask(question)
        }
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
        default: return key.scheme == "bearer" ? nil : .account(user: key.account, password: text)
        }
    }
}
