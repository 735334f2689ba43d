import Synchronization
import Testing

@testable import SignetAuthentication

/// The information that a source of credentials gets.
@Suite struct QuestionTests {
    private func asked(
        _ fields: [[String]], answers: [Credentials?], policy change: (inout AuthenticationPolicy) -> Void = { _ in }
    ) async throws -> [CredentialQuestion] {
        let questions = Mutex<[CredentialQuestion]>([])
        var policy = AuthenticationPolicy(
            credentials: .asking { question in
                let number = questions.withLock { questions in
                    questions.append(question)
                    return questions.count - 1
                }
                return number < answers.count ? answers[number] : nil
            })
        change(&policy)
        let session = AuthenticationSession(policy)
        for exchangeFields in fields {
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            let request = AuthenticationRequest(method: "GET", target: "/", content: [])
            _ = try await session.authorization(&exchange, for: request, over: .any)
            for field in exchangeFields {
                do { try await session.challenged(&exchange, status: 401, fields: [field]) } catch { break }
                _ = try await session.authorization(&exchange, for: request, over: .any)
            }
            session.finish(&exchange, status: 200)
        }
        return questions.withLock { $0 }
    }

    private let one = Credentials.account(user: "u", password: "1")
    private let two = Credentials.account(user: "u", password: "2")

    @Test func questionsStateTheirReason() async throws {
        let basic = "Basic realm=\"a\""
        let rejected = try await asked([[basic, basic]], answers: [one, two])
        #expect(rejected.map(\.reason) == [.first, .rejected])
        #expect(rejected.map(\.attempt) == [1, 2])
        #expect(rejected.map(\.space.realm) == ["a", "a"])
        let changed = try await asked([[basic], ["Basic realm=\"b\""]], answers: [one, two])
        #expect(changed.map(\.reason) == [.first, .realmChanged])
        let token = "Bearer realm=\"a\", error=\"invalid_token\""
        let expired = try await asked(
            [["Bearer realm=\"a\""], [token]], answers: [.bearer("x"), .bearer("y")])
        #expect(expired.map(\.reason) == [.first, .expired])
    }

    @Test(arguments: [
        ("Basic realm=\"a\"", AuthenticationScheme.basic, true, false),
        ("Digest realm=\"a\", nonce=\"n\", qop=\"auth\"", .digest, true, false),
        ("NTLM", .ntlm, true, true),
        ("Negotiate", .negotiate, false, false),
        ("Bearer", .bearer, false, false),
    ])
    func questionsStateWhatTheAnswerMustContain(
        field: String, scheme: AuthenticationScheme, account: Bool, domain: Bool
    ) async throws {
        let questions = try await asked([[field]], answers: []) {
            $0.schemes = [.negotiate, .ntlm, .bearer, .digest, .basic]
            $0.ntlmHosts = ["h"]
        }
        let question = try #require(questions.first)
        #expect(question.scheme == scheme)
        #expect(question.requiresUserNameAndPassword == account)
        #expect(question.requiresAccountDomain == domain)
    }

    @Test func anAnswerOfTheWrongKindIsAnError() async throws {
        let session = AuthenticationSession(.init(credentials: .asking { _ in .bearer("t") }))
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"a\""])
        }
        #expect(error?.code == .invalidCredentials)
        session.finish(&exchange, status: nil)
    }

    /// A ticket does not serve a scheme for passwords, nor a password a scheme for tickets: the client takes
    /// another scheme that the server offers.
    @Test func credentialsServeOnlyTheirSchemes() async throws {
        func scheme(_ credentials: Credentials) async throws -> String? {
            var policy = AuthenticationPolicy(credentials: .fixed(credentials))
            policy.schemes = [.negotiate, .bearer, .oauth1, .digest, .basic]
            policy.ntlmHosts = []
            let session = AuthenticationSession(policy)
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            defer { session.finish(&exchange, status: nil) }
            let fields = ["Negotiate, Bearer, OAuth realm=\"o\", Basic realm=\"a\""]
            try await session.challenged(&exchange, status: 401, fields: fields)
            return exchange.carriedScheme
        }
        #expect(try await scheme(one) == "Basic")
        #expect(try await scheme(.bearer("t")) == "Bearer")
        #expect(try await scheme(.consumer(.init(key: "k", secret: "s"))) == "OAuth")
        await #expect(throws: AuthenticationError.self) { try await scheme(.ticket) }
    }
}
