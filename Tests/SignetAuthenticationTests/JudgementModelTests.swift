import Foundation
import Synchronization
import Testing

@testable import SignetAuthentication

/// A server that asks again for whatever reason chance gives it, and a client that must neither take a right password
/// for a wrong one nor try a wrong one again.
///
/// 400 servers; `SIGNET_JUDGEMENT=100000` makes more of them:
/// `SIGNET_JUDGEMENT=100000 swift test --filter JudgementModelTests`.
@Suite(.timeLimit(.minutes(30))) struct JudgementModelTests {
    private static let servers = ProcessInfo.processInfo.environment["SIGNET_JUDGEMENT"].flatMap { Int($0) } ?? 400

    /// Knows one password, and may say “again” to what is right wherever the standards let it.
    private final class Server: Sendable {
        struct State {
            var random: Numbers
            var password: String
            var made = 0
            var seen: Set<[String]> = []
            var repeated = 0
            /// Proofs of another password that were refused.
            var failures = 0
            var isHonest = false
            /// Whether the client knows that it has let in a request.
            var hasAccepted = false
        }
        let state: Mutex<State>
        /// How often chance lets it say “again”, in percent.
        let moods: Int
        /// Whether it has but one nonce.
        let isStatic: Bool
        /// Whether some of its machines speak Digest only, and others Basic only; and an application behind them may
        /// answer without a challenge.
        let isMixed: Bool

        init(_ seed: UInt64, password: String) {
            var random = Numbers(state: seed)
            moods = Int.random(in: 0...60, using: &random)
            isStatic = Int.random(in: 0..<4, using: &random) == 0
            isMixed = Int.random(in: 0..<3, using: &random) == 0
            state = Mutex(State(random: random, password: password))
        }

        private func challenge(_ state: inout State, realm: String = "r", same: String? = nil, stale: Bool?) -> String {
            if !isStatic || state.made == 0 { state.made += 1 }
            let nonce = same ?? "n\(state.made)"
            let said = stale.map { ", stale=\($0)" } ?? ""
            return "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", qop=\"auth\"\(said)"
        }

        /// Nil lets a request in.
        func answer(_ field: String?) throws -> String? {
            let presented = try field.flatMap { try Challenge.read([$0]).first }
            return state.withLock { state in
                guard let presented else { return challenge(&state, stale: nil) }
                let basic = "Basic realm=\"r\""
                if presented.isScheme("Basic") {
                    guard presented.token68 == Base64.encode(Array("u:\(state.password)".utf8)) else {
                        state.failures += 1
                        return basic
                    }
                    guard !state.isHonest, Int.random(in: 0..<100, using: &state.random) < moods else { return nil }
                    return state.hasAccepted && Bool.random(using: &state.random) ? "" : challenge(&state, stale: nil)
                }
                func value(_ name: String) -> String { presented[name] ?? "" }
                let (nonce, count) = (value("nonce"), UInt32(value("nc"), radix: 16) ?? 0)
                if !state.seen.insert([nonce, value("nc"), value("cnonce")]).inserted { state.repeated += 1 }
                let hash = DigestAlgorithm.md5
                let secret = hash.hash("u:\(value("realm")):\(state.password)")
                let about = hash.hash("POST:/")
                let right = hash.hash("\(secret):\(nonce):\(value("nc")):\(value("cnonce")):auth:\(about)")
                // It has just named the nonce itself, which it may do again.
                let isFresh = count == 1
                guard right == value("response") else {
                    state.failures += 1
                    if isMixed, Bool.random(using: &state.random) { return basic }
                    let same = isStatic || Int.random(in: 0..<3, using: &state.random) == 0 ? nonce : nil
                    return challenge(&state, same: same, stale: Bool.random(using: &state.random) ? false : nil)
                }
                guard !state.isHonest, Int.random(in: 0..<100, using: &state.random) < moods else {
                    return nil
                }
                switch Int.random(in: 0..<(isMixed ? 6 : 4), using: &state.random) {
                case 4: return basic
                case 5 where state.hasAccepted: return ""
                case 0: return challenge(&state, same: nonce, stale: true)
                case 1 where value("realm") == "r": return challenge(&state, realm: "other", stale: nil)
                case 2 where !isFresh: return challenge(&state, stale: nil)
                default: return challenge(&state, stale: true)
                }
            }
        }
    }

    /// splitmix64
    private struct Numbers: RandomNumberGenerator, Sendable {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    private func call(_ session: AuthenticationSession, _ server: Server) async throws {
        try await exchange(session, server)
        server.state.withLock { $0.hasAccepted = true }
    }

    private func exchange(_ session: AuthenticationSession, _ server: Server) async throws {
        var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
        var status: Int?
        defer { session.finish(&exchange, status: status) }
        for _ in 0..<16 {
            let field = try await session.authorization(
                &exchange, for: .init(method: "POST", target: "/", content: []), over: .any)
            guard let challenge = try server.answer(field) else {
                status = 200
                return
            }
            await Task.yield()
            try await session.challenged(&exchange, status: 401, fields: [challenge])
        }
        Issue.record("the client goes on without end")
    }

    private func code(_ body: () async throws -> Void) async -> AuthenticationError.Code? {
        do {
            try await body()
            return nil
        } catch { return (error as? AuthenticationError)?.code }
    }

    private func session(_ password: String) -> AuthenticationSession {
        AuthenticationSession(.init(credentials: .fixed(.account(user: "u", password: password))))
    }

    /// How a call may end whose password is right.
    private static let areMild: [AuthenticationError.Code?] = [nil, .undecided, .malformedChallenge]

    @Test func aRightPasswordIsNeverCondemned() async throws {
        for seed in 0..<Self.servers {
            let server = Server(UInt64(seed), password: "p")
            let session = session("p")
            for _ in 0..<6 {
                let ended = await code { try await call(session, server) }
                #expect(Self.areMild.contains(ended), "server \(seed)")
            }
            await withTaskGroup(of: AuthenticationError.Code?.self) { group in
                for _ in 0..<5 { group.addTask { await code { try await call(session, server) } } }
                for await ended in group { #expect(Self.areMild.contains(ended), "server \(seed)") }
            }
            server.state.withLock { $0.isHonest = true }
            #expect(await code { try await call(session, server) } == nil, "server \(seed)")
            #expect(server.state.withLock { $0.failures + $0.repeated } == 0, "server \(seed)")
        }
        print("judgement model: \(Self.servers) servers, \(Self.servers * 12) calls with a right password")
    }

    /// Once by each scheme, where a machine offers another one instead of judging.
    @Test func aWrongPasswordIsTriedOnce() async throws {
        for seed in 0..<Self.servers {
            let server = Server(UInt64(seed), password: "other")
            let session = session("p")
            await withTaskGroup(of: AuthenticationError.Code?.self) { group in
                for _ in 0..<5 { group.addTask { await code { try await call(session, server) } } }
                for await ended in group { #expect(ended == .credentialsRefused, "server \(seed)") }
            }
            let failures = server.state.withLock { $0.failures }
            #expect(failures == 1 || (server.isMixed && failures == 2), "server \(seed)")
        }
    }

    /// One proof with the nonce that was in use, and one that settles it; by Basic, too, where a machine offers that
    /// instead of judging.
    @Test func aPasswordThatIsChangedIsTriedTwice() async throws {
        for seed in 0..<Self.servers {
            let server = Server(UInt64(seed), password: "p")
            let session = session("p")
            server.state.withLock { $0.isHonest = true }
            #expect(await code { try await call(session, server) } == nil)
            server.state.withLock { $0.password = "new" }
            for _ in 0..<4 { #expect(await code { try await call(session, server) } == .credentialsRefused) }
            let failures = server.state.withLock { $0.failures }
            #expect(failures == 2 || (server.isMixed && failures == 3), "server \(seed)")
        }
    }
}
