import CorpusFiles
import Foundation
import Testing

/// The W3C XML Schema test suite, as far as it is about datatypes, unpacked into a temporary folder.
struct SchemaSuite {
    struct Case {
        /// The instance's name without its ending.
        var name: String
        var schema: URL
        var instance: URL
        var isValid: Bool
    }

    let folder: URL

    /// Unpacks what is needed from the corpus.
    init() throws {
        let archive = try Corpus.path("suites/xsts.tar.xz")
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-xsts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tar = Process()
        tar.executableURL = URL(filePath: "/usr/bin/env")
        tar.arguments =
            ["tar", "-xJf", archive, "-C", folder.path()]
            + [
                "msMeta/DataTypes_w3c.xml", "msData/datatypes", "msMeta/Regex_w3c.xml", "msData/regex", "sunMeta",
                "sunData/SType", "ibmMeta", "ibmData",
                "nistData",
            ]
            .map { "xsts/\($0)" }
        try tar.run()
        tar.waitUntilExit()
        try #require(tar.terminationStatus == 0, "\(archive) cannot be unpacked")
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func file(_ path: String) -> URL { folder.appending(path: "xsts/\(path)") }

    static func bytes(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

    /// The cases of one catalogue for XML Schema 1.0, and how many are for 1.1 only.
    func cases(catalogue path: String) throws -> (cases: [Case], newer: Int) {
        let catalogue = file(path)
        let root = try SuiteElement.read(Self.bytes(catalogue))
        var cases: [Case] = []
        var newer = 0
        for group in root.children(named: "testGroup") {
            let schema = group.children(named: "schemaTest").first
            for test in group.children(named: "instanceTest") {
                let isNewer = [root, group, schema, test].contains { $0?.attributes["version"] == "1.1" }
                let expected = test.children(named: "expected").first { $0.attributes["version"] != "1.1" }
                guard !isNewer, let expected else {
                    newer += 1
                    continue
                }
                guard let schema = schema?.children(named: "schemaDocument").first?.link,
                    let instance = test.children(named: "instanceDocument").first?.link
                else { continue }
                let place = catalogue.deletingLastPathComponent()
                let file = place.appending(path: instance).standardizedFileURL
                cases.append(
                    Case(
                        name: file.deletingPathExtension().lastPathComponent,
                        schema: place.appending(path: schema).standardizedFileURL, instance: file,
                        isValid: expected.attributes["validity"] == "valid"))
            }
        }
        return (cases, newer)
    }

    /// The cases about regular expressions: schemas, which stand for their own instances, and instances.
    func casesOfPatterns() throws -> (schemas: [Case], instances: [Case]) {
        let path = "msMeta/Regex_w3c.xml"
        let place = file(path).deletingLastPathComponent()
        let root = try SuiteElement.read(Self.bytes(file(path)))
        var schemas: [Case] = []
        for test in root.children(named: "testGroup").flatMap({ $0.children(named: "schemaTest") }) {
            let isValid = test.children(named: "expected").first?.attributes["validity"] == "valid"
            for document in test.children(named: "schemaDocument").compactMap(\.link) {
                let file = place.appending(path: document).standardizedFileURL
                let name = "schema \(file.deletingPathExtension().lastPathComponent)"
                schemas.append(Case(name: name, schema: file, instance: file, isValid: isValid))
            }
        }
        return (schemas, try cases(catalogue: path).cases)
    }

    /// The cases of NIST, whose catalogue is absent: `SV-IV` in a name means a valid instance, `SV-II` an invalid one.
    func casesOfNIST() -> [Case] {
        let files = FileManager.default.enumerator(at: file("nistData"), includingPropertiesForKeys: nil)
        var cases: [Case] = []
        while let file = files?.nextObject() as? URL {
            let name = file.deletingPathExtension().lastPathComponent
            guard name.hasPrefix("NISTXML-"), let last = name.lastIndex(of: "-") else { continue }
            let schema = "NISTSchema-\(name[..<last].dropFirst("NISTXML-".count)).xsd"
            cases.append(
                Case(
                    name: name, schema: file.deletingLastPathComponent().appending(path: schema), instance: file,
                    isValid: name.hasPrefix("NISTXML-SV-IV-")))
        }
        return cases.sorted { $0.name < $1.name }
    }

    /// The catalogues about datatypes; IBM's are for XML Schema 1.1 only.
    static let catalogues =
        ["msMeta/DataTypes_w3c.xml", "sunMeta/SType.testSet"]
        + [
            "date", "dateTimeStamp", "dayTimeDuration", "double", "explicitTimezone", "float", "gDay", "gMonth",
            "gMonthDay", "gYear", "gYearMonth", "idIDREF", "list", "rf_whiteSpace", "time", "union", "unitsLength",
            "unsignedInteger", "yearMonthDuration",
        ].map { "ibmMeta/\($0).testSet" }
}

extension SuiteElement {
    fileprivate var link: String? { attributes["{http://www.w3.org/1999/xlink}href"] }
}
