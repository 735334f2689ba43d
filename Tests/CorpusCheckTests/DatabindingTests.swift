import CorpusCheck
import Foundation
import Testing

/// W3C's “XML Schema Patterns for Databinding”: every pattern has a type, and instances of it.
@Suite struct DatabindingTests {
    /// The source's own defects, said in its description.
    static let defects: [String: String] = [
        "UnsignedLongElement-UnsignedLongElement02": "-0 is no lexical form of a type without a sign",
        "UnsignedLongElement-UnsignedLongElement03": "+42 is no lexical form of a type without a sign",
        "UnsignedIntElement-UnsignedIntElement02": "-0 is no lexical form of a type without a sign",
        "UnsignedIntElement-UnsignedIntElement03": "+42 is no lexical form of a type without a sign",
        "UnsignedShortElement-UnsignedShortElement02": "-0 is no lexical form of a type without a sign",
        "UnsignedShortElement-UnsignedShortElement03": "+42 is no lexical form of a type without a sign",
        "UnsignedByteElement-UnsignedByteElement02": "-0 is no lexical form of a type without a sign",
        "UnsignedByteElement-UnsignedByteElement03": "+42 is no lexical form of a type without a sign",
        "ComplexTypeAttributeExtension-ComplexTypeAttributeExtension01": "an attribute stands at the wrong element",
        "ImportSchema": "the imported schema is an empty file",
    ]

    @Test func everyInstanceComesBackAsItWas() throws {
        guard let suite = CorpusFolder.suite("w3c-databinding") else { return }
        let file = suite.appending(path: "wsdl/examples.wsdl")
        let item = CorpusCase(name: "examples", file: file, root: suite)
        let (definitions, _) = try item.load()
        var report = CorpusReport(name: "examples")
        let service = try #require(try ServiceUnderTest.all(definitions, &report).first)
        let examples = suite.appending(path: "examples")
        var patterns = 0
        var instances = 0
        for pattern in try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted() {
            let folder = examples.appending(path: pattern)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
                $0.hasPrefix("echo") && $0.hasSuffix(".xml") && !$0.contains("-soap1")
            }
            if !names.isEmpty { patterns += 1 }
            for name in names {
                let key = String(name.dropFirst("echo".count).dropLast(".xml".count))
                if Self.defects.keys.contains(where: { key == $0 || key.hasPrefix("\($0)-") }) { continue }
                instances += 1
                let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
                do {
                    let differences = try service.differences(bytes)
                    #expect(differences.isEmpty, "\(key)")
                } catch {
                    Issue.record("\(key): \(error)")
                }
            }
        }
        #expect(patterns == 287)
        #expect(instances > 500)
    }
}

/// Where the documents made by others lie.
enum CorpusFolder {
    /// Nil, which is said, when they are not there; in CI that is a failure.
    static func suite(_ name: String) -> URL? {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["SIGNET_CORPUS"] else {
            if environment["CI"] == "true" { Issue.record("SIGNET_CORPUS is not set, and CI must not leave tests out.") }
            print("SIGNET_CORPUS is not set: the tests on \(name) are left out.")
            return nil
        }
        return URL(filePath: folder, directoryHint: .isDirectory).appending(path: "suites/\(name)")
    }
}
