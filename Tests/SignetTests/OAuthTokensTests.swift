import HTTPTypes
import Signet
import SignetOAuth
import Synchronization
import Testing

/// What an authorization server may answer, and when the client requests a new token.
@Suite struct OAuthTokensTests {
    /// An authorization server in memory: answers one after the other, the last one for ever.
    private final class Server: ClientTransport {
        private let answers: [(status: Int, body: String)]
        private let asked = Mutex(0)
        let time = Mutex<Int64>(1_000)

        init(_ answers: [(status: Int, body: String)]) { self.answers = answers }

        var requests: Int { asked.withLock { $0 } }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            await Task.yield()
            let number = asked.withLock { asked in
                asked += 1
                return min(asked, answers.count) - 1
            }
            let answer = answers[number]
            return ClientResponse(
                status: .init(code: answer.status), fields: [:], body: Array(answer.body.utf8), report: .init())
        }

        func shutdown() async throws {}
    }

    private func tokens(_ server: Server) throws -> OAuthTokens {
        let configuration = OAuthTokens.Configuration(
            endpoint: try Endpoint("https://login.example/token"), client: .secret(id: "c", "s"))
        return OAuthTokens(configuration, transport: server, now: { server.time.withLock { $0 } })
    }

    private let question = CredentialQuestion(
        space: .init(scheme: "https", host: "h", port: 443, realm: "r"), scheme: .bearer)

    private func answer(_ token: String, expires: String = "100") -> (status: Int, body: String) {
        (200, #"{"access_token": "\#(token)", "token_type": "bearer", "expires_in": \#(expires)}"#)
    }

    @Test func aTokenIsRenewedBeforeItExpires() async throws {
        let server = Server([answer("a"), answer("b", expires: "\"100\""), answer("c")])
        let tokens = try tokens(server)
        // 30 s before its end at 1100 it is not used any more.
        for (time, wanted) in [(1_000, "a"), (1_069, "a"), (1_070, "b"), (1_139, "b"), (1_140, "c")] {
            server.time.withLock { $0 = Int64(time) }
            #expect(
                try await tokens.token(for: question)
                    == AccessToken(wanted, expires: wanted == "a" ? 1_100 : wanted == "b" ? 1_170 : 1_240))
        }
        #expect(server.requests == 3)
    }

    @Test func concurrentCallersShareOneRequest() async throws {
        let server = Server([answer("a")])
        let tokens = try tokens(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await tokens.token(for: question) } }
            try await group.waitForAll()
        }
        #expect(server.requests == 1)
    }

    @Test(arguments: [
        (401, #"{"error": "invalid_client"}"#, AuthenticationError.Code.credentialsRefused, 1),
        (400, #"{"error": "invalid_client", "error_description": "no\u0007\nsuch"}"#, .credentialsRefused, 1),
        (400, #"{"error": "invalid_scope"}"#, .sourceFailed, 3), (503, "busy", .sourceFailed, 3),
        (200, "{}", .sourceFailed, 3), (200, #"{"access_token": "x", "token_type": "mac"}"#, .sourceFailed, 3),
        (200, #"{"access_token": 5, "token_type": "bearer"}"#, .sourceFailed, 3), (200, "", .sourceFailed, 3),
    ])
    func answersWithoutATokenAreErrors(status: Int, body: String, code: AuthenticationError.Code, requests: Int)
        async throws
    {
        let server = Server([(status, body)])
        let tokens = try tokens(server)
        for _ in 0..<3 {
            let error = await #expect(throws: AuthenticationError.self) { try await tokens.token(for: question) }
            #expect(error?.code == code)
            #expect(error?.message.unicodeScalars.contains { $0.value < 0x20 } == false)
        }
        // The client does not repeat the request after `invalid_client`.
        #expect(server.requests == requests)
    }

    @Test(arguments: ["-5", "1e300", "99999999999999999999", "\"x\"", "0.5"]) func oddLifetimes(expires: String)
        async throws
    {
        let server = Server([answer("a", expires: expires)])
        let token = try await tokens(server).token(for: question)
        #expect(token.expires.map { $0 >= 1_000 } == true)
    }

    @Test func neverOverPlainHTTP() async throws {
        let server = Server([answer("a")])
        let configuration = OAuthTokens.Configuration(
            endpoint: try Endpoint("http://login.example/token"), client: .secret(id: "c", "s"))
        let tokens = OAuthTokens(configuration, transport: server)
        let error = await #expect(throws: AuthenticationError.self) { try await tokens.token(for: question) }
        #expect(error?.code == .insecureChannel)
        #expect(server.requests == 0)
    }
}
