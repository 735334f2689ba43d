import Foundation
import SignetWSDL
import Testing

@testable import SignetCommand

@Suite struct InspectTests {
    /// A service whose one operation has this schema and these messages.
    private func report(
        schema: String, documentation: String = "", body: String = #"element="t:Ask""#, style: String = "document",
        policy: String = "", depth: Int = 3
    ) throws -> InspectReport {
        let wsdl = """
            <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
              xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
            <types><x:schema targetNamespace="urn:t" elementFormDefault="qualified">\(schema)</x:schema></types>
            <message name="Ask"><part name="p" \(body)/></message>
            <portType name="P"><operation name="Ask"><documentation>\(documentation)</documentation>
              <input message="t:Ask"/></operation></portType>
            <binding name="B" type="t:P">\(policy)<s:binding style="\(style)" transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Ask"><s:operation soapAction="urn:ask"/>
              <input><s:body use="literal" namespace="urn:rpc"/></input></operation></binding>
            <binding name="H" type="t:P"><h:binding xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" verb="GET"/></binding>
            <service name="S"><port name="One" binding="t:B"><s:address location="https://a.example/"/></port>
              <port name="Web" binding="t:H"/><port name="Lost" binding="t:Nowhere"/></service>
            </definitions>
            """
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "a.wsdl")
        var inspector = Inspector(definitions, file: "a.wsdl", operation: nil, depth: depth)
        return inspector.report()
    }

    private func lines(_ report: InspectReport) -> [String] {
        DescriptionText(report, style: Style(isColoured: false)).lines.map { line in
            String(line.drop { $0 == " " })
        }
    }

    @Test func portsAndOperationsAreListed() throws {
        let report = try report(schema: #"<x:element name="Ask" type="x:int"/>"#, documentation: "Asks\n  a lot.")
        let service = try #require(report.services.first)
        #expect(service.ports.map(\.name) == ["One", "Web", "Lost"])
        #expect(service.ports.map(\.binding) == ["SOAP 1.1", "HTTP", "unknown"])
        #expect(service.ports.map { $0.reasonNotUsable == nil } == [true, true, false])
        let operation = try #require(service.operations.first)
        #expect(operation.ports == ["One"])
        #expect(operation.soapAction == "urn:ask")
        #expect(operation.output == nil)
        #expect(operation.input?.body.first?.type == "xs:int")
        let lines = lines(report)
        #expect(lines.contains("Port One  SOAP 1.1  https://a.example/"))
        #expect(lines.contains("Asks a lot."))
        #expect(lines.contains("input  Ask  xs:int"))
        #expect(lines.contains("no output: it is one-way"))
        #expect(service.operations.count == 1)
    }

    @Test func arraysOfTheEncodingShowTheirItems() throws {
        let array = """
            <x:complexType name="A"><x:complexContent><x:restriction base="c:Array" xmlns:c="\(Namespaces.soapEncoding11)">
            <x:attribute ref="c:arrayType" w:arrayType="x:int[]" xmlns:w="\(Namespaces.wsdl)"/></x:restriction></x:complexContent></x:complexType>
            """
        let lines = lines(try report(schema: array, body: #"type="t:A""#, style: "rpc"))
        #expect(lines.contains("p  A"))
        #expect(lines.contains { $0.hasPrefix("item*") && $0.contains("xs:int") }, "\(lines)")
        #expect(!lines.contains { $0.contains("@href") })
    }

    @Test func elementsAreShownWithTypeAndOccurrence() throws {
        let lines = lines(
            try report(
                schema: """
                    <x:element name="Ask"><x:complexType><x:sequence>
                      <x:element name="one" type="x:string"/>
                      <x:element name="maybe" type="x:date" minOccurs="0" nillable="true"/>
                      <x:element name="many" type="t:Kind" minOccurs="0" maxOccurs="unbounded"/>
                      <x:element name="some" type="x:int" maxOccurs="unbounded" default="5"/>
                      <x:element name="few" type="t:Short" minOccurs="2" maxOccurs="4"/>
                      <x:choice minOccurs="0"><x:element name="left" type="t:Either"/><x:element name="right" type="t:Words"/></x:choice>
                      <x:sequence><x:element name="flat" type="x:int" fixed="7"/></x:sequence>
                      <x:any minOccurs="0"/>
                    </x:sequence><x:attribute name="id" type="x:ID" use="required"/><x:attribute name="lang" type="x:language"/>
                    <x:anyAttribute/></x:complexType></x:element>
                    <x:simpleType name="Kind"><x:restriction base="x:string">
                      <x:enumeration value="A"/><x:enumeration value="B"/></x:restriction></x:simpleType>
                    <x:simpleType name="Short"><x:restriction base="t:Code"><x:maxLength value="3"/></x:restriction></x:simpleType>
                    <x:simpleType name="Code"><x:restriction base="x:token"><x:pattern value="[A-Z]*"/></x:restriction></x:simpleType>
                    <x:simpleType name="Either"><x:union memberTypes="x:int t:Kind"/></x:simpleType>
                    <x:simpleType name="Words"><x:list itemType="x:NMTOKEN"/></x:simpleType>
                    """))
        for line in [
            "@id  xs:ID", "@lang?  xs:language", "any attribute", "one  xs:string", "maybe?  xs:date  nillable",
            "many*  Kind (xs:string)  one of: A, B", "some+  xs:int  default “5”",
            "few{2,4}  Short (xs:token)  maxLength=3 pattern=[A-Z]*", "one of?", "left  Either (xs:int or Kind)",
            "right  Words (list of xs:NMTOKEN)", "flat  xs:int  always “7”", "any element?",
        ] {
            #expect(lines.contains(line), "\(line) in \(lines.joined(separator: "\n"))")
        }
    }

    @Test func branchesOfAChoiceStayTogether() throws {
        func element(_ name: String) -> String { "<x:element name=\"\(name)\" type=\"x:int\"/>" }
        let report = try report(
            schema: """
                <x:element name="Ask"><x:complexType><x:choice>
                  <x:sequence>\(element("a"))\(element("b"))</x:sequence>
                  <x:sequence>\(element("c"))<x:element name="d" type="x:int" minOccurs="0"/></x:sequence>
                  <x:group ref="t:Pair"/><x:sequence>\(element("alone"))</x:sequence>\(element("plain"))
                </x:choice></x:complexType></x:element>
                <x:group name="Pair"><x:sequence>\(element("e"))\(element("f"))</x:sequence></x:group>
                """)
        let choice = try #require(report.services.first?.operations.first?.input?.body.first?.children.first)
        #expect(choice.kind == .choice)
        #expect(choice.children.map(\.kind) == [.sequence, .sequence, .sequence, .element, .element])
        let names = choice.children.map { $0.children.compactMap(\.name) }
        #expect(names == [["a", "b"], ["c", "d"], ["e", "f"], [], []])
        let lines = lines(report)
        let start = try #require(lines.firstIndex(of: "one of"))
        #expect(
            lines[start...].prefix(12) == [
                "one of", "all in this order", "a  xs:int", "b  xs:int", "all in this order", "c  xs:int", "d?  xs:int",
                "all in this order", "e  xs:int", "f  xs:int", "alone  xs:int", "plain  xs:int",
            ])
    }

    @Test func membersOfOneNameHaveTheirNamespaces() throws {
        let lines = lines(
            try report(
                schema: """
                    <x:element name="Ask"><x:complexType><x:sequence>
                      <x:element name="id" type="x:int"/><x:choice><x:element name="id" form="unqualified" type="x:string"/>
                      <x:element name="other"><x:complexType><x:sequence><x:element name="id" type="x:date"/></x:sequence></x:complexType>
                      </x:element></x:choice>
                    </x:sequence><x:attribute name="other" type="x:int"/></x:complexType></x:element>
                    """))
        for line in ["{urn:t}id  xs:int", "{}id  xs:string", "id  xs:date", "other", "@other?  xs:int"] {
            #expect(lines.contains(line), "\(line) in \(lines.joined(separator: "\n"))")
        }
    }

    @Test func valuesWithoutVisibleEndsAreQuoted() throws {
        let values = ["", " ", "a", "b ", "c, d"].map { "<x:enumeration value=\"\($0)\"/>" }.joined()
        let lines = lines(
            try report(
                schema: """
                    <x:element name="Ask"><x:simpleType><x:restriction base="x:string">\(values)</x:restriction></x:simpleType></x:element>
                    """))
        #expect(lines.contains("input  Ask  xs:string  one of: “”, “ ”, a, “b ”, “c, d”"), "\(lines)")
    }

    @Test func derivedTypesShowWhatTheyInherit() throws {
        let lines = lines(
            try report(
                schema: """
                    <x:element name="Ask" type="t:Dog"/>
                    <x:complexType name="Animal" abstract="true"><x:sequence><x:element name="name" type="x:string"/></x:sequence>
                      <x:attribute name="legs" type="x:int"/></x:complexType>
                    <x:complexType name="Dog"><x:complexContent><x:extension base="t:Animal"><x:sequence>
                      <x:element name="friend" type="t:Animal" minOccurs="0"/><x:element name="weight" type="t:Weight"/>
                      </x:sequence></x:extension></x:complexContent></x:complexType>
                    <x:complexType name="Weight"><x:simpleContent><x:extension base="x:decimal">
                      <x:attribute name="unit" type="x:string"/></x:extension></x:simpleContent></x:complexType>
                    """))
        #expect(lines.contains("input  Ask  Dog"))
        #expect(lines.contains("friend?  Animal  abstract; or of type Dog"))
        #expect(lines.contains("weight  Weight (xs:decimal)"))
        #expect(lines.contains("@unit?  xs:string"))
        #expect(lines.filter { $0 == "name  xs:string" }.count == 2)
        #expect(lines.filter { $0 == "@legs?  xs:int" }.count == 2)
    }

    @Test func recursionAndDepthAreCut() throws {
        let schema = """
            <x:element name="Ask" type="t:Tree"/>
            <x:complexType name="Tree"><x:sequence><x:element name="branch" type="t:Tree" minOccurs="0" maxOccurs="unbounded"/>
              <x:element ref="t:Self" minOccurs="0"/></x:sequence></x:complexType>
            <x:element name="Self"><x:complexType><x:sequence><x:element ref="t:Self" minOccurs="0"/></x:sequence></x:complexType></x:element>
            """
        let deep = lines(try report(schema: schema, depth: 32))
        #expect(deep.contains("branch*  Tree  … as above"))
        #expect(deep.filter { $0.hasPrefix("Self?") } == ["Self?", "Self?  … as above"])
        let flat = lines(try report(schema: schema, depth: 0))
        #expect(flat.contains("input  Ask  Tree  … (deeper with --types)"))
        #expect(!flat.contains { $0.hasPrefix("branch") })
    }

    @Test func multiplyingTypesAreCutOff() throws {
        // Each type holds the next one ten times: ten billion nodes at depth ten.
        let types = (0..<12).map { level in
            "<x:complexType name=\"T\(level)\"><x:sequence>"
                + (0..<10).map { "<x:element name=\"e\($0)\" type=\"\(level == 11 ? "x:int" : "t:T\(level + 1)")\"/>" }
                .joined()
                + "</x:sequence></x:complexType>"
        }
        let report = try report(
            schema: "<x:element name=\"Ask\" type=\"t:T0\"/>" + types.joined(), depth: 32)
        #expect(lines(report).count < 2 * SchemaTree.maximumNodes)
        #expect(lines(report).contains { $0.hasSuffix("… (too large to show; choose one with --operation)") })
    }

    @Test func circularSchemasEnd() throws {
        let report = try report(
            schema: """
                <x:element name="Ask" type="t:A"/>
                <x:complexType name="A"><x:complexContent><x:extension base="t:B"><x:sequence><x:group ref="t:G"/>
                  </x:sequence></x:extension></x:complexContent></x:complexType>
                <x:complexType name="B"><x:complexContent><x:extension base="t:A"/></x:complexContent></x:complexType>
                <x:group name="G"><x:sequence><x:element name="s" type="t:S"/><x:group ref="t:G"/></x:sequence></x:group>
                <x:simpleType name="S"><x:restriction base="t:S"/></x:simpleType>
                <x:attributeGroup name="AG"><x:attributeGroup ref="t:AG"/></x:attributeGroup>
                """, depth: 32)
        #expect(lines(report).contains { $0.hasPrefix("s  S") })
    }

    @Test func unionsOfUnionsAreNamedAndNotExpanded() throws {
        // Three to the power of thirty members, if each were followed.
        let unions = (0..<30).map { level in
            let member = level == 29 ? "x:int" : "t:U\(level + 1)"
            return
                "<x:simpleType name=\"U\(level)\"><x:union memberTypes=\"\(member) \(member) \(member)\"/></x:simpleType>"
        }
        let lines = lines(
            try report(
                schema: """
                    <x:element name="Ask"><x:complexType><x:sequence><x:element name="many" type="t:U0"/>
                      <x:element name="circular" type="t:C"/><x:element name="inline" type="t:I"/>
                      </x:sequence></x:complexType></x:element>
                    <x:simpleType name="C"><x:union memberTypes="t:C t:V"/></x:simpleType>
                    <x:simpleType name="V"><x:list itemType="t:C"/></x:simpleType>
                    <x:simpleType name="I"><x:union><x:simpleType><x:restriction base="x:token"><x:maxLength value="3"/>
                      </x:restriction></x:simpleType><x:simpleType><x:list itemType="t:C"/></x:simpleType></x:union></x:simpleType>
                    \(unions.joined())
                    """))
        #expect(lines.contains("many  U0 (U1 or U1 or U1)"))
        #expect(lines.contains("circular  C (C or V)"))
        #expect(lines.contains("inline  I (xs:token or list of C)"))
    }

    @Test func longChainsOfDeclarationsAreCutOff() throws {
        // Each declaration is one step below the one before it.
        func chain(_ make: (_ this: Int, _ next: Int) -> String) -> String {
            (0..<3000).map { make($0, $0 + 1) }.joined()
        }
        let types = chain { this, next in
            "<x:complexType name=\"T\(this)\"><x:complexContent><x:extension base=\"t:T\(next)\"><x:sequence>"
                + "<x:element name=\"e\(this)\" type=\"x:int\"/></x:sequence><x:attribute name=\"a\(this)\"/>"
                + "</x:extension></x:complexContent></x:complexType>"
        }
        let groups = chain { this, next in
            "<x:group name=\"G\(this)\"><x:sequence><x:group ref=\"t:G\(next)\"/></x:sequence></x:group>"
        }
        let attributes = chain { this, next in
            "<x:attributeGroup name=\"A\(this)\"><x:attributeGroup ref=\"t:A\(next)\"/></x:attributeGroup>"
        }
        let definitions = try WSDLLoader { _ in nil }.load(
            Array(
                """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
                  xmlns:x="http://www.w3.org/2001/XMLSchema"><types><x:schema targetNamespace="urn:t">
                  <x:element name="Ask"><x:complexType><x:sequence><x:element name="types" type="t:T0"/>
                  <x:group ref="t:G0"/></x:sequence><x:attributeGroup ref="t:A0"/></x:complexType></x:element>
                  <x:complexType name="T3000"/><x:group name="G3000"><x:sequence/></x:group><x:attributeGroup name="A3000"/>
                  \(types)\(groups)\(attributes)</x:schema></types></definitions>
                """.utf8), path: "a.wsdl")
        var tree = SchemaTree(definitions.schema, depth: 3)
        let node = tree.element(QName("urn:t", "Ask"))
        let chain = try #require(node.children.first { $0.name == "types" })
        #expect(chain.cut == .size)
        #expect(chain.children.last?.name == "e0")
        #expect(chain.children.contains { $0.name == "a0" })
        #expect(chain.children.filter { $0.kind == .element }.count == SchemaTree.maximumOpen - 1)
    }

    @Test func onlyBrokenOperationsAreMarkedAsNotGenerated() throws {
        let names = (0..<9).map { "Op\($0)" }
        let broken: Set = ["Op2", "Op7"]
        func all(_ make: (String) -> String) -> String { names.map(make).joined() }
        let wsdl = """
            <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t" targetNamespace="urn:t"
              xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:x="http://www.w3.org/2001/XMLSchema">
            <types><x:schema targetNamespace="urn:t">
              \(all { "<x:element name='\($0)' type='\(broken.contains($0) ? "t:Nowhere\($0)" : "x:int")'/>" })
            </x:schema></types>
            \(all { "<message name='\($0)'><part name='p' element='t:\($0)'/></message>" })
            <portType name="P">\(all { "<operation name='\($0)'><input message='t:\($0)'/></operation>" })</portType>
            <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
              \(all { "<operation name='\($0)'><s:operation/><input><s:body use='literal'/></input></operation>" })
            </binding>
            <service name="S"><port name="One" binding="t:B"><s:address location="https://a.example/"/></port></service>
            </definitions>
            """
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "a.wsdl")
        var inspector = Inspector(definitions, file: "a.wsdl", operation: nil, depth: 1)
        let operations = try #require(inspector.report().services.first?.operations)
        #expect(operations.map(\.name) == names)
        for operation in operations {
            let reasons = operation.reasonsNotGenerated
            #expect(reasons.isEmpty != broken.contains(operation.name), "\(operation.name): \(reasons)")
            #expect(reasons.allSatisfy { $0.contains("Nowhere\(operation.name)") }, "\(reasons)")
        }
    }

    @Test func RPCPartsStandInTheirWrapper() throws {
        let report = try report(
            schema:
                #"<x:complexType name="In"><x:sequence><x:element name="a" type="x:int"/></x:sequence></x:complexType>"#,
            body: #"type="t:In""#, style: "rpc")
        let body = try #require(report.services.first?.operations.first?.input?.body.first)
        #expect(body.name == "Ask")
        #expect(body.namespace == "urn:rpc")
        #expect(body.children.map(\.name) == ["p"])
        #expect(body.children.first?.children.map(\.name) == ["a"])
    }

    @Test func controlCharactersOfAWSDLAreEscaped() throws {
        // A character reference can put into a WSDL what its bytes may not hold.
        let report = try report(
            schema: """
                <x:element name="Ask" type="t:K"/>
                <x:simpleType name="K"><x:restriction base="x:string"><x:enumeration value="a&#x9B;31m&#x202E;b"/>
                </x:restriction></x:simpleType>
                """, documentation: "Fine&#x9B;2J &#x85;text&#x202E;")
        for line in lines(report) {
            #expect(line.unicodeScalars.allSatisfy { !TerminalText.isUnsafe($0) }, "\(line)")
        }
        #expect(lines(report).contains { $0.contains(#"a\u{9B}31m\u{202E}b"#) })
    }

    @Test func operationsThatCannotBeGeneratedAreMarked() throws {
        let report = try report(schema: #"<x:element name="Ask" type="t:Nowhere"/>"#)
        let operation = try #require(report.services.first?.operations.first)
        #expect(!operation.reasonsNotGenerated.isEmpty)
        #expect(lines(report).contains { $0.hasPrefix("cannot be generated: ") })
        let fine = try self.report(schema: #"<x:element name="Ask" type="x:int"/>"#)
        #expect(fine.services.first?.operations.first?.reasonNotCallable == nil)
    }

    @Test func requirementsOfPoliciesAreShown() throws {
        let policy = """
            <p:Policy xmlns:p="http://www.w3.org/ns/ws-policy"
              xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"><sp:TransportBinding><p:Policy>
              <sp:TransportToken><p:Policy><sp:HttpsToken><p:Policy><sp:RequireClientCertificate/></p:Policy></sp:HttpsToken>
              </p:Policy></sp:TransportToken></p:Policy></sp:TransportBinding></p:Policy>
            """
        let report = try report(schema: #"<x:element name="Ask" type="x:int"/>"#, policy: policy)
        #expect(report.services.first?.ports.first?.security.count == 2)
        #expect(lines(report).contains { $0.hasPrefix("asks for: a client certificate in TLS") })
        #expect(report.services.first?.ports.first?.requirements.map(\.kind) == ["tls", "clientCertificate"])
        #expect(lines(report).contains("calls need: TLS, a client certificate in TLS"))
    }

    @Test func unsupportedRequirementsOfPoliciesAreShown() throws {
        let policy = """
            <p:Policy xmlns:p="http://www.w3.org/ns/ws-policy"
              xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"><sp:SymmetricBinding/></p:Policy>
            """
        let report = try report(schema: #"<x:element name="Ask" type="x:int"/>"#, policy: policy)
        #expect(report.services.first?.ports.first?.unsupportedRequirements.count == 1)
        #expect(report.diagnostics.contains { $0.contains("warning") && $0.contains("SymmetricBinding") })
        #expect(lines(report).contains { $0.hasPrefix("not done by signet: ") && $0.contains("a.wsdl:") })
    }

    @Test func longTextIsWrapped() {
        #expect(DescriptionText.wrapped("aa bb cc", width: 5) == ["aa bb", "cc"])
        #expect(DescriptionText.wrapped("aaaaaaaa b", width: 5) == ["aaaaaaaa", "b"])
        #expect(DescriptionText.wrapped("", width: 5).isEmpty)
    }

    @Test func stylesWriteColoursOnlyWhenAsked() {
        #expect(Style(isColoured: false).bold("a") == "a")
        #expect(Style(isColoured: true).bold("a") == "\u{1B}[1ma\u{1B}[0m")
    }
}
