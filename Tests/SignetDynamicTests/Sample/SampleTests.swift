import CorpusFiles
import Foundation
import SignetDynamic
import SignetXML
import Testing

/// Examples must be valid by the schemas that they are made from, as xmllint checks them.
@Suite struct SampleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var root: String
        var wsdl: String
        var service: String?
        var operations: Int
        var correction: SchemaValidator.Correction?

        var testDescription: String { "\(wsdl) \(service ?? "")" }
    }

    private static let cases = [
        Case(root: "aeat-verifactu", wsdl: "SistemaFacturacion.wsdl", service: "sfVerifactu", operations: 2),
        Case(root: "aeat-verifactu", wsdl: "SistemaFacturacion.wsdl", service: "sfRequerimiento", operations: 1),
        Case(root: "salesforce-partner-48", wsdl: "partner.wsdl.xml", operations: 63),
        // One content model of this schema is ambiguous (XML Schema Part 1 §3.8.6, unique particle attribution).
        Case(
            root: "onvif-ptz", wsdl: "ver20/ptz/wsdl/ptz.wsdl", operations: 29,
            correction: .init(
                file: "ver10/schema/onvif.xsd", mark: "name=\"VideoSourceConfigurationOptionsExtension2\"",
                text:
                    "<xs:any namespace=\"##targetNamespace\" processContents=\"lax\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>"
            )),
    ]

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), arguments: cases)
    func samplesAreMadeForTheCorpus(_ item: Case) throws {
        let root = try Corpus.file("wsdl/\(item.root)")
        try check(item, root: root)
    }

    @Test func webEase() throws {
        let wsdl = TestWSDL.webEase
        try check(
            Case(root: "", wsdl: wsdl.lastPathComponent, operations: 5), root: wsdl.deletingLastPathComponent())
    }

    @Test(arguments: [
        ("<xs:minInclusive value=\"P1D\"/>", "xs:duration", "P1D"),
        ("<xs:maxInclusive value=\"1999-12-31\"/>", "xs:date", "1999-12-31"),
        ("<xs:minInclusive value=\"2000-01-01\"/>", "xs:date", "2025-01-31"),
        ("<xs:minExclusive value=\"P1D\"/>", "xs:duration", "P2D"),
        ("<xs:minExclusive value=\"2030-01-01\"/>", "xs:date", "2030-01-02"),
        ("<xs:maxExclusive value=\"1969-01-01T00:00:00Z\"/>", "xs:dateTime", "1968-12-31T23:59:59Z"),
        ("<xs:minInclusive value=\"7\"/>", "xs:int", "7"),
    ])
    func examplesKeepToBounds(facets: String, base: String, expected: String) throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"t:T\"/></xs:sequence>",
            also:
                "<xs:simpleType name=\"T\"><xs:restriction base=\"\(base)\">\(facets)</xs:restriction></xs:simpleType>")
        let text = try service.sample(of: "Do").json(pretty: false)
        #expect(text.contains(expected), "\(text)")
    }

    private func check(_ item: Case, root: URL) throws {
        let service = try DynamicService(
            contentsOfFile: root.appending(path: item.wsdl).path(), root: root.path(), service: item.service)
        #expect(service.operations.count == item.operations)
        let client = try DynamicClient(service)
        var elements: [(name: String, bytes: [UInt8])] = []
        for operation in service.operations {
            let value = try service.sample(of: operation.name)
            // What is printed must come back as it was.
            #expect(try DynamicValue(json: value.json(pretty: true)) == value)
            elements.append((operation.name, try client.body(of: operation.name, value).bytes))
        }
        let validator = try SchemaValidator(wsdl: item.wsdl, root: root, correction: item.correction)
        defer { validator.remove() }
        for defect in try validator.defects(in: elements) { Issue.record("\(defect)") }
        // A validator that accepts anything would prove nothing.
        #expect(try validator.defects(in: [("wrong", Array("<wrong/>".utf8))]) != [])
    }
}
