import Foundation
import Testing

/// curl's own cases of HTTP authentication, with Signet's client in the place of curl.
@Suite(.timeLimit(.minutes(10))) struct CurlCasesTests {
    @Test(.enabled(if: CurlSuite.isExpected, "neither SIGNET_CORPUS nor SIGNET_CURL_CASES is set"))
    func signetSendsTheSameRequestsAsCurl() async throws {
        let folder = try CurlSuite.folder()
        let known = try CurlSuite.knownDifferences()
        var results: [CurlResult] = []
        for (number, source) in try CurlSuite.cases(in: folder) {
            results.append(try await CurlResult.of(number, source))
        }
        try report(results, known)
        for result in results {
            switch (result.verdict, known[result.number]) {
            case (.failed, nil): Issue.record("\(result.number) (\(result.name)): \(result.reason)")
            case (.passed, .some):
                Issue.record("\(result.number) stands among the known differences, and there is none.")
            default: break
            }
        }
        #expect(results.contains { $0.verdict == .passed })
    }

    private func report(_ results: [CurlResult], _ known: [Int: String]) throws {
        let table = CurlSuite.table(results, known)
        let counts = [CurlResult.Verdict.passed, .failed, .notApplicable].map { verdict in
            "\(results.count { $0.verdict == verdict }) \(verdict.rawValue)"
        }
        print("\(table)curl's cases: \(counts.joined(separator: ", "))")
        if let path = ProcessInfo.processInfo.environment["SIGNET_CURL_TABLE"], !path.isEmpty {
            try Data(table.utf8).write(to: URL(filePath: path))
        }
    }
}
