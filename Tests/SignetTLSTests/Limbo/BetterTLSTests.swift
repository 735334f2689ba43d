import CorpusFiles
import Foundation
import Testing

@testable import SignetTLS

/// Netflix's BetterTLS: name constraints in every combination, and paths through branches of which some are bad.
///
/// Every fortieth case is tried in each profile, another one in each; with `SIGNET_ALL_CASES=1` in the environment all
/// 9,572 are, which takes two minutes.
@Suite struct BetterTLSTests {
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func decidesAsExpected() throws {
        let suite = try LimboSuite.read("bettertls-9572")
        #expect(suite.testcases.count == 9_572)
        let isWhole = ProcessInfo.processInfo.environment["SIGNET_ALL_CASES"] == "1"
        for profile in TrustPolicy.Profile.allCases {
            var outcome = LimboOutcome()
            var count = 0
            for (number, test) in suite.testcases.enumerated() {
                let group = test.id.components(separatedBy: "::").dropFirst().first ?? "other"
                // Building paths has few cases, and the hard ones.
                guard isWhole || group == "pathbuilding" || number % 40 == (profile == .webPKI ? 0 : 20) else {
                    continue
                }
                count += 1
                try outcome.add(test, profile, group: group)
            }
            print(outcome.report("BetterTLS, \(profile)\(isWhole ? "" : ", a fortieth")"))
            #expect(outcome.differences.map(\.id) == [])
            #expect(outcome.agreed == count)
            #expect(count >= (isWhole ? 9_572 : 300))
        }
    }
}
