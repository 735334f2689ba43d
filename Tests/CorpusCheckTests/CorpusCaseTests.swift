import CorpusCheck
import Foundation
import Testing

/// Which WSDLs of a folder are checked.
@Suite struct CorpusCaseTests {
    private let cases = ["a", "b", "c"].map {
        CorpusCase(name: $0, file: URL(filePath: "/\($0)/x.wsdl"), root: URL(filePath: "/\($0)"))
    }

    private func listed(_ text: String) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).txt")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try CorpusCase.listed(in: file, cases).map(\.name)
    }

    @Test func aFileNamesThem() throws {
        #expect(try listed("# first\nc\n\na\n") == ["c", "a"])
    }

    @Test func whatIsNotThereIsAnError() {
        #expect { try listed("a\nd\n") } throws: { "\($0)".contains("‘d’") }
    }
}
