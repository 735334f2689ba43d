import Testing

@testable import SignetGeneratorCore

@Suite struct TextTests {
    /// Amounts of invoices are often wanted with two digits behind the point, which is not how a number is usually
    /// written.
    @Test func formsThatPatternsWantAreInTheTable() throws {
        func type(_ name: String, _ base: String, _ patterns: String...) -> String {
            let facets = patterns.map { "<xs:pattern value=\"\($0)\"/>" }.joined()
            return
                "<xs:simpleType name=\"\(name)\"><xs:restriction base=\"\(base)\">\(facets)</xs:restriction></xs:simpleType>"
        }
        let names = ["Amount", "Narrow", "Flag", "Month", "Free", "Many"]
        let schema =
            message(names.map { "<xs:element name=\"\($0.lowercased())\" type=\"t:\($0)\"/>" }.joined())
            + type("Amount", "xs:decimal", "[\\-]?[0-9]{1,11}\\.[0-9]{2}") + type("Narrow", "t:Amount", "\\d\\.\\d*")
            + type("Flag", "xs:boolean", "0", "1") + type("Month", "xs:int", "0[1-9]|1[0-2]")
            + type("Free", "xs:decimal", "\\d+")
            + "<xs:simpleType name=\"Many\"><xs:list itemType=\"t:Flag\"/></xs:simpleType>"
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains(#"forms: "0 1.2.2\n1 1.2.2\n2 1|0\n3 2.0.0","#))
        #expect(!text.contains("form="))
    }

    /// The compiler does not look through switches of more than some 630 cases.
    @Test(arguments: [(500, 0), (501, 1), (1001, 2)]) func longSwitchesAreParted(cases: Int, parts: Int) throws {
        let elements = (0..<cases).map { "<xs:element name=\"e\($0)\" type=\"xs:int\"/>" }.joined()
        let text = try generateDemo(makeService(schema: message("<xs:choice>\(elements)</xs:choice>"))).text
        let lines = Set(text.split(separator: "\n").map { $0.drop { $0 == " " } })
        for part in 1...3 {
            #expect(lines.contains("private func encode(rest\(part) writer: inout XMLWriter) {") == (part <= parts))
            #expect(lines.contains("default: encode(rest\(part): &writer)") == (part <= parts))
        }
        for number in 0..<cases {
            #expect(lines.contains("case .e\(number)(let value): writer.value(\(number), value)"))
        }
    }

    @Test(arguments: [
        ("a\"b\\c", #""a\"b\\c""#), ("\\(exit(1))", #""\\(exit(1))""#), ("a\nb\r\t", #""a\nb\r\t""#), ("é", "\"é\""),
        ("\u{2028}\u{7}\u{202E}", #""\u{2028}\u{7}\u{202e}""#),
    ])
    func literalsHoldAnyText(text: String, literal: String) { #expect(text.swiftLiteral == literal) }

    @Test func documentationKeepsParagraphsAndFitsTheLine() {
        let words = "  a\n  b\n\n\n c " + String(repeating: "word ", count: 60)
        let text = SwiftFile(name: "a", code: [.documentation(words)]).text
        #expect(text.hasPrefix("/// a b\n///\n/// c word"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test func noDocumentationCanEndItsComment() {
        let evil = "one */ ```\n}\r\nimport Evil\u{2028}let x\u{85}y\u{0B}z /* " + String(repeating: "w", count: 300)
        let text = SwiftFile(name: "a", code: [.documentation(evil)]).text
        for line in text.split(whereSeparator: \.isNewline) { #expect(line.hasPrefix("///")) }
    }

    @Test func valuesStayInsideTheirLiterals() throws {
        let evil = "x&quot;; fatalError() //&#10;}"
        let type = "<xs:restriction base=\"xs:string\"><xs:enumeration value=\"\(evil)\"/></xs:restriction>"
        let wsdl = makeService(
            schema: message("<xs:element name=\"a\" type=\"t:E\"/>")
                + "<xs:simpleType name=\"E\">\(type)</xs:simpleType>",
            soapOperation: "<soap:operation soapAction=\"\(evil)\"/>")
        let text = try generateDemo(wsdl).text
        #expect(text.contains(#"soapAction: "x\"; fatalError() //\n}""#))
        #expect(text.contains(#"case "x\"; fatalError() //\n}": return "#))
    }

    /// The compiler takes a minute for 1,600 values otherwise, and three seconds so.
    @Test func switchesOverValuesReturnAndHaveADefault() throws {
        let values = (0..<3).map { "<xs:enumeration value=\"v\($0)\"/>" }.joined()
        let type =
            "<xs:simpleType name=\"E\"><xs:restriction base=\"xs:string\">\(values)</xs:restriction></xs:simpleType>"
        let text = try generateDemo(makeService(schema: message("<xs:element name=\"a\" type=\"t:E\"/>") + type)).text
        #expect(text.contains("default: return .unrecognized(rawValue)\n"))
        #expect(!text.contains("self = ."))
        #expect(!text.contains("case .unrecognized(let value):"))
    }

    /// The compiler takes a minute for 800 properties otherwise.
    @Test func largeInitializersStartFromAnEmptyValue() throws {
        let names = ["made"] + (0..<100).map { "f\($0)" }
        let fields = names.map { "<xs:element name=\"\($0)\" type=\"xs:int\"/>" }.joined()
        let result = try generateDemo(makeService(schema: message(fields)))
        let text = result.text
        // The caller's module compiles it, so that the caller must be able to see every name in it.
        for file in result.files where file.text.contains("var made_ = ") {
            #expect(file.text.contains("public import SignetSOAP\n"))
        }
        #expect(text.contains("var made_ = Self(_decoding: ())\n"))
        #expect(text.contains("made_.made = made\n") && text.contains("made_.f99 = f99\n"))
        #expect(text.contains("self = made_\n") && !text.contains("self.f99"))
    }

    @Test func filesAreFixedInNumberAndShareTheTypes() throws {
        let few = try generateDemo(makeService(schema: message("")))
        let types = (0..<40).map { "<xs:complexType name=\"T\($0)\"/>" }
        let fields = (0..<40).map { "<xs:element name=\"f\($0)\" type=\"t:T\($0)\" minOccurs=\"0\"/>" }
        let many = try generateDemo(makeService(schema: message(fields.joined()) + types.joined()))
        for file in many.files where file.name.contains("+Model") && !file.name.contains("Coding") {
            #expect(file.text.contains("public struct T"))
        }
        for file in many.files where file.name.contains("Coding") { #expect(file.text.contains("extension Demo.T")) }
        for result in [few, many] {
            #expect(result.files.map(\.name) == GeneratedFile.names(for: "demo"))
            for file in result.files {
                #expect(file.text.hasPrefix("// Generated by Signet from demo.wsdl. Changes made here are lost.\n"))
                #expect(file.text.hasSuffix("\n") && !file.text.hasSuffix("\n\n"))
            }
        }
        // An empty file must import nothing: a public import that nothing uses is a warning.
        #expect(few.files.contains { $0.text.split(separator: "\n").count == 1 })
    }

    @Test func longListsAreBrokenAtSpaces() throws {
        let fields = (0..<60).map { "<xs:element name=\"aRatherLongElementName\($0)\" type=\"xs:int\"/>" }
        let text = try generateDemo(makeService(schema: message(fields.joined()))).text
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 120 })
        #expect(text.contains("elements: \"\"\"\n"))
    }
}
