import Foundation
import SignetTesting
import Testing

@testable import SignetTLS

/// A policy that has judged a peer before says at every time what one says that sees the peer for the first time,
/// whatever pins have begun or ceased to count meanwhile.
///
/// 300 policies; `SIGNET_VERDICTS=20000` makes more of them.
@Suite(.timeLimit(.minutes(20))) struct VerdictOverTimeTests {
    private static let policies = ProcessInfo.processInfo.environment["SIGNET_VERDICTS"].flatMap { Int($0) } ?? 300
    private static let now = TrustPolicyTests.now

    /// Two roots, an authority below both, and certificates with validities of their own.
    private struct World {
        let roots: [CertificateAuthority]
        let chains: [[EncodedCertificate]]
        let pins: [TrustPolicy.Pin]

        init(_ random: inout SeededNumbers) throws {
            let names = ["service.example", "a.service.example"]
            let (first, second) = (try CertificateAuthority(), try CertificateAuthority(commonName: "other root"))
            let middle = try first.issueIntermediate(Self.limited(.authority, &random))
            roots = [first, second]
            var chains: [[EncodedCertificate]] = []
            for _ in 0..<4 {
                let cross = try second.crossSign(middle, Self.limited(.authority, &random))
                let leaf = try middle.issueServer(dnsNames: names, Self.limited(.server, &random)).leaf
                chains.append([leaf] + [middle.certificate, cross].shuffled(using: &random))
            }
            self.chains = chains
            let known = [first.certificate, second.certificate, middle.certificate] + chains.compactMap(\.first)
            pins =
                known.map { .publicKey(sha256: Text.base64($0.publicKeySHA256 ?? [])) }
                + [PinTests.reserve, .publicKey(sha256: Text.base64([UInt8](repeating: 8, count: 32)))]
        }

        private static func limited(
            _ profile: CertificateProfile, _ random: inout SeededNumbers
        ) -> CertificateProfile {
            var profile = profile
            profile.notBefore = VerdictOverTimeTests.now + .random(in: -100...40, using: &random)
            profile.notAfter = VerdictOverTimeTests.now + .random(in: 60...200, using: &random)
            return profile
        }

        func policy(_ random: inout SeededNumbers) -> TrustPolicy {
            let anchors = roots.map(\.certificate).shuffled(using: &random)
                .prefix(.random(in: 1...2, using: &random))
            var policy = TrustPolicy.anchors(CertificateBundle(Array(anchors)))
            if Bool.random(using: &random) { policy.maximumIntermediates = .random(in: 0...2, using: &random) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                var set = TrustPolicy.PinSet(Array(pins.shuffled(using: &random).prefix(2)))
                set.host = [nil, "service.example", "example"].randomElement(using: &random) ?? nil
                set.includesSubdomains = set.host != nil && Bool.random(using: &random)
                if Int.random(in: 0..<4, using: &random) > 0 {
                    set.expires = VerdictOverTimeTests.now + .random(in: 0...150, using: &random)
                }
                set.mode = Int.random(in: 0..<4, using: &random) == 0 ? .report : .enforce
                policy = policy.pinned(to: set)
            }
            return policy
        }
    }

    /// What a verdict says, without the words.
    private struct Outcome: Equatable {
        var code: String?
        var failures: Set<String> = []
        var isAccepted: [Bool] = []

        init(
            _ verdict: Result<CertificationPath, TrustError>, _ leaf: EncodedCertificate,
            _ exceptions: [TrustException], host: String, at now: Int64
        ) {
            guard case .failure(let error) = verdict else { return }
            code = "\(error.code)"
            failures = Set(error.failures.map(\.rule.description))
            isAccepted = exceptions.map { $0.accepts(leaf, refusedWith: error, host: host, port: 443, at: now) }
        }
    }

    @Test func aWarmCacheChangesNoVerdict() throws {
        var random = SeededNumbers(seed: 5)
        var verdicts = 0
        var outcomes: [String: Int] = [:]
        var world = try World(&random)
        for number in 0..<Self.policies {
            if number % 20 == 19 { world = try World(&random) }
            let warm = world.policy(&random)
            var exceptions: [TrustException] = []
            for _ in 0..<24 {
                let chain = try #require(world.chains.randomElement(using: &random))
                let leaf = try #require(chain.first)
                let host = ["service.example", "a.service.example"].randomElement(using: &random) ?? ""
                let now = Self.now + .random(in: -20...220, using: &random)
                let role = PeerRole.server(.init(host: host))
                // Changed by nothing, but without a memory.
                let fresh = warm.addingIntermediates(CertificateBundle([])).evaluate(chain, as: role, at: now)
                let cached = warm.evaluate(chain, as: role, at: now)
                let wanted = Outcome(fresh, leaf, exceptions, host: host, at: now)
                #expect(
                    Outcome(cached, leaf, exceptions, host: host, at: now) == wanted,
                    "policy \(number), \(host), \(now - Self.now) s: \(warm.pinSets)")
                if case .failure(let error) = fresh, error.canBeOverruled {
                    exceptions.append(
                        try TrustException(
                            accepting: error, host: host, port: 443, reason: "test", at: now, until: now + 50))
                }
                verdicts += 1
                outcomes[wanted.code ?? "believed", default: 0] += 1
            }
        }
        print("verdicts compared: \(verdicts), of them \(outcomes.sorted { $0.key < $1.key })")
        for outcome in ["believed", "pinMismatch", "expired", "notYetValid"] {
            #expect(outcomes[outcome, default: 0] > verdicts / 100, "\(outcome) hardly ever came")
        }
    }

    @Test func expiredPinSetsAreCheckedBeforeTheyExpire() throws {
        let root = try CertificateAuthority()
        let chain = try root.issueServer(dnsNames: ["service.example"]).chain
        let wrong = TrustPolicy.PinSet([
            PinTests.reserve, .publicKey(sha256: Text.base64([UInt8](repeating: 8, count: 32))),
        ])
        // Closer to the host, so that they go before the wrong ones until they expire.
        var right = TrustPolicy.PinSet([
            .publicKey(sha256: Text.base64(root.certificate.publicKeySHA256 ?? [])), PinTests.reserve,
        ])
        right.host = "service.example"
        right.expires = Self.now + 60
        let policy = TrustPolicy.anchors(root.bundle).pinned(to: wrong).pinned(to: right)
        #expect(TrustPolicyTests.verdict(chain, policy, at: Self.now) == nil)
        #expect(TrustPolicyTests.verdict(chain, policy, at: Self.now + 60) == .pinMismatch)
        #expect(TrustPolicyTests.verdict(chain, policy, at: Self.now + 59) == nil)
        // A clock that is put back brings pins back that had expired.
        var expired = wrong
        expired.expires = Self.now
        let other = TrustPolicy.anchors(root.bundle).pinned(to: expired)
        #expect(TrustPolicyTests.verdict(chain, other, at: Self.now) == nil)
        #expect(TrustPolicyTests.verdict(chain, other, at: Self.now - 1) == .pinMismatch)
    }
}
