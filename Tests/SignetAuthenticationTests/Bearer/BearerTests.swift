import Synchronization
import Testing

@testable import SignetAuthentication

/// RFC 6750.
@Suite struct BearerTests {
    /// Hands out t1, t2 …; a new one when the last was refused.
    private final class Source: TokenSource {
        let state = Mutex<(number: Int, questions: [CredentialQuestion.Reason])>((1, []))

        func token(for question: CredentialQuestion) async throws -> AccessToken {
            await Task.yield()
            return state.withLock { state in
                if question.refusedToken == "t\(state.number)" { state.number += 1 }
                state.questions.append(question.reason)
                return AccessToken("t\(state.number)")
            }
        }
    }

    private func call(
        _ session: AuthenticationSession, accepting token: String, error: String = ""
    ) async throws -> [String?] {
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
        if exchange.needsPreparation { try await session.prepare(&exchange) }
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        var sent: [String?] = []
        let request = AuthenticationRequest(method: "GET", target: "/", content: [])
        while true {
            sent.append(try await session.authorization(&exchange, for: request, over: .any))
            if sent.last == "Bearer \(token)" { break }
            try await session.challenged(&exchange, status: 401, fields: ["Bearer realm=\"r\"\(error)"])
        }
        status = 200
        return sent
    }

    @Test func aTokenIsGotWhenAskedForAndRenewedOnce() async throws {
        let source = Source()
        let session = AuthenticationSession(.init(credentials: .tokens(source)))
        #expect(try await call(session, accepting: "t1") == [nil, "Bearer t1"])
        #expect(try await call(session, accepting: "t1") == ["Bearer t1"])
        #expect(
            try await call(session, accepting: "t2", error: ", error=\"invalid_token\"") == ["Bearer t1", "Bearer t2"])
        #expect(source.state.withLock { $0.questions } == [.first, .first, .first, .expired])
        let error = await #expect(throws: AuthenticationError.self) { try await call(session, accepting: "never") }
        #expect(error?.code == .credentialsRefused)
        // The next call tries with what there is then.
        #expect(try await call(session, accepting: "t3").last == "Bearer t3")
    }

    /// §2.1
    @Test func theFieldMatchesTheStandardsExample() async throws {
        let policy = AuthenticationPolicy(credentials: .fixed(.bearer("mF_9.B5f-4.1JqM")), sendsWithoutChallenge: true)
        let session = AuthenticationSession(policy)
        var exchange = try session.begin(scheme: "https", host: "server.example.com", port: 443, path: "/resource")
        #expect(exchange.needsPreparation)
        try await session.prepare(&exchange)
        let request = AuthenticationRequest(method: "GET", target: "/resource", content: [])
        let field = try await session.authorization(&exchange, for: request, over: .any)
        #expect(field == "Bearer mF_9.B5f-4.1JqM")
        session.finish(&exchange, status: 200)
    }

    /// §3: what a server says to a request without a token, and to one whose token holds no longer. Without the error
    /// it is not said that the token was good once.
    @Test(
        arguments: [
            (
                #"Bearer realm="example", error="invalid_token", error_description="The access token expired""#,
                .expired
            ),
            (#"Bearer realm="example""#, .rejected),
        ] as [(String, CredentialQuestion.Reason)])
    func theChallengesOfTheStandard(second: String, reason: CredentialQuestion.Reason) async throws {
        let source = Source()
        let session = AuthenticationSession(.init(credentials: .tokens(source)))
        let request = AuthenticationRequest(method: "GET", target: "/resource", content: [])
        var exchange = try session.begin(scheme: "https", host: "server.example.com", port: 443, path: "/resource")
        try await session.challenged(&exchange, status: 401, fields: [#"Bearer realm="example""#])
        #expect(exchange.realm == "example")
        let first = try await session.authorization(&exchange, for: request, over: .any)
        #expect(first == "Bearer t1")
        try await session.challenged(&exchange, status: 401, fields: [second])
        let again = try await session.authorization(&exchange, for: request, over: .any)
        #expect(again == "Bearer t2")
        session.finish(&exchange, status: 200)
        #expect(source.state.withLock { $0.questions } == [.first, reason])
    }

    @Test func manyCallsWithAnOldTokenGetOneNewOne() async throws {
        let source = Source()
        let session = AuthenticationSession(.init(credentials: .tokens(source)))
        _ = try await call(session, accepting: "t1")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let sent = try await call(session, accepting: "t2", error: ", error=\"invalid_token\"")
                    #expect(sent.last == "Bearer t2")
                }
            }
            try await group.waitForAll()
        }
        #expect(source.state.withLock { $0.number } == 2)
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "ä", "=", "a=b"]) func invalidTokensAreRefused(text: String) async throws
    {
        let session = AuthenticationSession(.init(credentials: .fixed(.bearer(text))))
        let error = await #expect(throws: AuthenticationError.self) { try await call(session, accepting: "x") }
        #expect(error?.code == .invalidCredentials)
        #expect(text.isEmpty || error?.message.contains(text) == false || text == "=")
    }

    @Test func neverInPlainHTTP() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(.bearer("t"))))
        var exchange = try session.begin(scheme: "http", host: "h", port: 80, path: "/")
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&exchange, status: 401, fields: ["Bearer"])
        }
        #expect(error?.code == .insecureChannel)
        session.finish(&exchange, status: nil)
    }

    @Test func tokensAreSentWithoutAChallengeWhenAllowed() async throws {
        let policy = AuthenticationPolicy(credentials: .fixed(.bearer("t.-_~+/==")), sendsWithoutChallenge: true)
        #expect(try await call(AuthenticationSession(policy), accepting: "t.-_~+/==") == ["Bearer t.-_~+/=="])
    }
}
