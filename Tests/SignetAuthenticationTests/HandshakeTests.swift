import Synchronization
import Testing

@testable import SignetAuthentication

/// Schemes of several messages, where something goes wrong between them.
@Suite struct HandshakeTests {
    private static let account = Credentials.account(user: "u", password: "p", domain: "D")
    private static let request = AuthenticationRequest(method: "GET", target: "/", content: [])

    /// Fails with the given code in place of giving a ticket.
    private final class Kerberos: NegotiateMechanism {
        let code: AuthenticationError.Code
        let logins = Mutex(0)
        init(_ code: AuthenticationError.Code) { self.code = code }

        func context(
            host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
        ) async throws -> any NegotiateContext {
            logins.withLock { $0 += 1 }
            await Task.yield()
            throw AuthenticationError(code, "as told")
        }
    }

    private func policy(_ schemes: [AuthenticationScheme]) -> AuthenticationPolicy {
        var policy = AuthenticationPolicy(credentials: .fixed(Self.account))
        policy.schemes = schemes
        policy.ntlmHosts = ["h"]
        return policy
    }

    private func begin(_ session: AuthenticationSession) throws -> AuthenticationExchange {
        try session.begin(scheme: "https", host: "h", port: 443)
    }

    @Test func aPasswordThatKerberosRefusesIsTriedOnce() async throws {
        let kerberos = Kerberos(.credentialsRefused)
        var policy = policy([.negotiate])
        policy.kerberos = kerberos
        policy.ntlmHosts = []
        let session = AuthenticationSession(policy)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let error = await #expect(throws: AuthenticationError.self) {
                        var exchange = try begin(session)
                        defer { session.finish(&exchange, status: nil) }
                        try await session.challenged(&exchange, status: 401, fields: ["Negotiate"])
                        _ = try await session.authorization(&exchange, for: Self.request, over: .any)
                    }
                    #expect(error?.code == .credentialsRefused)
                }
            }
        }
        #expect(kerberos.logins.withLock { $0 } == 1)
    }

    /// Without a ticket NTLM may be used, over the user's own connection; and waiting calls continue.
    @Test func withoutATicketAnotherSchemeIsTried() async throws {
        var policy = policy([.negotiate, .basic])
        policy.ntlmHosts = []
        policy.kerberos = Kerberos(.noTicket)
        let session = AuthenticationSession(policy)
        var exchange = try begin(session)
        try await session.challenged(&exchange, status: 401, fields: ["Negotiate, Basic realm=\"r\""])
        let basic = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(basic?.hasPrefix("Basic ") == true)
        session.finish(&exchange, status: 200)
        var wide = self.policy([.negotiate, .ntlm])
        wide.kerberos = Kerberos(.noTicket)
        let other = AuthenticationSession(wide)
        exchange = try begin(other)
        try await other.challenged(&exchange, status: 401, fields: ["Negotiate, NTLM"])
        // Within Negotiate there is NTLM, too.
        let field = try await other.authorization(&exchange, for: Self.request, over: .any)
        #expect(field?.hasPrefix("Negotiate ") == true)
        other.finish(&exchange, status: nil)
    }

    @Test(arguments: ["NTLM", "NTLM TlRMTVNTUAACAAAA"])
    func anAnswerToTheLastMessageThatIsNoChallengeMessageRefuses(last: String) async throws {
        let session = AuthenticationSession(policy([.ntlm]))
        var exchange = try begin(session)
        try await session.challenged(&exchange, status: 401, fields: ["NTLM"])
        let first = try await session.authorization(&exchange, for: Self.request, over: .any)
        try await session.challenged(&exchange, status: 401, fields: ["NTLM \(NTLMMessages.challenge)"])
        let second = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(first != nil && second != nil && first != second)
        await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&exchange, status: 401, fields: [last])
        }
        session.finish(&exchange, status: nil)
        // It is not tried again.
        var next = try begin(session)
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&next, status: 401, fields: ["NTLM"])
        }
        #expect(error?.code == .credentialsRefused)
        session.finish(&next, status: nil)
    }

    /// A server that accepts the first message of a handshake has not checked the password.
    @Test(arguments: [200, 500]) func aHandshakeThatIsNotOverProvesNothing(status: Int) async throws {
        let session = AuthenticationSession(policy([.ntlm]))
        var exchange = try begin(session)
        try await session.challenged(&exchange, status: 401, fields: ["NTLM"])
        _ = try await session.authorization(&exchange, for: Self.request, over: .any)
        #expect(!exchange.isProofComplete)
        session.finish(&exchange, status: status)
        var next = try begin(session)
        #expect(next.user == nil)
        session.finish(&next, status: nil)
    }

    @Test func anotherConnectionRestartsTheHandshake() async throws {
        let session = AuthenticationSession(policy([.ntlm]))
        var exchange = try begin(session)
        try await session.challenged(&exchange, status: 401, fields: ["NTLM"])
        let first = try await session.authorization(&exchange, for: Self.request, over: .init(number: 1))
        try await session.challenged(&exchange, status: 401, fields: ["NTLM \(NTLMMessages.challenge)"])
        let again = try await session.authorization(&exchange, for: Self.request, over: .init(number: 2))
        #expect(first == again)
        session.finish(&exchange, status: nil)
    }
}
