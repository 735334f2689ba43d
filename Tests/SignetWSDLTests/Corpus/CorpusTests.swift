import CorpusFiles
import Foundation
import SignetWSDL
import Testing

/// Every WSDL of the corpus that can be had offline loads.
@Suite struct CorpusTests {
    /// Why a WSDL does not load.
    static let exceptions = [
        // Its schemas were never published with it.
        "aeat-ens-ie315": WSDLError.Code.importNotFound
    ]

    /// WSDLs that refer to names which nothing in them declares; the names' namespaces.
    static let incomplete: [String: Set<String>] = [
        "aws-mturk": ["http://fps.amazonaws.com/doc/2008-09-17/"],
        // Its `types` element is empty.
        "bullhorn": ["http://apiservice.bullhorn.com/"],
        "data-exchange": [""], "eet-cz": ["http://fs.mfcr.cz/eet/schema/v1"],
        "generali-organisation": [
            "http://generali.com/enterprise-services/core/gbm/enterprise/organisation/v1"
        ],
    ]

    /// A WSDL of the corpus by its folder.
    private struct Case {
        var name: String
        var file: String
        var bytes: Int
    }

    private func cases(in folder: String) throws -> [Case] {
        let manifest = try String(contentsOfFile: "\(folder)/MANIFEST.tsv", encoding: .utf8)
        return manifest.split(separator: "\n").dropFirst().map { line in
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            return Case(name: columns[0], file: columns[1], bytes: Int(columns[7]) ?? 0)
        }
    }

    /// What is compared with itself has not changed. The smallest are tried; with `SIGNET_ALL_CASES=1` all are.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func noWSDLDiffersFromItself() throws {
        let folder = try Corpus.path("wsdl")
        let all = try cases(in: folder).filter { Self.exceptions[$0.name] == nil }.sorted { $0.bytes < $1.bytes }
        let isWhole = ProcessInfo.processInfo.environment["SIGNET_ALL_CASES"] == "1"
        for item in isWhole ? all[...] : all.prefix(15) {
            let root = "\(folder)/\(item.name)"
            let first = try WSDLLoader.load(file: "\(root)/\(item.file)", root: root)
            let second = try WSDLLoader.load(file: "\(root)/\(item.file)", root: root)
            // What has a defect is not compared, which is said.
            let changes = ContractComparison.changes(from: first, to: second).filter { change in
                !change.message.hasPrefix("it was not compared: ") && change.path.first?.hasSuffix(" WSDL") != true
            }
            #expect(changes.isEmpty, "\(item.name): \(changes.prefix(3).map { "\($0)" })")
        }
        #expect(all.count > 160)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func everyWSDLLoads() throws {
        let folder = try Corpus.path("wsdl")
        let cases = try cases(in: folder)
        for item in cases {
            let name = item.name
            do {
                let root = "\(folder)/\(name)"
                let definitions = try WSDLLoader.load(file: "\(root)/\(item.file)", root: root)
                #expect(Self.exceptions[name] == nil, "\(name) loads")
                let expected = Self.incomplete[name] ?? []
                // What was not to be had is declared by what was not read.
                let unread = Set(definitions.schema.unreadImports.map(\.namespace))
                #expect(definitions.undeclaredNamespaces.subtracting(unread) == expected, "\(name)")
            } catch {
                #expect(error.code == Self.exceptions[name], "\(name): \(error)")
            }
        }
        #expect(cases.count > 160)
    }
}
