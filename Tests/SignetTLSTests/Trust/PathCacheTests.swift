import SignetTesting
import Testing

@testable import SignetTLS

/// A peer that comes again must cost little, and gain nothing.
@Suite struct PathCacheTests {
    private let root: CertificateAuthority
    private let chain: [EncodedCertificate]

    init() throws {
        root = try CertificateAuthority(commonName: "root")
        chain = try root.issueIntermediate(commonName: "middle")
            .issueServer(dnsNames: ["service.example", "*.many.example"]).chain
    }

    private func checks(
        _ policy: TrustPolicy, _ presented: [EncodedCertificate]? = nil, _ role: PeerRole = TrustPolicyTests.host,
        at now: Int64 = TrustPolicyTests.now
    ) throws -> Int {
        let judgement = policy.judge(presented ?? chain, as: role, at: now)
        _ = try judgement.verdict.get()
        return judgement.signatureChecks
    }

    @Test func theSecondTimeChecksNoSignature() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        let copy = policy
        let first = policy.judge(chain, as: TrustPolicyTests.host, at: TrustPolicyTests.now)
        let second = copy.judge(chain, as: TrustPolicyTests.host, at: TrustPolicyTests.now + 60)
        #expect(first.signatureChecks == 2)
        #expect(second.signatureChecks == 0)
        #expect(try first.verdict.get() == second.verdict.get())
    }

    /// An anchor may be given up meanwhile, by the operating system for one.
    @Test func cachedPathsExpireAfterAnHour() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(try checks(policy) == 2)
        #expect(try checks(policy, at: TrustPolicyTests.now + PathCache.maximumAge) == 0)
        #expect(try checks(policy, at: TrustPolicyTests.now + PathCache.maximumAge + 1) == 2)
    }

    @Test func otherChainsAndHostsAreVerifiedAgain() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        #expect(try checks(policy) == 2)
        #expect(try checks(policy, nil, .server(.dns("a.many.example"))) == 2)
        #expect(try checks(policy, chain + chain.suffix(1)) == 2)
        #expect(try checks(policy, chain + [EncodedCertificate(der: [1])]) == 2)
        // Other policies have seen nothing, and neither has this one for what it would refuse.
        var strict = policy
        strict.profile = .webPKI
        let reserve = [PinTests.reserve, PinTests.reserveCertificate]
        for other in [policy.addingAnchors(root.bundle), policy.addingIntermediates(root.bundle), strict] {
            #expect(try checks(other) == 2)
        }
        #expect(TrustPolicyTests.verdict(chain, policy.pinned(to: reserve)) != nil)
        #expect(TrustPolicyTests.verdict(chain, policy, .server(.dns("other.invalid"))) == .hostNameMismatch)
        #expect(TrustPolicyTests.verdict(chain, policy, .client) == .wrongUsage)
        #expect(try checks(policy) == 0)
    }

    @Test func validityIsCheckedEveryTime() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        let last = try #require(chain.compactMap(\.notAfter).min())
        let first = try #require(chain.compactMap(\.notBefore).max())
        #expect(try checks(policy) == 2)
        #expect(try checks(policy, at: first) == 0)
        #expect(try checks(policy, at: last) == 2)
        #expect(try checks(policy, at: last) == 0)
        #expect(TrustPolicyTests.verdict(chain, policy, at: last + 1) == .expired)
        #expect(TrustPolicyTests.verdict(chain, policy, at: first - 1) == .notYetValid)
    }

    @Test func neverRemembersARefusal() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        let other = try CertificateAuthority(commonName: "other").issueServer(dnsNames: ["service.example"])
        for _ in 0..<2 { #expect(TrustPolicyTests.verdict(other.chain, policy) == .unknownAuthority) }
        #expect(policy.cache.count == 0)
    }

    @Test func theCacheHasAMaximumSize() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        for number in 0..<(PathCache.maximumPaths + 3) {
            #expect(try checks(policy, nil, .server(.dns("a\(number).many.example"))) == 2)
        }
        #expect(policy.cache.count == PathCache.maximumPaths)
        #expect(try checks(policy, nil, .server(.dns("a0.many.example"))) == 2)
        #expect(try checks(policy, nil, .server(.dns("a100.many.example"))) == 0)
    }

    @Test func tasksShareTheCache() async throws {
        let policy = TrustPolicy.anchors(root.bundle)
        let total = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<32 { group.addTask { try checks(policy) } }
            return try await group.reduce(0, +)
        }
        #expect(total >= 2 && total < 64)
        #expect(policy.cache.count == 1)
    }
}
