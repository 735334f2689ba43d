import CorpusFiles
import Foundation
import Testing

/// What came of a case.
struct CurlResult: Sendable {
    enum Verdict: String, Sendable {
        case passed, failed
        case notApplicable = "not applicable"
    }

    let number: Int
    let name: String
    let verdict: Verdict
    let reason: String

    /// Plays a case with a server of its own.
    static func of(_ number: Int, _ source: [UInt8]) async throws -> CurlResult {
        let server = try CurlServer()
        let variables = [
            "CLIENTIP": "127.0.0.1", "HOSTIP": "127.0.0.1", "HTTPPORT": "\(server.port)", "LOGDIR": "log",
            "PROXYPORT": "\(server.port)", "VERSION": "8.0.0",
        ]
        let test = CurlCase(number: number, source: source, variables: variables, features: CurlPlan.features)
        func result(_ verdict: Verdict, _ reason: String) -> CurlResult {
            CurlResult(number: number, name: test.name, verdict: verdict, reason: reason)
        }
        let plan: CurlPlan
        do { plan = try CurlPlan(test) } catch let error as NotApplicable {
            return result(.notApplicable, error.reason)
        }
        let expected = CurlComparison.expected(test)
        server.play(test, expected: expected?.requests ?? [])
        let end = try await CurlPlayer(port: server.port).play(plan)
        let exchanges = server.exchanges
        let compared = exchanges.filter { !$0.isIntroduction }
        let comparison = CurlComparison(
            expected: expected?.requests ?? [], actual: compared.map(\.request), passwords: plan.passwords)
        var differences = expected == nil ? [] : comparison.differences
        let failsOnError = plan.steps.last?.operation.failsOnError ?? false
        let ending = end.difference(
            from: test.errorCodes, failsOnError: failsOnError, status: compared.last?.status)
        if let ending { differences.append(ending) }
        if !differences.isEmpty {
            differences += server.missing.map { "there is no section \($0)" }
            return result(.failed, differences.joined(separator: "; "))
        }
        var notes = notes(test, expected?.note, exchanges)
        if comparison.remembering.leavesOut { notes.append("credentials that were accepted are sent at once again") }
        return result(.passed, notes.joined(separator: "; "))
    }

    /// In what a case that passed was played otherwise than curl plays it.
    private static func notes(_ test: CurlCase, _ held: String?, _ exchanges: [CurlServer.Exchange]) -> [String] {
        var notes: [String] = []
        if let held { notes.append(held) }
        if exchanges.contains(where: \.isIntroduction) {
            notes.append("curl begins with NTLM unasked; the runner asked for it")
        }
        if test.replies.contains(where: { CurlReplies.modern($0.section.bytes) != $0.section.bytes }) {
            notes.append("a challenge of NTLM version 2 stands in the place of one of version 1")
        }
        return notes
    }
}

/// Where the cases are, and what is known about them.
enum CurlSuite {
    /// Whether there are cases, or CI runs the tests, which must leave nothing out.
    static var isExpected: Bool { named != nil || Corpus.isExpected }

    /// The folder that `SIGNET_CURL_CASES` names; nil when it names none.
    private static var named: URL? {
        let folder = ProcessInfo.processInfo.environment["SIGNET_CURL_CASES"] ?? ""
        return folder.isEmpty ? nil : URL(filePath: folder)
    }

    /// The folder with the files `test1` and so on: the one that `SIGNET_CURL_CASES` names, or that of the corpus.
    static func folder() throws -> URL { try named ?? Corpus.file("suites/curl-auth/data") }

    static func cases(in folder: URL) throws -> [(number: Int, source: [UInt8])] {
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        let numbers = files.filter { $0.hasPrefix("test") }.compactMap { Int($0.dropFirst(4)) }.sorted()
        return try numbers.map {
            (number: $0, source: Array(try Data(contentsOf: folder.appending(path: "test\($0)"))))
        }
    }

    /// The cases in which Signet differs from curl and is right, with the reasons.
    static func knownDifferences() throws -> [Int: String] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "differences.tsv")
        var result: [Int: String] = [:]
        for line in String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n") {
            guard !line.hasPrefix("#") else { continue }
            let parts = line.split(separator: "\t", maxSplits: 1)
            let number = try #require(parts.first.flatMap { Int($0) }, "“\(line)” has no number")
            result[number] = try #require(
                parts.count == 2 ? parts.last.map { String($0) } : nil, "\(number) has no reason")
        }
        return result
    }

    static func table(_ results: [CurlResult], _ known: [Int: String]) -> String {
        let lines = results.map { result in
            let reason = result.verdict == .failed ? known[result.number].map { "known: \($0)" } : nil
            return "\(result.number)\t\(result.name)\t\(result.verdict.rawValue)\t\(reason ?? result.reason)"
        }
        return (["number\tname\tresult\treason"] + lines).joined(separator: "\n") + "\n"
    }
}
