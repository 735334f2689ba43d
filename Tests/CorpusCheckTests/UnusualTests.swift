import CorpusCheck
import Foundation
import Testing

/// Small WSDLs, nearly all valid, that hold what real ones hardly ever hold together.
@Suite struct UnusualTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "UnusualWSDLs")

    @Test func everyMessageComesBackAsItWas() async throws {
        let work = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        let checker = CorpusChecker(samples: 6, judges: nil, work: work)
        let cases = try CorpusCase.all(in: Self.folder)
        #expect(cases.count > 130)
        let reports = await checker.checkAll(cases, jobs: 2) { _ in }
        #expect(reports.count == cases.count)
        for report in reports {
            #expect(report.outcome == .passed, "\(report.line)")
            #expect(report.instances > 0, "\(report.name)")
        }
    }
}
