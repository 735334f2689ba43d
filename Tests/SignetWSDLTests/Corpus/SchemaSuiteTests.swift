import CorpusFiles
import Foundation
import SignetWSDL
import SignetXML
import Testing

/// The W3C XML Schema test suite: every schema document that is valid by XML Schema 1.0 loads, nothing of it left out.
@Suite struct SchemaSuiteTests {
    /// What does not load, with the reason.
    static let exceptions: [String: String] = [:]

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func validSchemasLoad() throws {
        let archive = try Corpus.path("suites/xsts.tar.xz")
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-xsts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments = ["tar", "-xJf", archive, "-C", folder.path(), "--exclude=*.xml.bak", "xsts"]
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0)
        let root = folder.appending(path: "xsts").path(percentEncoded: false)
        var documents: Set<String> = []
        for case let file as String in FileManager.default.enumerator(atPath: root) ?? .init()
        where file.contains("Meta/") && (file.hasSuffix(".testSet") || file.hasSuffix(".xml")) {
            documents.formUnion(try Self.validDocuments(in: file, root: root))
        }
        // NIST's catalogue is absent; all its schemas are valid.
        for case let file as String in FileManager.default.enumerator(atPath: "\(root)/nistData") ?? .init()
        where file.hasSuffix(".xsd") { documents.insert("nistData/\(file)") }
        var loaded = 0
        for document in documents.sorted() {
            guard let data = FileManager.default.contents(atPath: "\(root)/\(document)") else { continue }
            let problem = Self.problem(Array(data), document, root)
            if problem == nil { loaded += 1 }
            #expect((problem != nil) == (Self.exceptions[document] != nil), "\(document): \(problem ?? "loads")")
        }
        print("\(loaded) valid schema documents of the suite load, \(Self.exceptions.count) do not")
        #expect(loaded > 8000)
    }

    private static func problem(_ bytes: [UInt8], _ path: String, _ root: String) -> String? {
        do {
            let definitions = try WSDLLoader { name in
                FileManager.default.contents(atPath: "\(root)/\(name)").map { Array($0) }
            }.loadSchema(bytes, path: path)
            return definitions.defects.values.first.map { "\($0)" }
        } catch {
            return "\(error)"
        }
    }

    /// The schema documents that a catalogue says are valid by XML Schema 1.0.
    private static func validDocuments(in catalogue: String, root: String) throws -> Set<String> {
        let bytes = Array(FileManager.default.contents(atPath: "\(root)/\(catalogue)") ?? Data())
        let folder = catalogue.split(separator: "/").dropLast()
        var documents: Set<String> = []
        try XMLReader.read(bytes, doctype: .internalEntities) { reader in
            var open: [(name: String, version: String?)] = []
            var current: [String] = []
            var isValid = false
            while true {
                switch try reader.next() {
                case .startElement:
                    let attributes = Dictionary(
                        reader.allAttributes().map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
                    open.append((reader.elementName, attributes["version"]))
                    switch reader.elementName {
                    case "schemaTest":
                        current = []
                        isValid = false
                    case "schemaDocument":
                        if let link = attributes["href"] {
                            var path = folder
                            for part in link.split(separator: "/") {
                                if part == ".." { path = path.dropLast() } else if part != "." { path.append(part) }
                            }
                            current.append(path.joined(separator: "/"))
                        }
                    case "expected" where attributes["validity"] == "valid" && !open.contains { $0.version == "1.1" }:
                        isValid = true
                    default: break
                    }
                case .text: break
                case .endElement:
                    if open.popLast()?.name == "schemaTest", isValid { documents.formUnion(current) }
                case .endOfDocument: return
                }
            }
        }
        return documents
    }
}
