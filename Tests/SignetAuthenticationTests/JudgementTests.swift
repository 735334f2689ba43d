import Testing

@testable import SignetAuthentication

/// What right credentials must survive: whatever a server asks again for, only a refusal of what it had to find right
/// or wrong counts.
@Suite struct JudgementTests {
    private static let good = Credentials.account(user: "u", password: "p", domain: "D")
    private static let request = AuthenticationRequest(method: "POST", target: "/", content: [])

    private func digest(_ nonce: String, realm: String = "r", stale: Bool? = nil, more: String = "") -> [String] {
        let said = stale.map { ", stale=\($0)" } ?? ""
        return ["Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=\"auth\"\(said)\(more)"]
    }

    /// Makes a call: each challenge is one that the server answers with, before it lets the request in.
    ///
    /// - Returns: what was sent, leg by leg.
    @discardableResult
    private func call(
        _ session: AuthenticationSession, _ challenges: [[String]], status: Int? = 200, path: String = "/"
    ) async throws -> [String?] {
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: path)
        var last: Int?
        defer { session.finish(&exchange, status: last) }
        if exchange.needsPreparation { try await session.prepare(&exchange) }
        var sent: [String?] = []
        for challenge in challenges {
            sent.append(try await session.authorization(&exchange, for: Self.request, over: .any))
            try await session.challenged(&exchange, status: 401, fields: challenge)
        }
        sent.append(try await session.authorization(&exchange, for: Self.request, over: .any))
        last = status
        return sent
    }

    private func session(
        _ change: (inout AuthenticationPolicy) -> Void = { _ in }
    ) -> AuthenticationSession {
        var policy = AuthenticationPolicy(credentials: .fixed(Self.good))
        change(&policy)
        return AuthenticationSession(policy)
    }

    private func code(_ body: () async throws -> Void) async -> AuthenticationError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? AuthenticationError)?.code }
    }

    // MARK: Digest

    /// What a server may answer to a proof that it could not verify.
    @Test(arguments: [
        // A reused nonce is answered with another one, which is not called stale.
        ["2"], ["2 false"],
        // Stale, with the same nonce.
        ["1 true"],
        // Twice stale, and once before that not.
        ["2 true", "3 true"], ["2", "3 true"], ["1 true", "1 true"], ["2", "2 true"],
        // The same nonce again, not called stale.
        ["1"],
    ]) func aReusedNonceIsNoWrongPassword(answers: [String]) async throws {
        let session = session()
        try await call(session, [digest("1")])
        try await call(session, [])
        let challenges = answers.map { answer in
            let words = answer.split(separator: " ").map(String.init)
            return digest(words.first ?? "", stale: words.count > 1 ? words.last == "true" : nil)
        }
        let sent = try await call(session, challenges)
        #expect(sent.allSatisfy { $0?.hasPrefix("Digest ") == true })
        #expect(sent.last??.contains("nc=00000001") == true)
        #expect(Set(sent).count == sent.count)
        #expect(try await call(session, []).first??.hasPrefix("Digest ") == true)
    }

    @Test func aServerThatCallsEachNonceStaleIsGivenUpAndTriedAgain() async throws {
        let session = session()
        try await call(session, [digest("1")])
        for _ in 0..<3 {
            let stale = (2...9).map { digest("\($0)", stale: true) }
            #expect(await code { try await call(session, stale) } == .undecided)
        }
        #expect(try await call(session, []).first??.hasPrefix("Digest ") == true)
    }

    /// A fresh nonce, used for the first time, is what says so.
    @Test func aWrongPasswordIsStillFoundOut() async throws {
        let session = session()
        #expect(await code { try await call(session, [digest("1"), digest("2")]) } == .credentialsRefused)
        #expect(await code { try await call(session, [digest("3")]) } == .credentialsRefused)
        // Also once it was right: by a second proof.
        let other = self.session()
        try await call(other, [digest("1")])
        #expect(await code { try await call(other, [digest("2"), digest("3")]) } == .credentialsRefused)
        // With a server that knows one nonce only.
        let device = self.session()
        try await call(device, [digest("1")])
        #expect(await code { try await call(device, [digest("1"), digest("1")]) } == .credentialsRefused)
    }

    /// A server that names a new realm each time judges nothing, and may count each password as a failed login.
    @Test(arguments: [true, false]) func aPasswordIsNotTriedInEveryRealm(isAsking: Bool) async throws {
        let session = session {
            if isAsking { $0.credentials = .asking { _ in Self.good } }
        }
        var sent = 0
        for number in 0..<12 {
            let code = await code {
                try await call(session, [["Basic realm=\"\(2 * number)\""], ["Basic realm=\"\(2 * number + 1)\""]])
            }
            #expect(code == .credentialsRefused)
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            defer { session.finish(&exchange, status: 401) }
            do {
                try await session.challenged(&exchange, status: 401, fields: ["Basic realm=\"x\(number)\""])
                if try await session.authorization(&exchange, for: Self.request, over: .any) != nil { sent += 1 }
            } catch {}
        }
        #expect(sent <= 3, "\(sent)")
        // What one realm has accepted may be right in the next.
        let other = self.session()
        for realm in ["a", "b", "c", "d", "e"] {
            let sent = try await call(other, [["Basic realm=\"\(realm)\""]], path: "/\(realm)/x")
            #expect(sent.last??.hasPrefix("Basic ") == true)
        }
    }

    /// A proof that was lost with its connection makes the next one the second; twice in a row that excuses nothing.
    @Test func aLostProofIsRepeatedOnce() async throws {
        let session = session()
        func call(rounds: Int) async throws {
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            defer { session.finish(&exchange, status: nil) }
            for round in 0..<rounds {
                try await session.challenged(&exchange, status: 401, fields: digest("\(round)"))
                for _ in 0..<2 { _ = try await session.authorization(&exchange, for: Self.request, over: .any) }
            }
        }
        #expect(await code { try await call(rounds: 2) } == nil)
        let again = self.session()
        var exchange = try again.begin(scheme: "https", host: "h", port: 443, path: "/")
        var proofs = 0
        let error = await #expect(throws: AuthenticationError.self) {
            for round in 0..<9 {
                try await again.challenged(&exchange, status: 401, fields: digest("\(round)"))
                for _ in 0..<2 { _ = try await again.authorization(&exchange, for: Self.request, over: .any) }
                proofs += 1
            }
        }
        #expect(error?.code == .credentialsRefused && proofs == 2)
        again.finish(&exchange, status: nil)
    }

    /// A nonce may have become too old while a person was asked for the password.
    @Test func aSlowAnswerToAQuestionIsNotARefusal() async throws {
        final class Clock: Sendable {
            let start = ContinuousClock.now
            let minutes = LockedCount()
            var now: ContinuousClock.Instant { start + .seconds(60 * minutes.value) }
        }
        let clock = Clock()
        let policy = AuthenticationPolicy(
            credentials: .asking { _ in
                clock.minutes.increase()
                return Self.good
            })
        let session = AuthenticationSession(policy, now: { clock.now })
        let sent = try await call(session, [digest("1"), digest("2")])
        #expect(sent.last??.contains("nonce=\"2\"") == true)
        #expect(try await call(session, []).first??.hasPrefix("Digest ") == true)
    }

    /// One nonce may stand in challenges for several algorithms (RFC 7616 §3.9.1); each has a key of its own.
    @Test func anotherAlgorithmIsAnotherProof() async throws {
        let session = session()
        try await call(session, [digest("1")])
        let sent = try await call(session, [digest("1", stale: true, more: ", algorithm=SHA-256, opaque=\"o\"")])
        #expect(sent.last??.contains("algorithm=SHA-256") == true && sent.last??.contains("opaque=\"o\"") == true)
    }

    // MARK: Realms and schemes

    @Test(arguments: [true, false]) func aChallengeForAnotherRealmRefusesNothing(isDigest: Bool) async throws {
        func ask(_ realm: String) -> [String] {
            isDigest ? digest("n\(realm)", realm: realm) : ["Basic realm=\"\(realm)\""]
        }
        let session = session()
        let ended = await code { try await call(session, [ask("a"), ask("b"), ask("c")], status: nil) }
        #expect(ended == (isDigest ? .undecided : .credentialsRefused))
        // Each of them may let it in.
        for realm in ["a", "b", "c"] {
            let sent = try await call(session, [ask(realm)], path: "/\(realm)/x")
            #expect(sent.last??.hasPrefix(isDigest ? "Digest" : "Basic") == true)
        }
    }

    /// As where a redirect leads to a part of the server that has a realm of its own.
    @Test func acceptedCredentialsStayAccepted() async throws {
        let session = session()
        try await call(session, [["Basic realm=\"a\""]], path: "/a/x")
        _ = await code { try await call(session, [["Basic realm=\"b\""]], status: nil, path: "/a/y") }
        #expect(try await call(session, [], path: "/a/x").first??.hasPrefix("Basic ") == true)
    }

    @Test func credentialsThatBasicCannotCarryGoByDigest() async throws {
        let session = session { $0.credentials = .fixed(.account(user: "a:b", password: "p")) }
        #expect(await code { try await call(session, [["Basic realm=\"r\""]]) } == .invalidCredentials)
        #expect(try await call(session, [digest("1")]).last??.hasPrefix("Digest ") == true)
    }

    /// A server that takes no Basic has not looked at it.
    @Test func credentialsForAnUnofferedSchemeDoNotCountAsRefused() async throws {
        let session = session {
            $0.sendsWithoutChallenge = true
            $0.schemes = [.ntlm, .basic]
            $0.ntlmHosts = ["h"]
        }
        let sent = try await call(session, [["NTLM"]])
        #expect(sent.first??.hasPrefix("Basic ") == true && sent.last??.hasPrefix("NTLM ") == true)
    }

    // MARK: Handshakes

    /// What closes each connection never lets NTLM get to the password.
    @Test func aHandshakeThatLosesItsConnectionsIsNoRefusal() async throws {
        let session = session {
            $0.schemes = [.ntlm]
            $0.ntlmHosts = ["h"]
        }
        for _ in 0..<2 {
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            try await session.challenged(&exchange, status: 401, fields: ["NTLM"])
            var number = 0
            let error = await #expect(throws: AuthenticationError.self) {
                while number < 10 {
                    number += 1
                    let field = try await session.authorization(
                        &exchange, for: Self.request, over: .init(number: number))
                    #expect(field == "NTLM \(Base64.encode(NTLMClient.negotiation))")
                    try await session.challenged(&exchange, status: 401, fields: ["NTLM \(NTLMMessages.challenge)"])
                }
            }
            #expect(error?.code == .undecided)
            #expect(error?.message.contains("The password was not tried") == true)
            #expect(error?.message.contains("load balancer") == true)
            session.finish(&exchange, status: nil)
        }
    }

    /// Something answers the first message as if nothing had been said.
    @Test func aHandshakeThatAlwaysRestartsIsNoRefusal() async throws {
        let session = session {
            $0.schemes = [.ntlm, .basic]
            $0.ntlmHosts = ["h"]
        }
        let both = ["NTLM", "Basic realm=\"r\""]
        let sent = try await call(session, Array(repeating: both, count: 4))
        #expect(sent.map { $0.map { String($0.prefix(4)) } } == [nil, "NTLM", "NTLM", "NTLM", "Basi"])
        let ntlm = self.session {
            $0.schemes = [.ntlm]
            $0.ntlmHosts = ["h"]
        }
        let ended = await code { try await call(ntlm, Array(repeating: ["NTLM"], count: 6)) }
        #expect(ended == .undecided)
        #expect(try await call(ntlm, [["NTLM"]]).last??.hasPrefix("NTLM ") == true)
    }

    /// As where a load balancer moves the connection between the messages: the server that gets the last one answers
    /// with a challenge message, and has not looked at the password.
    @Test(arguments: ["NTLM", "Negotiate"])
    func aHandshakeThatRestartsAfterItsLastMessageIsNoRefusal(scheme: String) async throws {
        func make() -> AuthenticationSession {
            self.session {
                $0.schemes = [.negotiate, .ntlm]
                $0.ntlmHosts = ["h"]
            }
        }
        let message =
            scheme == "NTLM"
            ? NTLMMessages.challenge : Base64.encode(try SPNEGO.response(token: NTLMMessages.challengeBytes))
        let (ask, challenge) = (["\(scheme)"], ["\(scheme) \(message)"])
        // Once it is done again.
        let lucky = make()
        let sent = try await call(lucky, [ask, challenge, challenge, challenge])
        #expect(sent.count == 5 && sent[1] == sent[3] && sent[2] != sent[4])
        #expect(sent.dropFirst().allSatisfy { $0?.hasPrefix("\(scheme) ") == true })
        // More often it is given up, and the next call tries again.
        let session = make()
        for _ in 0..<2 {
            let error = await #expect(throws: AuthenticationError.self) {
                try await call(session, [ask] + Array(repeating: challenge, count: 6))
            }
            #expect(error?.code == .undecided && error?.message.contains("The password was not judged") == true)
        }
        // An answer that offers the scheme alone refuses, also behind a new beginning.
        let ended = await code { try await call(session, [ask, challenge, challenge, challenge, ask]) }
        #expect(ended == .credentialsRefused)
        #expect(await code { try await call(session, [ask]) } == .credentialsRefused)
    }

    // MARK: Schemes that are offered no more

    /// A machine that speaks only Basic has looked at nothing else.
    @Test(arguments: ["Digest", "NTLM"]) func aSchemeThatIsOfferedNoMoreIsNotRefused(scheme: String) async throws {
        func make() -> AuthenticationSession {
            self.session {
                $0.schemes = [.ntlm, .digest, .basic]
                $0.ntlmHosts = ["h"]
            }
        }
        let first = scheme == "NTLM" ? [["NTLM"], ["NTLM \(NTLMMessages.challenge)"]] : [digest("1")]
        let again = scheme == "NTLM" ? ["NTLM"] : digest("2")
        let basic = ["Basic realm=\"r\""]
        let accepting = make()
        #expect(try await call(accepting, first + [basic]).last??.hasPrefix("Basic ") == true)
        // Refused by Basic, it is refused by the scheme before, too.
        for other in [first, [basic]] {
            let refusing = make()
            #expect(await code { try await call(refusing, first + [basic, basic]) } == .credentialsRefused)
            #expect(await code { try await call(refusing, other) } == .credentialsRefused)
        }
        // Each scheme is tried once.
        let turning = make()
        #expect(await code { try await call(turning, first + [basic, again]) } == .undecided)
        #expect(try await call(turning, [basic]).last??.hasPrefix("Basic ") == true)
        // What may not be sent is not sent, and what was sent stays good.
        let strict = self.session {
            $0.schemes = [.ntlm, .digest]
            $0.ntlmHosts = ["h"]
        }
        #expect(await code { try await call(strict, first + [basic]) } == .noUsableScheme)
        #expect(try await call(strict, first).last??.hasPrefix("\(scheme) ") == true)
    }

    /// A waiting call does not prove a password by one scheme while it is refused by another.
    @Test(arguments: ["Digest", "NTLM"]) func manyCallsProveAWrongPasswordOnceAScheme(scheme: String) async throws {
        let session = session {
            $0.schemes = [.ntlm, .digest, .basic]
            $0.ntlmHosts = ["h"]
        }
        let first = scheme == "NTLM" ? [["NTLM"], ["NTLM \(NTLMMessages.challenge)"]] : [digest("1")]
        let basic = ["Basic realm=\"r\""]
        let proofs = LockedCount()
        await withTaskGroup(of: AuthenticationError.Code?.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await code {
                        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
                        defer { session.finish(&exchange, status: nil) }
                        for challenge in first + [basic, basic] {
                            let field = try await session.authorization(&exchange, for: Self.request, over: .any)
                            if field != nil, exchange.isProofComplete { proofs.increase() }
                            for _ in 0..<20 { await Task.yield() }
                            try await session.challenged(&exchange, status: 401, fields: challenge)
                        }
                    }
                }
            }
            for await ended in group { #expect(ended == .credentialsRefused) }
        }
        #expect(proofs.value == 2)
    }

    // MARK: Answers without a challenge

    /// An application behind a server that has let the request in may answer 401 by itself.
    @Test(arguments: [[], ["Digest realm"], ["NTLM !!!"], ["Basic realm=\"r"]])
    func unreadableChallengesRefuseOnlyUnacceptedCredentials(answer: [String]) async throws {
        let ntlm = [["NTLM"], ["NTLM \(NTLMMessages.challenge)"]]
        for first in [ntlm, [digest("1")], [["Basic realm=\"r\""]]] {
            let session = session {
                $0.schemes = [.ntlm, .digest, .basic]
                $0.ntlmHosts = ["h"]
            }
            #expect(await code { try await call(session, first + [answer]) } == .malformedChallenge)
            #expect(await code { try await call(session, first) } == .credentialsRefused)
        }
        let session = session {
            $0.schemes = [.ntlm, .digest, .basic]
            $0.ntlmHosts = ["h"]
        }
        #expect(await code { try await call(session, [["Basic realm=\"r\""]]) } == nil)
        for _ in 0..<3 { #expect(await code { try await call(session, [answer]) } == .malformedChallenge) }
        #expect(await code { try await call(session, []) } == nil)
    }

    /// Of a ticket a server says nothing about the password, and the next ticket may be right.
    @Test func aTicketIsNoPassword() async throws {
        struct Ticket: NegotiateMechanism, NegotiateContext {
            var isComplete: Bool { false }
            func context(
                host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
            ) -> any NegotiateContext { self }
            func step(_ token: [UInt8]?) -> [UInt8]? { [1, 2, 3] }
        }
        for credentials in [Credentials.ticket, Self.good] {
            let session = session {
                $0.credentials = .fixed(credentials)
                $0.schemes = [.negotiate]
                $0.kerberos = Ticket()
            }
            for _ in 0..<3 {
                #expect(await code { try await call(session, [["Negotiate"], ["Negotiate"]]) } == .credentialsRefused)
            }
            #expect(try await call(session, [["Negotiate"]], status: nil).last??.hasPrefix("Negotiate ") == true)
        }
    }

    /// A signature is refused when a clock is wrong, too.
    @Test func aSignatureIsNoPassword() async throws {
        let session = session {
            $0.credentials = .fixed(.consumer(.init(key: "k", secret: "s")))
        }
        let ask = ["OAuth realm=\"r\""]
        #expect(await code { try await call(session, [ask, ask]) } == .credentialsRefused)
        #expect(try await call(session, [ask]).last??.hasPrefix("OAuth ") == true)
    }
}
