import Synchronization
import Testing

@testable import SignetAuthentication

/// A server that knows one right password a realm and counts what it is sent.
private final class Server: Sendable {
    let realm: String
    private let right: Mutex<String?>
    private let log = Mutex<[String?]>([])

    init(realm: String = "r", right: Credentials?) throws {
        self.realm = realm
        self.right = Mutex(try right?.account.map { try BasicScheme.authorization(for: $0) })
    }

    var received: [String?] { log.withLock { $0 } }
    var failures: Int { received.count { $0 != nil && $0 != right.withLock { $0 } } }
    func change(to credentials: Credentials) throws {
        let field = try credentials.account.map { try BasicScheme.authorization(for: $0) }
        right.withLock { $0 = field }
    }

    func accepts(_ authorization: String?) -> Bool {
        log.withLock { $0.append(authorization) }
        return authorization != nil && authorization == right.withLock { $0 }
    }
}

@Suite struct AuthenticationSessionTests {
    private let good = Credentials.account(user: "u", password: "good")
    private let bad = Credentials.account(user: "u", password: "bad")

    /// Drives one exchange as a transport does.
    @discardableResult
    private func call(_ session: AuthenticationSession, _ server: Server, scheme: String = "https") async throws -> Int
    {
        var exchange = try session.begin(scheme: scheme, host: "Host.example", port: 443)
        if exchange.needsPreparation { try await session.prepare(&exchange) }
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        var legs = 1
        while !server.accepts(
            try await session.authorization(&exchange, for: .init(method: "POST", target: "/", content: [])))
        {
            await Task.yield()
            try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"\(server.realm)\""])
            legs += 1
        }
        status = 200
        return legs
    }

    private func code(_ body: () async throws -> Void) async -> AuthenticationError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? AuthenticationError)?.code }
    }

    @Test func acceptedCredentialsAreRememberedAfterAChallenge() async throws {
        let server = try Server(right: good)
        let session = AuthenticationSession(.init(credentials: .fixed(good)))
        #expect(try await call(session, server) == 2)
        #expect(try await call(session, server) == 1)
        #expect(server.received.first == .some(nil))
        #expect(server.failures == 0)
    }

    @Test func credentialsAreSentWithoutAChallengeWhenAllowed() async throws {
        let server = try Server(right: good)
        let session = AuthenticationSession(.init(credentials: .fixed(good), sendsWithoutChallenge: true))
        #expect(try await call(session, server) == 1)
        #expect(try await call(session, server) == 1)
    }

    @Test(arguments: [false, true]) func wrongFixedCredentialsAreSentOnceEver(early: Bool) async throws {
        let server = try Server(right: good)
        let session = AuthenticationSession(.init(credentials: .fixed(bad), sendsWithoutChallenge: early))
        for _ in 0..<3 { #expect(await code { try await call(session, server) } == .credentialsRefused) }
        #expect(server.failures == 1)
    }

    @Test func theSourceIsAskedOnceMore() async throws {
        let server = try Server(right: good)
        let questions = Mutex<[CredentialQuestion]>([])
        let session = AuthenticationSession(
            .init(
                credentials: .asking { question in
                    questions.withLock { $0.append(question) }
                    return question.reason == .rejected
                        ? .account(user: "u", password: "good") : .account(user: "u", password: "bad")
                }))
        #expect(try await call(session, server) == 3)
        #expect(questions.withLock { $0.map { $0.reason == .rejected } } == [false, true])
        #expect(questions.withLock { $0.first?.space.realm } == "r")
        #expect(questions.withLock { $0.first?.space.host } == "host.example")
        #expect(server.failures == 1)
    }

    @Test func twoWrongAnswersEndTheCall() async throws {
        let server = try Server(right: good)
        let count = Mutex(0)
        let session = AuthenticationSession(
            .init(
                credentials: .asking { _ in
                    .account(user: "u", password: "wrong\(count.withLock { $0 += 1; return $0 })")
                }))
        #expect(await code { try await call(session, server) } == .credentialsRefused)
        #expect(count.withLock { $0 } == 2)
        #expect(server.failures == 2)
        #expect(await code { try await call(session, server) } == .credentialsRefused)
        #expect(count.withLock { $0 } == 3)
        #expect(server.failures == 3)
    }

    @Test func theSameAnswerIsNotSentAgain() async throws {
        let server = try Server(right: good)
        let session = AuthenticationSession(.init(credentials: .asking { [bad] _ in bad }))
        for _ in 0..<2 { #expect(await code { try await call(session, server) } == .credentialsRefused) }
        #expect(server.failures == 1)
    }

    @Test func parallelCallsAskOnceAndFailOnce() async throws {
        for right in [good, .account(user: "other", password: "x")] {
            let server = try Server(right: right)
            let questions = Mutex(0)
            let session = AuthenticationSession(
                .init(
                    credentials: .asking { [good] question in
                        questions.withLock { $0 += 1 }
                        for _ in 0..<20 { await Task.yield() }
                        return question.reason == .rejected ? nil : good
                    }))
            await withTaskGroup { group in
                for _ in 0..<30 { group.addTask { _ = try? await call(session, server) } }
            }
            #expect(questions.withLock { $0 } >= 1)
            if right == good {
                #expect(questions.withLock { $0 } == 1)
                #expect(server.failures == 0)
            } else {
                #expect(server.failures == 1)
            }
        }
    }

    @Test func aChangedPasswordIsAskedForAndTheOldOneForgotten() async throws {
        let server = try Server(right: good)
        let current = Mutex(good)
        let session = AuthenticationSession(.init(credentials: .asking { _ in current.withLock { $0 } }))
        #expect(try await call(session, server) == 2)
        let fresh = Credentials.account(user: "u", password: "fresh")
        try server.change(to: fresh)
        current.withLock { $0 = fresh }
        #expect(try await call(session, server) == 2)
        #expect(try await call(session, server) == 1)
        #expect(server.received.count { $0 != nil } == 4)
    }

    @Test func severalRealmsOfOneOriginDoNotGetEachOthersCredentials() async throws {
        let other = Credentials.account(user: "v", password: "other")
        let first = try Server(realm: "one", right: good)
        let second = try Server(realm: "two", right: other)
        let session = AuthenticationSession(
            .init(credentials: .asking { [good] in $0.space.realm == "one" ? good : other }))
        #expect(try await call(session, first) == 2)
        #expect(try await call(session, second) == 2)
        #expect(try await call(session, second) == 2)
        #expect(try await call(session, first) == 2)
        #expect(first.failures == 0)
        // Before its realm was known the second got what the first had accepted, once.
        #expect(second.failures == 1)
    }

    @Test func anAbandonedTrialIsTakenOverWithoutAskingAgain() async throws {
        let server = try Server(right: good)
        let questions = Mutex(0)
        let session = AuthenticationSession(
            .init(
                credentials: .asking { [good] _ in
                    questions.withLock { $0 += 1 }; return good
                }))
        var lost = try session.begin(scheme: "https", host: "host.example", port: 443)
        try await session.challenged(&lost, status: 401, fields: ["Basic realm=r"])
        let waiting = Task { try await call(session, server) }
        for _ in 0..<50 { await Task.yield() }
        session.finish(&lost, status: nil)
        #expect(try await waiting.value == 2)
        #expect(questions.withLock { $0 } == 1)
    }

    @Test func aWaitingCallCanBeCancelled() async throws {
        let server = try Server(right: good)
        let session = AuthenticationSession(.init(credentials: .fixed(good)))
        var first = try session.begin(scheme: "https", host: "host.example", port: 443)
        try await session.challenged(&first, status: 401, fields: ["Basic realm=r"])
        let waiting = Task { try await call(session, server) }
        for _ in 0..<50 { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        session.finish(&first, status: 200)
        #expect(try await call(session, server) == 1)
    }

    @Test func missingAndInsecureConditionsForbidSending() async throws {
        let server = try Server(right: good)
        let fixed = AuthenticationPolicy(credentials: .fixed(good))
        #expect(await code { try await call(.init(.init()), server) } == .credentialsRequired)
        #expect(await code { try await call(.init(fixed), server, scheme: "http") } == .insecureChannel)
        #expect(
            await code { try await call(.init(.init(credentials: .asking { _ in nil })), server) }
                == .credentialsRequired)
        #expect(
            await code {
                try await call(.init(.init(credentials: .fixed(.account(user: "a:b", password: "")))), server)
            } == .invalidCredentials)
        struct Broken: Error {}
        #expect(
            await code { try await call(.init(.init(credentials: .asking { _ in throw Broken() })), server) }
                == .sourceFailed)
        #expect(server.received.allSatisfy { $0 == nil })
        let open = AuthenticationSession(.init(credentials: .fixed(good), allowsPlaintext: true))
        #expect(try await call(open, server, scheme: "http") == 2)
        let early = AuthenticationSession(.init(credentials: .fixed(good), sendsWithoutChallenge: true))
        #expect(await code { try await call(early, server, scheme: "http") } == .insecureChannel)
    }

    @Test func unanswerableChallengesAreErrors() async throws {
        for (status, fields, expected) in [
            (401, ["Bearer realm=\"a\"", "Negotiate"], AuthenticationError.Code.noUsableScheme),
            (401, [], .malformedChallenge), (401, ["Basic"], .malformedChallenge),
            (401, ["Basic realm=\"a"], .malformedChallenge), (407, ["Basic realm=\"a\""], .unexpectedProxyChallenge),
        ] {
            let session = AuthenticationSession(.init(credentials: .fixed(good)))
            var exchange = try session.begin(scheme: "https", host: "h", port: 1)
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: status, fields: fields)
            }
            #expect(error?.code == expected)
            if expected == .noUsableScheme { #expect(error?.offeredSchemes == ["Bearer", "Negotiate"]) }
            #expect(!exchange.isValid)
        }
    }

    /// What was never accepted counts as refused by an answer without a challenge that could be used. Calls that waited
    /// do not prove the same.
    @Test(arguments: [[], ["Basic"], ["Basic realm=\"r"]])
    func credentialsAreRefusedWithOrWithoutAChallenge(_ fields: [String]) async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(bad)))
        var first = try session.begin(scheme: "https", host: "h", port: 1)
        try await session.challenged(&first, status: 401, fields: ["Basic realm=r"])
        #expect(first.scheme != nil)
        _ = await code { try await session.challenged(&first, status: 401, fields: fields) }
        #expect(!first.isValid)
        session.finish(&first, status: nil)
        var second = try session.begin(scheme: "https", host: "h", port: 1)
        #expect(!second.isValid)
        let refusal = await code { try await session.challenged(&second, status: 401, fields: ["Basic realm=r"]) }
        #expect(refusal == .credentialsRefused)
        #expect(!second.isValid)
    }

    /// A peer that wants another scheme, which cannot be used, has not looked at what was sent.
    @Test(arguments: [["Negotiate"], ["Digest realm=\"r\", nonce=\"n\""]])
    func aCallEndsWhenThePeerWantsAnUnusableScheme(_ fields: [String]) async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(good)))
        for _ in 0..<3 {
            var exchange = try session.begin(scheme: "https", host: "h", port: 1)
            try await session.challenged(&exchange, status: 401, fields: ["Basic realm=r"])
            #expect(exchange.isValid)
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: 401, fields: fields)
            }
            #expect(error?.code == .noUsableScheme)
            #expect(error?.message.contains("the next call sends them again") == true, "\(error?.message ?? "")")
            session.finish(&exchange, status: nil)
        }
    }

    /// The same scheme, offered in a way that cannot be used here, refuses.
    @Test func anUnusableChallengeForTheSameSchemeRefuses() async throws {
        let session = AuthenticationSession(.init(credentials: .fixed(bad)))
        var first = try session.begin(scheme: "https", host: "h", port: 1)
        let request = AuthenticationRequest(method: "POST", target: "/", content: [])
        try await session.challenged(&first, status: 401, fields: [#"Digest realm="r", nonce="n", qop="auth""#])
        _ = try await session.authorization(&first, for: request)
        let unusable = await code {
            try await session.challenged(&first, status: 401, fields: [#"Digest realm="r", nonce="m""#])
        }
        #expect(unusable == .noUsableScheme && !first.isValid)
        session.finish(&first, status: nil)
        var second = try session.begin(scheme: "https", host: "h", port: 1)
        #expect(!second.isValid)
        let refusal = await code { try await session.challenged(&second, status: 401, fields: ["Basic realm=r"]) }
        #expect(refusal == .credentialsRefused)
        #expect(!second.isValid)
    }

    @Test func realmsAreShownInPrintableCharactersOnly() async throws {
        let session = AuthenticationSession(.init())
        var exchange = try session.begin(scheme: "https", host: "h", port: 1)
        let realm = "a\u{85}b\u{202E}c\u{2028}d" + String(repeating: "x", count: 1000)
        let error = await #expect(throws: AuthenticationError.self) {
            try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"\(realm)\""])
        }
        #expect(error?.space?.realm == realm)
        let message = try #require(error?.message)
        #expect(message.contains("“a\u{FFFD}b\u{FFFD}c\u{FFFD}dx"))
        #expect(message.contains("x…” at https://h:1"))
        #expect(message.unicodeScalars.count < 300)
    }

    @Test func aServerCannotMakeUpRealmsWithoutEnd() async throws {
        let session = AuthenticationSession(.init(credentials: .asking { [good] _ in good }))
        var last: AuthenticationError.Code?
        for number in 0..<70 {
            var exchange = try session.begin(scheme: "https", host: "h", port: 1)
            last = await code {
                try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"\(number)\""])
            }
            session.finish(&exchange, status: nil)
        }
        #expect(last == .malformedChallenge)
    }

    /// A source with another password each time gives it neither many in one call nor any after too many realms.
    @Test func aServerThatNamesAnotherRealmEachTimeIsGivenUp() async throws {
        let questions = Mutex(0)
        let session = AuthenticationSession(
            .init(
                credentials: .asking { _ in
                    .account(user: "u", password: "p\(questions.withLock { $0 += 1; return $0 })")
                }))
        let request = AuthenticationRequest(method: "POST", target: "/", content: [])
        var realms = 0
        var last: AuthenticationError.Code?
        for call in 0..<40 {
            var exchange = try session.begin(scheme: "https", host: "h", port: 1)
            var legs = 0
            last = nil
            // More would be a loop without end.
            while last == nil, legs < 100 {
                legs += 1
                realms += 1
                let field = "Basic realm=\"\(realms)\""
                last = await code {
                    try await session.challenged(&exchange, status: 401, fields: [field])
                    let sent = try await session.authorization(&exchange, for: request)
                    #expect(sent != nil)
                }
            }
            session.finish(&exchange, status: nil)
            // None, the first password and the corrected one.
            #expect(legs <= 3)
            if call == 0 { #expect(last == .undecided) }
        }
        #expect(last == .malformedChallenge)
        #expect(questions.withLock { $0 } <= 64)
    }
}
