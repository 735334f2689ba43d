import Testing

@testable import SignetAuthentication

/// The server's side, with the client of this package; other clients call it in the tests of the mock.
@Suite struct NTLMServerTests {
    private let space = ProtectionSpace(scheme: "https", host: "h.example", port: 443, realm: "")
    private let account = NTLMClient.Account(user: "User", domain: "", password: "Password")

    private func answer(
        _ server: NTLMServer, user: String = "User", domain: String = "Domain", password: String = "Password"
    ) throws -> [UInt8] {
        NTLMClient.authentication(
            .init(user: user, domain: domain, password: password),
            for: try NTLMChallenge(server.challenge, space: space), service: "HTTP/h.example", channelBinding: nil,
            .now()
        ).message
    }

    private func server() throws -> NTLMServer {
        try #require(NTLMServer(answering: NTLMClient.negotiation, domain: "MOCK"))
    }

    @Test func theRightPasswordIsAccepted() throws {
        let server = try server()
        try server.check(answer(server), for: account)
        try server.check(answer(server, user: "USER", domain: ""), for: account)
        try server.check(
            answer(server, user: "Üser"), for: .init(user: "üser", domain: "DOMAIN", password: "Password"))
    }

    @Test(arguments: [
        ("User", "Domain", "password", "their password is wrong"),
        ("Other", "Domain", "Password", "they name another user"),
        ("User", "Elsewhere", "Password", "they name another domain"),
    ])
    func othersAreRefused(user: String, domain: String, password: String, why: String) throws {
        let server = try server()
        let message = try answer(server, user: user, domain: domain, password: password)
        let refusal = #expect(throws: NTLMServer.Refusal.self) {
            try server.check(message, for: .init(user: "User", domain: "Domain", password: "Password"))
        }
        #expect(refusal?.description == why)
    }

    @Test func anAnswerToAnotherChallengeIsRefused() throws {
        let message = try answer(try server())
        #expect(throws: NTLMServer.Refusal.self) { try server().check(message, for: account) }
    }

    @Test func noBytesStopTheServer() throws {
        let server = try server()
        let message = try answer(server)
        for count in 0..<message.count {
            #expect(throws: NTLMServer.Refusal.self) { try server.check(Array(message[..<count]), for: account) }
        }
        for _ in 0..<20_000 {
            var changed = message
            for _ in 0..<3 { changed[Int.random(in: 8..<64)] = .random(in: 0...255) }
            do { try server.check(changed, for: account) } catch {}
        }
        for count in 0..<NTLMClient.negotiation.count where count < 16 {
            #expect(NTLMServer(answering: Array(NTLMClient.negotiation[..<count]), domain: "") == nil)
        }
        #expect(NTLMServer(answering: message, domain: "") == nil)
    }

    @Test func versionOneIsRefused() throws {
        let server = try server()
        var message = try answer(server)
        // The length of the response.
        message[20] = 24
        message[21] = 0
        let refusal = #expect(throws: NTLMServer.Refusal.self) { try server.check(message, for: account) }
        #expect(refusal?.description.contains("version 1") == true)
    }
}
