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

    @Test func casesAreReadFromAListFile() throws {
        #expect(try listed("# first\nc\n\na\n") == ["c", "a"])
    }

    @Test func missingFilesAreErrors() {
        #expect { try listed("a\nd\n") } throws: { "\($0)".contains("‘d’") }
    }

    /// A folder with files that import each other; a file with a capital letter has a service.
    private func mains(_ imports: [String: [String]]) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: UUID().uuidString, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, imported) in imports {
            let lines = imported.map { "<import namespace='urn:x' location='\($0).wsdl'/>" }.joined()
            let service = name.first?.isUppercase == true ? "<service name='s'/>" : ""
            let text = "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>\(lines)\(service)</definitions>"
            try Data(text.utf8).write(to: folder.appending(path: "\(name).wsdl"))
        }
        return try CorpusCase.all(in: folder).map { String($0.name.dropLast(5)) }
    }

    @Test func wsdlsThatNoOtherImportsAreChecked() throws {
        #expect(try mains(["a": ["b", "a"], "b": ["c"], "c": [], "d": []]) == ["a", "d"])
    }

    @Test func inAnImportCycleTheWSDLWithAServiceIsChecked() throws {
        #expect(try mains(["a": ["B"], "B": ["c"], "c": ["a"]]) == ["B"])
        #expect(try mains(["b": ["a"], "a": ["b"]]) == ["a"])
        #expect(try mains(["z": ["a"], "a": ["B"], "B": ["a", "c"], "c": ["d"], "d": ["c"]]) == ["z"])
    }
}
