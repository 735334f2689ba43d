import Synchronization
import Testing

@testable import SignetAuthentication

/// The whole exchange with a server that checks what it gets as RFC 7616 has it, nonce counts included.
@Suite struct DigestSessionTests {
    /// A server that knows one password.
    private final class Server: Sendable {
        struct State {
            var nonces: [String: Set<UInt32>] = [:]
            var made = 0
            var failures = 0
            var stale = 0
            var replays = 0
            /// The nonces and counts that were let in, in order.
            var accepted: [String] = []

            mutating func makeNonce() -> String {
                made += 1
                let nonce = "nonce\(made)"
                nonces[nonce] = []
                return nonce
            }
        }

        let password: String
        let algorithms: [DigestAlgorithm]
        /// So many times a nonce may be used.
        let uses: Int
        /// Whether it names the next nonce with each success (RFC 7616 §3.5).
        let namesNext: Bool
        let state = Mutex(State())

        init(
            password: String, algorithms: [DigestAlgorithm] = [.sha256], uses: Int = 1_000, namesNext: Bool = false
        ) {
            self.password = password
            self.algorithms = algorithms
            self.uses = uses
            self.namesNext = namesNext
        }

        /// Nil lets the request in, and says what proves that the password is known; otherwise the challenges.
        func answer(_ field: String?, method: String, target: String) throws -> (
            challenges: [String]?, information: String
        ) {
            var isStale = false
            if let field {
                let presented = try #require(try Challenge.read([field]).first)
                func value(_ name: String) -> String { presented[name] ?? "" }
                let algorithm = try #require(DigestAlgorithm(rawValue: value("algorithm")))
                let secret = algorithm.hash("u:r:\(password)")
                func response(_ method: String) -> String {
                    let about = algorithm.hash("\(method):\(target)")
                    return algorithm.hash("\(secret):\(value("nonce")):\(value("nc")):\(value("cnonce")):auth:\(about)")
                }
                let count = try #require(UInt32(value("nc"), radix: 16))
                let isRight = response(method) == value("response") && value("uri") == target
                let verdict = state.withLock { state -> String in
                    guard isRight else {
                        state.failures += 1
                        return "wrong"
                    }
                    guard let used = state.nonces[value("nonce")], used.count < uses else {
                        state.stale += 1
                        return "stale"
                    }
                    guard state.nonces[value("nonce")]?.insert(count).inserted == true else {
                        state.replays += 1
                        return "replay"
                    }
                    state.accepted.append("\(value("nonce")) \(value("nc"))")
                    return "right"
                }
                if verdict == "right" {
                    let proof = "rspauth=\"\(response(""))\", qop=auth"
                    guard namesNext else { return (nil, proof) }
                    let next = state.withLock { $0.makeNonce() }
                    return (nil, "\(proof), nextnonce=\"\(next)\"")
                }
                isStale = verdict != "wrong"
            }
            return (
                algorithms.map { algorithm in
                    let nonce = state.withLock { $0.makeNonce() }
                    return
                        "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\", algorithm=\(algorithm.rawValue), stale=\(isStale)"
                } + ["Basic realm=\"r\""], ""
            )
        }
    }

    private func call(
        _ session: AuthenticationSession, _ server: Server, target: String = "/soap",
        change: (String) -> String = { $0 }
    ) async throws -> Int {
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        var legs = 0
        while true {
            legs += 1
            let field = try await session.authorization(
                &exchange, for: .init(method: "POST", target: target, content: []))
            let (challenges, information) = try server.answer(field, method: "POST", target: target)
            guard let challenges else {
                status = 200
                try await session.verify(
                    exchange, challenges: [], information: [change(information)], content: [])
                return legs
            }
            await Task.yield()
            try await session.challenged(&exchange, status: 401, fields: challenges)
        }
    }

    private func session(_ password: String, _ change: (inout AuthenticationPolicy) -> Void = { _ in })
        -> AuthenticationSession
    {
        var policy = AuthenticationPolicy(credentials: .fixed(.account(user: "u", password: password)))
        change(&policy)
        return AuthenticationSession(policy)
    }

