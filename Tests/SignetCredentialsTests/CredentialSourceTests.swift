import SignetAuthentication
import Synchronization
import Testing

@testable import SignetCredentials

@Suite struct CredentialSourceTests {
    private func space(_ realm: String, isProxy: Bool = false) -> ProtectionSpace {
        .init(scheme: "https", host: "h.example", port: 443, realm: realm, isProxy: isProxy)
    }

    private func store() async throws -> MemoryCredentialStore {
        let store = MemoryCredentialStore()
        for (space, path, scheme, account) in [
            (space("r"), "", nil, "anybody"), (space("r"), "/deep", nil, "deep"), (space("r"), "", "bearer", "service"),
            (space("other"), "", nil, "other"), (space("r", isProxy: true), "", nil, "proxy"),
        ] as [(ProtectionSpace, String, String?, String)] {
            try await store.add(
                StoredCredential(
                    key: CredentialKey(space: space, path: path, scheme: scheme, account: account),
                    secret: SecretBytes("secret of \(account)"), persistence: .session))
        }
        return store
    }

    private func answer(
        _ source: CredentialSource, _ space: ProtectionSpace, path: String = "/x",
        _ scheme: AuthenticationScheme = .digest
    ) async throws -> Credentials? {
        try await source.answer(.init(space: space, path: path, scheme: scheme))
    }

