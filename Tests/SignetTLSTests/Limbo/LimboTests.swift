import CorpusFiles
import Testing

@testable import SignetTLS

/// x509-limbo: what RFC 5280 and the CA/B Baseline Requirements demand, and what has gone wrong elsewhere.
@Suite struct LimboTests {
    /// At least so many cases are decided as the suite expects.
    private static let least: [TrustPolicy.Profile: Int] = [.webPKI: 166, .privateAuthority: 148]

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), arguments: TrustPolicy.Profile.allCases)
    func decidesAsExpected(profile: TrustPolicy.Profile) throws {
        let suite = try LimboSuite.read("limbo-194")
        #expect(suite.testcases.count == 194)
        var outcome = LimboOutcome()
        for test in suite.testcases { try outcome.add(test, profile, group: test.group) }
        print(outcome.report("x509-limbo, \(profile)"))
        let known = LimboDivergence.all(of: profile)
        for (id, verdict) in outcome.differences {
            #expect(known[id]?.ours == verdict, "\(id): \(verdict), which LimboDivergence does not say")
            #expect(!LimboDivergence.security.contains(id) || verdict != "accepted", "\(id) must be refused")
        }
        let differing = Set(outcome.differences.map(\.id))
        for id in known.keys { #expect(differing.contains(id), "\(id) is decided as expected: remove its line") }
        #expect(outcome.agreed >= (Self.least[profile] ?? 0))
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func securityDivergencesAreRealFailures() throws {
        let suite = try LimboSuite.read("limbo-194")
        let mustFail = Set(suite.testcases.filter { !$0.isAccepted }.map(\.id))
        #expect(LimboDivergence.security.isSubset(of: mustFail))
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), arguments: TrustPolicy.Profile.allCases)
    func revocationListsDecideAsExpected(profile: TrustPolicy.Profile) throws {
        let cases = try LimboSuite.read("limbo-194").testcases.filter(\.hasLists)
        #expect(cases.count == 8)
        for test in cases {
            let path = try test.judgement(profile).verdict.get()
            // A list without a number says as much as one with a number, and there are authorities that issue such lists.
            let isAccepted = test.isAccepted || test.id == "crl::crlnumber-missing"
            #expect(try test.isProvedGood(path) == isAccepted, "\(test.id)")
        }
    }

    /// The strict profile must trust chains that public authorities really issue.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), arguments: TrustPolicy.Profile.allCases)
    func realChainsAreTrusted(profile: TrustPolicy.Profile) throws {
        let suite = try LimboSuite.readRealChains()
        #expect(suite.testcases.count >= 14)
        for test in suite.testcases {
            #expect(throws: Never.self, "\(test.id)") { _ = try test.judgement(profile).verdict.get() }
        }
    }

    @Test func systemAnchorsAreAccepted() throws {
        var judge = CertificateJudge(
            profile: .webPKI, role: .server(.dns("service.example")), now: TrustPolicyTests.now)
        var refused: [String] = []
        for anchor in SystemAnchors.shared.bySubject.values.joined() where anchor.notAfter ?? 0 > TrustPolicyTests.now {
            do { try judge.checkLink(anchor, isAnchor: true, below: []) } catch {
                refused.append("\(error.rule): \(anchor.subject)")
            }
        }
        #expect(refused == [])
    }
}