    @Test func oneChallengeServesAllCallsThatFollow() async throws {
        let (server, session) = (Server(password: "p"), session("p"))
        #expect(try await call(session, server) == 2)
        for _ in 0..<50 { #expect(try await call(session, server, target: "/other?x=1") == 1) }
        #expect(server.state.withLock { $0.failures + $0.stale + $0.replays } == 0)
    }

    @Test func anOldNonceIsNoWrongPassword() async throws {
        let (server, session) = (Server(password: "p", uses: 3), session("p"))
        for _ in 0..<30 { _ = try await call(session, server) }
        #expect(server.state.withLock { $0.failures } == 0)
        #expect(server.state.withLock { $0.stale } == 9)
    }

    /// Where a nonce is good for one request, its successor saves the challenge (RFC 7616 §3.5).
    @Test func theNextNonceRestartsTheCounter() async throws {
        let (server, session) = (Server(password: "p", uses: 1, namesNext: true), session("p"))
        #expect(try await call(session, server) == 2)
        for _ in 2...20 { #expect(try await call(session, server) == 1) }
        #expect(server.state.withLock { $0.accepted } == (1...20).map { "nonce\($0) 00000001" })
        #expect(server.state.withLock { $0.failures + $0.stale + $0.replays } == 0)
    }

    /// The order is the client's, whatever the server's is.
    @Test(arguments: [[.basic, .digest], [.digest, .basic]] as [[AuthenticationScheme]])
    func theFirstSchemeOfThePolicyIsTaken(schemes: [AuthenticationScheme]) async throws {
        let first = try #require(schemes.first)
        let session = session("p") { $0.schemes = schemes }
        let (digest, basic) = (#"Digest realm="r", nonce="n", qop="auth""#, #"Basic realm="r""#)
        for offered in [[digest, basic], [basic, digest], ["\(basic), \(digest)"]] {
            var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
            try await session.challenged(&exchange, status: 401, fields: offered)
            #expect(exchange.scheme == first)
            let field = try await session.authorization(&exchange, for: .init(method: "POST", target: "/", content: []))
            #expect(field?.hasPrefix("\(first) ") == true)
            session.finish(&exchange, status: nil)
        }
    }

    @Test func aServerThatIsNeverContentIsGivenUp() async throws {
        let (server, session) = (Server(password: "p", uses: 0), session("p"))
        for round in 1...2 {
            let error = await #expect(throws: AuthenticationError.self) { try await call(session, server) }
            // It never said that the password is wrong: the next call tries again.
            #expect(error?.code == .undecided)
            #expect(server.state.withLock { $0.stale } == 3 * round)
        }
        #expect(server.state.withLock { $0.failures } == 0)
    }

    @Test func aWrongPasswordIsSentOnce() async throws {
        let (server, session) = (Server(password: "p"), session("q"))
        for _ in 0..<3 {
            let error = await #expect(throws: AuthenticationError.self) { try await call(session, server) }
            #expect(error?.code == .credentialsRefused)
        }
        // And not again as Basic, which the server offers too.
        #expect(server.state.withLock { $0.failures } == 1)
    }

    @Test func manyCallsAtATimeUseNoNumberTwice() async throws {
        let (server, session) = (Server(password: "p"), session("p"))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 { group.addTask { try await call(session, server) } }
            for try await legs in group { #expect(legs <= 2) }
        }
        #expect(server.state.withLock { $0.failures + $0.replays + $0.stale } == 0)
    }

    @Test(
        arguments: [
            ([.md5, .sha256, .sha512_256], .md5, "SHA-512-256"), ([.sha256, .md5], .md5, "SHA-256"),
            ([.md5], .md5, "MD5"),
            ([.md5], .sha256, nil),
        ] as [([DigestAlgorithm], DigestAlgorithm, String?)])
    func theStrongestIsTaken(offered: [DigestAlgorithm], weakest: DigestAlgorithm, taken: String?) async throws {
        let server = Server(password: "p", algorithms: offered)
        let session = session("p") {
            $0.weakestDigest = weakest
            $0.schemes = [.digest]
        }
        var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
        defer { session.finish(&exchange, status: nil) }
        let challenges = try #require(try server.answer(nil, method: "POST", target: "/").challenges)
        do {
            try await session.challenged(&exchange, status: 401, fields: challenges)
            let field = try await session.authorization(&exchange, for: .init(method: "POST", target: "/", content: []))
            #expect(taken.map { field?.contains("algorithm=\($0),") == true } == true)
        } catch let error as AuthenticationError {
            #expect(taken == nil && error.code == .noUsableScheme)
        }
    }

    @Test func aServerThatDoesNotKnowThePasswordIsFoundOut() async throws {
        let (server, session) = (Server(password: "p"), session("p"))
        let error = await #expect(throws: AuthenticationError.self) {
            try await call(session, server) { _ in "rspauth=\"\(String(repeating: "0", count: 64))\", qop=auth" }
        }
        #expect(error?.code == .peerNotProved)
        #expect(try await call(session, server) { _ in "nextnonce=\"nonce1\"" } == 1)
    }

    /// A reader of an answer can try passwords against it.
    @Test(arguments: [false, true], [false, true]) func plainHTTPMustBeAllowed(isAllowed: Bool, isLocal: Bool)
        async throws
    {
        let session = session("p") { $0.allowsPlaintext = isAllowed }
        var exchange = try session.begin(
            scheme: "http", host: "host.example", port: 80, path: "/", isLocal: isLocal)
        defer { session.finish(&exchange, status: nil) }
        let fields = [#"Digest realm="r", nonce="n", qop=auth"#, #"Basic realm="r""#]
        guard isAllowed || isLocal else {
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: 401, fields: fields)
            }
            #expect(error?.code == .insecureChannel)
            #expect(error?.message.contains("authentication.allowsPlaintext (signet: --allow-plaintext)") == true)
            return
        }
        try await session.challenged(&exchange, status: 401, fields: fields)
        #expect(exchange.carriedScheme == "Digest")
    }

    @Test func unusableChallengesAreNamedInTheError() async throws {
        for (field, words) in [
            (
                #"Digest realm="r", nonce="n", qop="auth-conf""#,
                ["Digest with the qop “auth-conf”, which is not known here."]
            ),
            (#"Digest realm="r", nonce="n", qop=auth, algorithm=WHIRL-sess"#, ["the algorithm “WHIRL”"]),
            (#"Digest realm="r", nonce="n""#, ["without qop", "authentication.allowsDigestWithoutQop"]),
            (#"Digest realm="r", nonce="n", qop="""#, ["without qop", "--allow-digest-without-qop"]),
            (
                "NTLM",
                [
                    "offers NTLM, which authentication.schemes does not name: add it there, and host.example to authentication.ntlmHosts (signet: --auth ntlm). It offers nothing else."
                ]
            ),
            ("Strange", ["offers Strange, which is not supported. It offers nothing else."]),
            ("Bearer", ["offers Bearer, which takes other credentials."]),
            (
                #"Strange, Strange, Digest realm="r", nonce="n""#,
                [
                    "offers Strange, which is not supported. It offers Digest without qop, so that the password could be looked up from the answer: update the server, or set authentication.allowsDigestWithoutQop (signet: --allow-digest-without-qop). It offers nothing else."
                ]
            ),
            (
                (0..<10).map { "Strange\($0)" }.joined(separator: ","),
                ["offers Strange0, which", "It offers Strange7, which", "It offers 2 more, none of which can be used."]
            ),
        ] {
            let session = session("p")
            var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: 401, fields: [field])
            }
            #expect(error?.code == .noUsableScheme)
            for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
            session.finish(&exchange, status: nil)
        }
        // A proxy's settings and options are its own, and a host that may not get NTLM is named.
        for (isProxy, schemes, field, words) in [
            (
                true, [.digest], "NTLM",
                [
                    "add it there, and host.example to proxy.authentication.ntlmHosts (signet: --proxy-auth ntlm, with the proxy's address in --proxy)"
                ]
            ),
            (true, [.digest], #"Basic realm="r""#, ["add it there (signet: --proxy-auth basic)."]),
            (
                false, [.ntlm, .negotiate], "NTLM, Negotiate",
                [
                    "offers NTLM, and host.example is not in authentication.ntlmHosts: add it there (signet: --auth ntlm). It",
                    "set authentication.kerberos, or add host.example to authentication.ntlmHosts (signet: --auth negotiate).",
                ]
            ),
        ] as [(Bool, [AuthenticationScheme], String, [String])] {
            var policy = AuthenticationPolicy(credentials: .fixed(.account(user: "u", password: "p")))
            policy.schemes = schemes
            let session = AuthenticationSession(policy, isProxy: isProxy)
            var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: isProxy ? 407 : 401, fields: [field])
            }
            for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
            session.finish(&exchange, status: nil)
        }
        // Something weaker is taken where it is allowed, and qop where there is one.
        for (fields, taken) in [
            ([#"Digest realm="r", nonce="n""#, #"Basic realm="r""#], "Basic"),
            (
                [#"Digest realm="r", nonce="n", algorithm=SHA-256"#, #"Digest realm="r", nonce="n", qop=auth"#],
                "Digest"
            ),
        ] {
            let session = session("p")
            var exchange = try session.begin(scheme: "https", host: "host.example", port: 443)
            try await session.challenged(&exchange, status: 401, fields: fields)
            let field = try await session.authorization(&exchange, for: .init(method: "GET", target: "/", content: []))
            #expect(field?.hasPrefix(taken) == true && field?.contains("SHA-256") == false)
            session.finish(&exchange, status: nil)
        }
    }
}
