import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct AuthenticationTests {
    let peer: Peer
    let base: String
    let trust: TrustPolicy
    private let right = Credentials.account(user: "service", password: "right")
    private let wrong = Credentials.account(user: "service", password: "wrong")

    init() throws {
        let authority = try CertificateAuthority()
        peer = try Peer(identity: authority.issueServer(dnsNames: ["localhost"]))
        base = "https://localhost:\(peer.port)"
        trust = .anchors(authority.bundle)
    }

    private func with(
        _ policy: AuthenticationPolicy, _ body: (NIOTransport) async throws -> Void
    ) async throws {
        try await withTransport(
            base,
            {
                $0.trust = trust
                $0.authentication = policy
            }, body)
    }

    private var sent: [Bool] { get throws { try peer.requests.map { $0.fields?["authorization"] != nil } } }

    @Test func credentialsWaitForAChallenge() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            let response = try await transport.call("\(base)/private", body: "content")
            #expect(response.text == "secret")
            #expect(
                response.report.legs == [
                    .init(status: 401, challenges: ["Negotiate", "Basic"]),
                    .init(status: 200, authorization: "Basic"),
                ])
            #expect(!response.report.connection.reused)
            #expect(response.report.connection.establishment > .zero)
            let next = try await transport.call("\(base)/private/other")
            #expect(next.report.legs == [.init(status: 200, authorization: "Basic")])
        }
        #expect(try sent == [false, true, true])
        // The same connection, and the body sent twice.
        #expect(try Set(peer.requests.map(\.connection)) == [1])
        #expect(try peer.requests.prefix(2).map(\.body) == ["content", "content"])
    }

    @Test func theSecondLegMayNeedAnotherConnection() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            let response = try await transport.call("\(base)/private/closing", body: "content")
            #expect(response.text == "secret")
            #expect(response.report.connection.number == 2)
        }
        #expect(try sent == [false, true])
    }

    @Test func withoutAChallengeNoCredentialsAreSent() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            try await transport.call("\(base)/ok")
        }
        #expect(try sent == [false])
    }

    @Test func aWrongPasswordIsAskedForOnceMore() async throws {
        let questions = Mutex<[Bool]>([])
        let policy = AuthenticationPolicy(
            credentials: .asking { question in
                questions.withLock { $0.append(question.reason == .rejected) }
                return .account(user: "service", password: question.reason == .rejected ? "worse" : "wrong")
            })
        try await with(policy) { transport async throws in
            let error = await #expect(throws: AuthenticationError.self) { try await transport.call("\(base)/private") }
            #expect(error?.code == .credentialsRefused)
            #expect(error?.space?.realm == "r")
            // What the server said beside it may be a fault.
            #expect(error?.content != nil)
        }
        #expect(questions.withLock { $0 } == [false, true])
        #expect(try sent == [false, true, true])
    }

    @Test func aWrongFixedPasswordIsSentOnceForAllCalls() async throws {
        try await with(.init(credentials: .fixed(wrong))) { transport async throws in
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<20 {
                    group.addTask {
                        let error = await #expect(throws: AuthenticationError.self) {
                            try await transport.call("\(base)/private")
                        }
                        return error?.code == .credentialsRefused
                    }
                }
                return await group.reduce(true) { $0 && $1 }
            }
            #expect(refused)
        }
        #expect(try sent.count { $0 } == 1)
    }

    @Test(arguments: ["unsaid", "malformed", "unknown"])
    func aPasswordRefusedWithoutAUsableChallengeIsNotSentAgain(how: String) async throws {
        for early in [false, true] {
            let before = try sent.count { $0 }
            try await with(.init(credentials: .fixed(wrong), sendsWithoutChallenge: early)) { transport async throws in
                for _ in 0..<5 {
                    await #expect(throws: AuthenticationError.self) {
                        try await transport.call("\(base)/refused/\(how)")
                    }
                }
            }
            // Sent early it belongs to the origin, and was not refused by the realm that is named afterwards.
            #expect(try sent.count { $0 } <= before + (early ? 2 : 1))
        }
    }

    @Test(arguments: [200, 204, 500]) func someAnswersShowThatCredentialsAreAccepted(status: Int) async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            try await transport.call("\(base)/status/\(status)")
            #expect(try await transport.call("\(base)/status/\(status)").report.legs.map(\.status) == [status])
            // They are known to be good below /status only, until the server names the same realm for another path.
            #expect(try await transport.call("\(base)/private").report.legs.map(\.status) == [401, 200])
            #expect(try await transport.call("\(base)/private").report.legs.map(\.status) == [200])
        }
    }

    @Test(arguments: [302, 403, 404, 429, 503]) func otherAnswersShowNoAcceptance(status: Int) async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            #expect(try await transport.call("\(base)/status/\(status)").report.legs.map(\.status) == [401, status])
            #expect(try await transport.call("\(base)/private").report.legs.map(\.status) == [401, 200])
            #expect(try await transport.call("\(base)/private").report.legs.map(\.status) == [200])
        }
    }

    @Test func callersWithTheirOwnFieldAreLeftAlone() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            let response = try await transport.call("\(base)/private", fields: [.authorization: "Bearer abc"])
            #expect(response.status == .unauthorized)
        }
        #expect(try peer.requests.map { $0.fields?["authorization"] } == ["Bearer abc"])
    }

    @Test func challengesThatCannotBeAnsweredAreErrors() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            for (path, code) in [
                ("/407", AuthenticationError.Code.unexpectedProxyChallenge), ("/negotiate", .noUsableScheme),
            ] {
                let error = await #expect(throws: AuthenticationError.self) { try await transport.call(base + path) }
                #expect(error?.code == code)
            }
        }
        #expect(try sent == [false, false])
    }

    @Test func aQuestionThatIsNeverAnsweredEnds() async throws {
        let policy = AuthenticationPolicy(
            credentials: .asking { _ in
                await withUnsafeContinuation { (_: UnsafeContinuation<Credentials?, Never>) in }
            })
        try await with(policy) { transport async throws in
            let error = try await transport.failure("\(base)/private") { $0.deadlines.total = .milliseconds(500) }
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test func overPlainHTTPNothingIsSentUnlessAllowed() async throws {
        let plain = try Peer()
        let url = "http://127.0.0.1:\(plain.port)/private"
        try await withTransport(url, { $0.authentication.credentials = .fixed(right) }) { transport async throws in
            let error = await #expect(throws: AuthenticationError.self) { try await transport.call(url) }
            #expect(error?.code == .insecureChannel)
        }
        #expect(try plain.requests.map { $0.fields?["authorization"] } == [nil])
        try await withTransport(
            url, { $0.authentication = .init(credentials: .fixed(right), allowsPlaintext: true) }
        ) { transport async throws in
            #expect(try await transport.call(url).text == "secret")
        }
    }

    /// Something between closes each connection behind its answer: NTLM never gets to the password, which stays good.
    ///
    /// - Parameter isSaid: whether it announces that. If not, the connection ends behind the client's last message.
    @Test(arguments: [true, false]) func ntlmWithoutLastingConnectionsIsExplained(isSaid: Bool) async throws {
        let close = isSaid ? "Connection: close\r\n" : ""
        func answer(_ challenge: String) -> [ServerStep] {
            [.read, .send("HTTP/1.1 401 No\r\nWWW-Authenticate: \(challenge)\r\n\(close)Content-Length: 0\r\n\r\n")]
        }
        let second =
            "NTLM TlRMTVNTUAACAAAAAAAAAAAAAAAVgogAbm9uY2Vub24AAAAAAAAAABYAFgAwAAAAAgACAEQABwAIAAABAgMEBQYHAAAAAA=="
        let server = try ScriptedServer([
            isSaid
                ? [answer("NTLM") + [.close], answer(second) + [.close]]
                : [answer("NTLM") + [.stall], answer(second) + [.read, .close]]
        ])
        let port = try #require(server.ports.first)
        let url = "http://127.0.0.1:\(port)/x"
        try await withTransport(
            url,
            {
                $0.authentication = .init(credentials: .fixed(right))
                $0.authentication.schemes = [.ntlm]
                $0.authentication.ntlmHosts = ["127.0.0.1"]
            }
        ) { transport async throws in
            guard isSaid else {
                let error = await #expect(throws: TransportError.self) { try await transport.call(url) }
                #expect(error?.code == .connectionClosed && error?.mayHaveBeenProcessed == true)
                #expect(error?.message.contains("neither accepts nor refuses") == true, "\(error?.message ?? "")")
                return
            }
            for _ in 0..<2 {
                let error = await #expect(throws: AuthenticationError.self) { try await transport.call(url) }
                #expect(error?.code == .undecided)
                #expect(error?.message.contains("The password was not tried") == true, "\(error?.message ?? "")")
            }
        }
        guard isSaid else { return }
        // No message holds anything of the password.
        let sent = server.requests(at: port).compactMap { request in
            request.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("authorization: ") }
        }
        #expect(sent.count >= 2 && Set(sent).count == 1)
    }

    /// Wherever a redirect leads, credentials do not follow, and the error says so.
    @Test func anotherOriginThatAsksIsNamed() async throws {
        try await with(.init(credentials: .fixed(right))) { transport async throws in
            let other = try Peer()
            let url = "http://127.0.0.1:\(other.port)/private"
            let error = await #expect(throws: AuthenticationError.self) { try await transport.call(url) }
            #expect(error?.code == .credentialsRequired)
            #expect(error?.message.contains("also after a redirect") == true, "\(error?.message ?? "")")
            #expect(try other.requests.allSatisfy { $0.fields?["authorization"] == nil })
        }
    }

    @Test func secretsAreNeitherLoggedNorReported() async throws {
        let logs = LogCollector()
        let secrets = ["canary-password", "c2VydmljZTpjYW5hcnktcGFzc3dvcmQ=", "canary-body", "canary-token"]
        try await withTransport(
            base,
            {
                $0.trust = trust
                $0.logger = logs.logger
                $0.authentication.credentials = .fixed(.account(user: "service", password: "canary-password"))
            }
        ) { transport async throws in
            let error = await #expect(throws: AuthenticationError.self) {
                try await transport.call("\(base)/private", body: "canary-body")
            }
            let response = try await transport.call(
                "\(base)/private", body: "canary-body", fields: [.authorization: "Bearer canary-token"])
            let lost = try await transport.failure("\(base)/drop") { $0.body = HTTPBody(Array("canary-body".utf8)) }
            var dumped = ""
            dump(response.report, to: &dumped)
            dump(error, to: &dumped)
            dump(lost, to: &dumped)
            for text in [dumped, logs.text, "\(response.report)", "\(String(reflecting: error))"] {
                for secret in secrets { #expect(!text.contains(secret)) }
            }
        }
        #expect(logs.text.contains("connection opened"))
        #expect(logs.text.contains("trace exchange"))
        #expect(try peer.requests.contains { $0.body == "canary-body" })
    }
}
