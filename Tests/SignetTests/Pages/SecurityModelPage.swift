import Foundation
import Testing

/// The article SecurityModel names the tests that show each promise.
@Suite struct SecurityModelPage {
    private let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

    private func article() throws -> String {
        try String(contentsOf: root.appending(path: "Sources/Signet/Signet.docc/SecurityModel.md"), encoding: .utf8)
    }

    @Test func testsThatTheArticleNamesExist() throws {
        let article = try article()
        let paths = article.matches(of: /`((?:Tests|Fuzz)\/[^`]+)`/).map { String($0.1) }
        #expect(paths.count > 40)
        for path in paths {
            let file = root.appending(path: path).path(percentEncoded: false)
            #expect(FileManager.default.fileExists(atPath: file), "There is no \(path).")
        }
    }

    /// Each promise has a test.
    @Test func everyPromiseHasATest() throws {
        let article = try article()
        let promises = try #require(article.split(separator: "## What ").first { $0.hasPrefix("Signet promises") })
        let rows = promises.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| promise |") }
        #expect(rows.count > 20)
        for row in rows { #expect(row.contains("`Tests/"), "\(row)") }
    }
}
