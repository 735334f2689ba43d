import SignetTesting
import Testing

@testable import SignetTLS

/// Any source may find a path; only the policy decides whether it is trusted.
@Suite struct PathSourceTests {
    private let root: CertificateAuthority
    private let middle: CertificateAuthority
    private let chain: [EncodedCertificate]
    private let other: CertificateAuthority

    init() throws {
        root = try CertificateAuthority(commonName: "root")
        middle = try root.issueIntermediate(commonName: "middle")
        chain = try middle.issueServer(dnsNames: ["service.example"]).chain
        other = try CertificateAuthority(commonName: "other")
    }

    /// Judges the leaf alone by paths from an external source, below an anchor that is not in the policy.
    private func judgement(
        _ paths: [[EncodedCertificate]], pins: [TrustPolicy.Pin]? = nil, host: String = "service.example",
        at now: Int64 = TrustPolicyTests.now
    ) -> TrustPolicy.Judgement {
        var policy = TrustPolicy.anchors(other.bundle)
        if let pins { policy = policy.pinned(to: pins) }
        return policy.judge(Array(chain.prefix(1)), as: .server(.dns(host)), at: now) { _ in
            JoinedPathSources(paths.map(GivenPath.init))
        }
    }

    private func rule(of judgement: TrustPolicy.Judgement) -> TrustError.Rule? {
        if case .failure(let error) = judgement.verdict { error.rule } else { nil }
    }

    @Test func aGoodPathIsTrustedAndChecked() throws {
        let pins = try [other.certificate, CertificateAuthority().certificate].map {
            TrustPolicy.Pin.publicKey(sha256: Text.base64(try #require($0.publicKeySHA256)))
        }
        let good = judgement([chain + [root.certificate]])
        #expect(try good.verdict.get().certificates == chain + [root.certificate])
        #expect(good.signatureChecks == 2)
        #expect(rule(of: judgement([chain + [root.certificate]], host: "other.example")) == .hostName)
        #expect(rule(of: judgement([chain + [root.certificate]], at: 1)) == .notBefore)
        #expect(
            rule(of: judgement([chain + [root.certificate]], pins: pins))
                == .pin)
    }

    @Test func refusesABadPath() throws {
        #expect(rule(of: judgement([[]])) == .knownAuthority)
        #expect(rule(of: judgement([])) == .knownAuthority)
        #expect(rule(of: judgement([chain + [other.certificate]])) == .signature)
        #expect(rule(of: judgement([[chain[0], other.certificate]])) == .signature)
        #expect(rule(of: judgement([[chain[0], chain[0], root.certificate]])) == .authority)
        #expect(rule(of: judgement([chain + Array(repeating: root.certificate, count: 8)])) == .depth)
    }

    @Test func takesTheNextSourceWhereOneHasNothing() throws {
        #expect(try judgement([[], chain + [root.certificate]]).verdict.get().certificates.count == 3)
        #expect(
            try judgement([chain + [other.certificate], chain + [root.certificate]]).verdict.get().certificates.count
                == 3)
    }

    /// What a peer leaves out may be known; it is not thereby trusted.
    @Test func knownIntermediatesCompleteAPath() throws {
        let policy = TrustPolicy.anchors(root.bundle)
        let leaf = Array(chain.prefix(1))
        #expect(TrustPolicyTests.verdict(leaf, policy) == .unknownAuthority)
        #expect(
            TrustPolicyTests.verdict(leaf, policy.addingIntermediates(CertificateBundle([middle.certificate]))) == nil)
        let strange = TrustPolicy.anchors(other.bundle).addingIntermediates(
            CertificateBundle([middle.certificate, root.certificate]))
        #expect(TrustPolicyTests.verdict(leaf, strange) == .unknownAuthority)
    }

    @Test func limitsTheIntermediates() throws {
        var policy = TrustPolicy.anchors(root.bundle)
        for (limit, isGood) in [(0, false), (1, true), (7, true)] {
            policy.maximumIntermediates = limit
            #expect((TrustPolicyTests.verdict(chain, policy) == nil) == isGood)
        }
        policy.maximumIntermediates = 0
        let direct = try root.issueServer(dnsNames: ["service.example"])
        #expect(TrustPolicyTests.verdict(direct.chain, policy) == nil)
    }
}
