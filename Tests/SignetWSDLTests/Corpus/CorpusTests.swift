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
        // The default namespace of its schemas is that of WSDL.
        "w3c-databinding-all": [Namespaces.wsdl],
    ]

    @Test func everyWSDLLoads() throws {
        guard let folder = Corpus.path("wsdl") else { return }
        let manifest = try String(contentsOfFile: "\(folder)/MANIFEST.tsv", encoding: .utf8)
        var count = 0
        for line in manifest.split(separator: "\n").dropFirst() {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let name = columns[0]
            count += 1
            do {
                let root = "\(folder)/\(name)"
                let definitions = try WSDLLoader.load(file: "\(root)/\(columns[1])", root: root)
                #expect(Self.exceptions[name] == nil, "\(name) loads")
                let expected = Self.incomplete[name] ?? []
                // What was not to be had is declared by what was not read.
                let unread = Set(definitions.schema.unreadImports.map(\.namespace))
                #expect(definitions.undeclaredNamespaces.subtracting(unread) == expected, "\(name)")
            } catch {
                #expect(error.code == Self.exceptions[name], "\(name): \(error)")
            }
        }
        #expect(count > 160)
    }
}