    @Test func everyProtectionSpaceGetsItsOwnCredentials() async throws {
        let source = CredentialSource.stored(in: try await store())
        #expect(
            try await answer(source, space("r")) == .account(user: "anybody", password: "secret of anybody"))
        #expect(
            try await answer(source, space("r"), path: "/deep/er") == .account(user: "deep", password: "secret of deep")
        )
        #expect(try await answer(source, space("r"), .bearer) == .bearer("secret of service"))
        #expect(
            try await answer(source, space("r", isProxy: true)) == .account(user: "proxy", password: "secret of proxy"))
        #expect(try await answer(source, space("none")) == nil)
        let store = try await store()
        try await store.add(
            StoredCredential(
                key: CredentialKey(space: space(""), account: "all"), secret: SecretBytes("p"), persistence: .session))
        let wide = CredentialSource.stored(in: store)
        #expect(try await answer(wide, space("none")) == .account(user: "all", password: "p"))
        #expect(try await answer(wide, space("other")) == .account(user: "other", password: "secret of other"))
        #expect(try await answer(wide, space("none", isProxy: true)) == nil)
    }

    /// A whole exchange: what is refused is not given again, and a person is asked.
    @Test func aPersonIsAskedAfterStoredCredentialsAreRefused() async throws {
        let store = try await store()
        let source = CredentialSource.stored(in: store) { question in
            #expect(question.reason == .rejected)
            return .account(user: "anybody", password: "right")
        }
        let session = AuthenticationSession(.init(credentials: source))
        var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        for _ in 0..<2 { try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""]) }
        let field = try await session.authorization(
            &exchange, for: .init(method: "GET", target: "/x", content: []), over: .init(number: 1))
        // Base64 of anybody:right
        #expect(field == "Basic YW55Ym9keTpyaWdodA==")
        session.finish(&exchange, status: 200)
    }

    /// What a person has answered is kept when the server has accepted it, in place of what it has refused, and not
    /// before.
    @Test(arguments: [(200, true), (500, true), (401, false), (404, false)])
    func acceptedCredentialsAreKept(status: Int, isKept: Bool) async throws {
        let store = try await store()
        for (realm, user) in [("r", "anybody"), ("new", "anna")] {
            let source = CredentialSource.stored(in: store, keeping: .session) { _ in
                .account(user: user, password: "right", domain: realm == "new" ? "CORP" : "")
            }
            let session = AuthenticationSession(.init(credentials: source))
            var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
            for _ in 0..<(realm == "r" ? 2 : 1) {
                try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"\(realm)\""])
            }
            await session.keep(&exchange, status: status)
            session.finish(&exchange, status: status)
        }
        let old = await store.find(.init(space: space("r"), path: "/x", account: "anybody"))
        #expect(old.map(\.secret.text) == [isKept ? "right" : "secret of anybody"])
        let new = await store.find(.init(space: space("new")))
        // Basic has sent the name alone.
        #expect(new.map(\.key.account) == (isKept ? ["anna"] : []))
        if isKept {
            let again = CredentialSource.stored(in: store)
            #expect(try await answer(again, space("new")) == .account(user: "anna", password: "right"))
        }
        #expect(await store.find(.init(space: space("r"), path: "/deep", account: "deep")).count == 1)
    }

    /// The domain is part of the name where it was sent.
    @Test func domainsAreStoredWithTheAccount() async throws {
        let store = MemoryCredentialStore()
        let source = CredentialSource.stored(in: store, keeping: .session)
        let keep = try #require(source.keep)
        let question = CredentialQuestion(space: space(""), scheme: .ntlm)
        await keep(.account(user: "anna", password: "p", domain: "CORP"), question)
        #expect(await store.list(.init()).map(\.key.account) == ["CORP\\anna"])
        #expect(
            try await source.answer(question) == .account(user: "anna", password: "p", domain: "CORP"))
    }

    /// What the store has given itself stays where it is, and alone.
    @Test func storedCredentialsAreNotKeptTwice() async throws {
        let store = MemoryCredentialStore()
        try await store.add(
            StoredCredential(
                key: CredentialKey(space: space(""), account: "u"), secret: SecretBytes("p"), persistence: .session))
        let session = AuthenticationSession(.init(credentials: .stored(in: store, keeping: .permanent)))
        var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""])
        await session.keep(&exchange, status: 200)
        session.finish(&exchange, status: 200)
        #expect(await store.list(.init()).map(\.key.space.realm) == [""])
    }

    /// Other calls do not wait for the store.
    @Test func keepingDoesNotBlockOtherCalls() async throws {
        let store = SlowStore()
        let session = AuthenticationSession(
            .init(credentials: .stored(in: store, keeping: .permanent) { _ in .account(user: "u", password: "p") }))
        var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""])
        let keeping = Task { [exchange] in
            var exchange = exchange
            await session.keep(&exchange, status: 200)
            session.finish(&exchange, status: 200)
        }
        await store.isAsked()
        var other = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        #expect(other.isValid)
        session.finish(&other, status: 200)
        store.goOn()
        await keeping.value
    }

    /// A person who has given up once is asked again, and the store's wrong password is not sent a second time.
    @Test func aPersonIsAskedAgain() async throws {
        let store = try await store()
        let answers = Mutex<[Credentials?]>([nil, .account(user: "anybody", password: "right")])
        let source = CredentialSource.stored(in: store) { _ in
            answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        }
        let session = AuthenticationSession(.init(credentials: source))
        for isLast in [false, true] {
            var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
            var sent: [String] = []
            do {
                for _ in 0..<(isLast ? 1 : 2) {
                    try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""])
                    sent.append(
                        try await session.authorization(
                            &exchange, for: .init(method: "GET", target: "/x", content: []), over: .init(number: 1))
                            ?? "")
                }
                #expect(isLast && sent == ["Basic YW55Ym9keTpyaWdodA=="])
            } catch let error as AuthenticationError {
                #expect(!isLast && error.code == .credentialsRefused && sent.count == 1)
            }
            session.finish(&exchange, status: isLast ? 200 : nil)
        }
        #expect(answers.withLock { $0.isEmpty })
    }

    /// Before a challenge, an account is sent as Basic, and a token as Bearer.
    @Test(arguments: ["", "bearer"]) func accountsAreSentAsBasicAndTokensAsBearerUnasked(scheme: String) async throws {
        let store = MemoryCredentialStore()
        try await store.add(
            StoredCredential(
                key: CredentialKey(space: space(""), scheme: scheme.isEmpty ? nil : scheme, account: "u"),
                secret: SecretBytes("p"), persistence: .session))
        let asking = CredentialSource.asking { _ in
            scheme.isEmpty ? .account(user: "u", password: "p") : .bearer("p")
        }
        for source in [CredentialSource.stored(in: store), asking] {
            let session = AuthenticationSession(.init(credentials: source, sendsWithoutChallenge: true))
            var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
            #expect(exchange.needsPreparation)
            try await session.prepare(&exchange)
            let field = try await session.authorization(
                &exchange, for: .init(method: "GET", target: "/x", content: []), over: .init(number: 1))
            #expect(field == (scheme.isEmpty ? "Basic dTpw" : "Bearer p"))
            session.finish(&exchange, status: 200)
        }
    }

    @Test func credentialsAreNotKeptByDefault() async throws {
        let store = MemoryCredentialStore()
        let source = CredentialSource.stored(in: store) { _ in .account(user: "u", password: "p") }
        let session = AuthenticationSession(.init(credentials: source))
        var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""])
        await session.keep(&exchange, status: 200)
        session.finish(&exchange, status: 200)
        #expect(await store.list(.init()).isEmpty)
    }

    @Test func aStoreThatCannotKeepReportsAnError() async throws {
        let failures = Mutex<[CredentialStoreError.Code?]>([])
        let source = CredentialSource.stored(in: FullStore(), keeping: .permanent) { _ in
            .account(user: "u", password: "p")
        } notKept: { error in
            failures.withLock { $0.append((error as? CredentialStoreError)?.code) }
        }
        let session = AuthenticationSession(.init(credentials: source))
        var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
        try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"r\""])
        await session.keep(&exchange, status: 200)
        session.finish(&exchange, status: 200)
        #expect(failures.withLock { $0 } == [.notFound])
    }

    /// A password is never shown as a token, whatever the server would like best.
    @Test func aPasswordIsNoToken() async throws {
        let store = MemoryCredentialStore()
        try await store.add(
            StoredCredential(
                key: CredentialKey(space: space("r"), account: "u"), secret: SecretBytes("p"), persistence: .session))
        for source in [CredentialSource.stored(in: store), .stored(in: store) { _ in nil }] {
            let session = AuthenticationSession(.init(credentials: source))
            var exchange = try session.begin(scheme: "https", host: "h.example", port: 443, path: "/x")
            let fields = ["Bearer realm=\"r\", OAuth realm=\"r\", Digest realm=\"r\", nonce=\"n\", qop=\"auth\""]
            try await session.challenged(&exchange, status: 401, fields: fields)
            #expect(exchange.scheme == .digest)
            session.finish(&exchange, status: 200)
            var other = try session.begin(scheme: "https", host: "h.example", port: 444, path: "/x")
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&other, status: 401, fields: ["Bearer realm=\"r\""])
            }
            #expect(error?.code == .credentialsRequired)
            session.finish(&other, status: nil)
        }
    }
}

/// Has room for nothing.
private struct FullStore: CredentialStore {
    func find(_ query: CredentialQuery) async throws -> [StoredCredential] { [] }
    func list(_ query: CredentialQuery) async throws -> [CredentialEntry] { [] }
    func add(_ credential: StoredCredential) async throws { throw CredentialStoreError(.notFound, "There is no room.") }
    func update(_ key: CredentialKey, with change: CredentialChange) async throws {}
    func remove(_ key: CredentialKey) async throws -> Bool { false }
}

/// Takes its time to keep something.
private final class SlowStore: CredentialStore {
    private let asked = AsyncStream<Void>.makeStream()
    private let goes = AsyncStream<Void>.makeStream()

    func isAsked() async { for await _ in asked.stream { return } }
    func goOn() { goes.continuation.finish() }

    func find(_ query: CredentialQuery) async throws -> [StoredCredential] { [] }
    func list(_ query: CredentialQuery) async throws -> [CredentialEntry] { [] }
    func add(_ credential: StoredCredential) async throws {
        asked.continuation.yield()
        for await _ in goes.stream {}
    }
    func update(_ key: CredentialKey, with change: CredentialChange) async throws {}
    func remove(_ key: CredentialKey) async throws -> Bool { false }
}
