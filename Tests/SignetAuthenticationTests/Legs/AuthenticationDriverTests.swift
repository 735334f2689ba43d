import SignetAuthentication
import Testing

/// A whole exchange with a server in memory.
@Suite struct AuthenticationDriverTests {
    /// What a driver with no connections of its own does.
    private struct Driver: AuthenticationDriver {
        struct Broken: Error {}

        var peers: AuthenticatingPeers
        /// What the server answers to a request with these credentials.
        let answer: (String?) throws -> (status: Int, challenges: [String])
        private(set) var sent: [String?] = []
        private var authorization: String?
        private(set) var isDelivered = false
        private var challenges: [String] = []
        private var status = 0

        init(_ session: AuthenticationSession, answer: @escaping (String?) throws -> (Int, [String])) throws {
            let exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            peers = .init(origin: .init(.origin, session, exchange))
            self.answer = answer
        }

        mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event? {
            switch action {
            case .prepare(let role):
                try await peers.update(role) { try await $0.prepare() }
                return .prepared(peers.state(of: role))
            case .lease: return .leased(.init(number: 0, isReused: false))
            case .authorize(let roles):
                for role in roles {
                    let value = try await peers.update(role) {
                        try await $0.authorization(for: .init(method: "GET", target: "/"), over: .init(number: 0))
                    }
                    authorization = value ?? nil
                }
                return .authorized(peers.states)
            case .send:
                sent.append(authorization)
                (status, challenges) = try answer(authorization)
                return .answered(.init(status: status, isReusable: true))
            case .handleChallenge(let role):
                let continuesHandshake = try await peers.update(role) { [status, challenges] in
                    try await $0.handleChallenge(status: status, fields: challenges)
                }
                return .challengeHandled(continuesHandshake: continuesHandshake ?? false, peers.state(of: role))
            case .choose(let role):
                try await peers.update(role) { try await $0.choose() }
                return .chosen(peers.state(of: role))
            case .verify: return .verified
            case .keepCredentials(let role): await peers[role]?.keeping(status: status)?()
            case .deliver: isDelivered = true
            default: break
            }
            return nil
        }

        func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
            if case .reported = failure, let error { return error }
            return AuthenticationLegs.undecided(failure, by: "The server")
        }
    }

    private static func session() -> AuthenticationSession {
        AuthenticationSession(.init(credentials: .fixed(.account(user: "u", password: "p"))))
    }

    private static let right = "Basic dTpw"

    @Test func acceptedCredentialsAreSentWithoutAChallenge() async throws {
        let session = Self.session()
        for sent in [[nil, Self.right], [Self.right]] {
            var driver = try Driver(session) { $0 == Self.right ? (200, []) : (401, ["Basic realm=\"r\""]) }
            try await AuthenticationLegs(.init(over: .clientHandlesProxies)).run(&driver)
            #expect(driver.sent == sent && driver.isDelivered)
        }
    }

    @Test func refusedCredentials() async throws {
        let session = Self.session()
        var driver = try Driver(session) { _ in (401, ["Basic realm=\"r\""]) }
        await #expect(throws: AuthenticationError(.credentialsRefused, "")) {
            try await AuthenticationLegs(.init(over: .direct)).run(&driver)
        }
        #expect(driver.sent == [nil, Self.right] && !driver.isDelivered)
    }

    @Test func proxyChallengeOfAnOrigin() async throws {
        var driver = try Driver(Self.session()) { _ in (407, ["Basic realm=\"r\""]) }
        await #expect(throws: AuthenticationError(.unexpectedProxyChallenge, "")) {
            try await AuthenticationLegs(.init(over: .direct)).run(&driver)
        }
    }

    /// The error of an action is the caller's, and the exchange is closed: another one does not wait for its trial.
    @Test func failedAction() async throws {
        let session = Self.session()
        var driver = try Driver(session) { sent in
            if sent == nil { return (401, ["Basic realm=\"r\""]) }
            throw Driver.Broken()
        }
        await #expect(throws: Driver.Broken.self) {
            try await AuthenticationLegs(.init(over: .direct)).run(&driver)
        }
        var next = try Driver(session) { $0 == Self.right ? (200, []) : (401, ["Basic realm=\"r\""]) }
        try await AuthenticationLegs(.init(over: .direct)).run(&next)
        #expect(next.isDelivered)
    }
}
