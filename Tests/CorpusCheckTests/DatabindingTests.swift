import CorpusCheck
import CorpusFiles
import Foundation
import Testing

/// W3C's “XML Schema Patterns for Databinding”: every pattern has a type, and instances of it.
@Suite struct DatabindingTests {
    /// The source's own defects, by pattern; those of single instances end with their number.
    private static let defects: [String: [String]] = [
        "the WSDL has the element of the pattern in a comment only": [
            "BlockDefault", "FinalDefault", "NoTargetNamespace", "QualifiedLocalAttributes", "QualifiedLocalElements",
            "SOAPEncodedArray", "SchemaVersion", "TargetNamespace", "UnqualifiedLocalAttributes",
            "UnqualifiedLocalElements",
        ],
        "the attribute is global, and so in a namespace, but has none in the instance": [
            "ComplexTypeAttributeExtension", "GlobalAttribute", "GlobalAttributeSimpleType",
            "GlobalAttributeUnqualifiedType",
        ],
        "--MM-- is the form of a draft": ["GMonthAttribute01", "GMonthAttribute04"],
    ]

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func everyInstanceComesBackAsItWas() throws {
        let suite = try Corpus.file("suites/w3c-databinding")
        let file = suite.appending(path: "wsdl/examples.wsdl")
        let item = CorpusCase(name: "examples", file: file, root: suite)
        let (definitions, _) = try item.load()
        var report = CorpusReport(name: "examples")
        let service = try #require(ServiceUnderTest.all(definitions, &report).first)
        let examples = suite.appending(path: "examples")
        let defects = Set(Self.defects.values.joined())
        var patterns = 0
        var instances = 0
        for pattern in try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted() {
            let folder = examples.appending(path: pattern)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter {
                $0.hasPrefix("echo") && $0.hasSuffix(".xml") && !$0.contains("-soap1")
            }
            if !names.isEmpty { patterns += 1 }
            for name in names {
                let key = String(name.dropLast(".xml".count).split(separator: "-").last ?? "")
                let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
                let differences: [String]
                do { differences = try service.differences(bytes) } catch { differences = ["\(error)"] }
                // A case that the list calls broken must be broken, or the list would hide that it was repaired.
                let isBroken = defects.contains(pattern) || defects.contains(key)
                #expect(differences.isEmpty != isBroken, "\(pattern), \(key)")
                instances += 1
            }
        }
        #expect(patterns == 287)
        #expect(instances == 568)
    }
}
