import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Testing

/// Calls in SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
@Suite struct EncodedCallTests {
    private static func wsdl(_ soap: String = Namespaces.soap11) -> String {
        """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t" xmlns:s="\(soap)"
            xmlns:wsdl="\(Namespaces.wsdl)" xmlns:xs="\(Namespaces.schema)" xmlns:c="\(Namespaces.soapEncoding11)">
        <types><xs:schema targetNamespace="urn:t">
          <xs:complexType name="Entry"><xs:sequence><xs:element name="text" type="xs:string"/><xs:element name="cents" type="c:long"/>
            <xs:element name="tags" type="t:Texts" minOccurs="0"/></xs:sequence></xs:complexType>
          <xs:complexType name="Credit"><xs:complexContent><xs:extension base="t:Entry"><xs:sequence>
            <xs:element name="from" type="xs:string"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
          <xs:complexType name="Texts"><xs:complexContent><xs:restriction base="c:Array">
            <xs:attribute ref="c:arrayType" wsdl:arrayType="xs:string[]"/></xs:restriction></xs:complexContent></xs:complexType>
          <xs:complexType name="Entries"><xs:complexContent><xs:restriction base="c:Array">
            <xs:sequence><xs:element name="entry" type="t:Entry" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
            <xs:attribute ref="c:arrayType" wsdl:arrayType="t:Entry[]"/></xs:restriction></xs:complexContent></xs:complexType>
          <xs:complexType name="Table"><xs:complexContent><xs:restriction base="c:Array">
            <xs:attribute ref="c:arrayType" wsdl:arrayType="xs:int[,]"/></xs:restriction></xs:complexContent></xs:complexType>
          <xs:complexType name="Rows"><xs:complexContent><xs:restriction base="c:Array">
            <xs:attribute ref="c:arrayType" wsdl:arrayType="xs:int[][]"/></xs:restriction></xs:complexContent></xs:complexType>
        </xs:schema></types>
        <message name="M"><part name="entries" type="t:Entries"/><part name="table" type="t:Table"/><part name="rows" type="t:Rows"/>
          <part name="free" type="xs:anyType"/></message>
        <message name="H"><part name="session" type="t:Entry"/></message>
        <message name="F"><part name="bad" type="t:Credit"/></message>
        <portType name="P"><operation name="Do"><input message="w:M"/><output message="w:M"/><fault name="Bad" message="w:F"/>
          </operation></portType>
        <binding name="B" type="w:P"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Do"><s:operation soapAction="urn:do"/>
            <input><s:body use="encoded" namespace="urn:r" encodingStyle="\(Namespaces.soapEncoding11)"/>
              <s:header message="w:H" part="session" use="encoded" namespace="urn:h" encodingStyle="\(Namespaces.soapEncoding11)"/></input>
            <output><s:body use="encoded" namespace="urn:r" encodingStyle="\(Namespaces.soapEncoding11)"/>
              <s:header message="w:H" part="session" use="encoded" namespace="urn:h" encodingStyle="\(Namespaces.soapEncoding11)"/></output>
            <fault name="Bad"><s:fault name="Bad" use="encoded" namespace="urn:f" encodingStyle="\(Namespaces.soapEncoding11)"/></fault>
            </operation>
        </binding>
        <service name="S"><port name="A" binding="w:B"><s:address location="http://localhost/a"/></port></service>
        </definitions>
        """
    }

    private func service(_ soap: String = Namespaces.soap11) throws -> DynamicService {
        try DynamicService(try WSDLLoader { _ in nil }.load(Array(Self.wsdl(soap).utf8), path: "test.wsdl"))
    }

    private func sent(_ json: String, _ soap: String = Namespaces.soap11) throws -> XMLFragment {
        try DynamicClient(try service(soap)).body(of: "Do", try DynamicValue(json: json))
    }

    private func refusal(_ json: String) -> DynamicError? {
        #expect(throws: DynamicError.self) { try sent(json) }
    }

    private let xsi = XMLNamespace.schemaInstance.uri

    // MARK: What is sent

    @Test func valuesNameTheirTypes() throws {
        let body = try sent(
            #"{"entries": [{"text": "a", "cents": 1, "tags": ["x", null]}, null, {"@type": "Credit", "text": "b", "cents": 2, "from": "c"}], "table": [[1, 2, 3], [4, 5, 6]], "rows": [[1], [2, 3]], "free": 7}"#
        )
        #expect(body.namespaceURI == "urn:r")
        #expect(
            body.attribute("encodingStyle", namespace: SOAPVersion.soap11.namespace) == Namespaces.soapEncoding11)
        let children = body.children
        #expect(children.map(\.localName) == ["entries", "table", "rows", "free"])
        let names = try children.map { try qualified($0, "type", xsi) }
        #expect(names == ["{urn:t}Entries", "{urn:t}Table", "{urn:t}Rows", "{\(Namespaces.schema)}int"])
        let arrays = try children.prefix(3).map { try qualified($0, "arrayType", Namespaces.soapEncoding11) }
        #expect(
            arrays == ["{urn:t}Entry[3]", "{\(Namespaces.schema)}int[2,3]", "{\(Namespaces.schema)}int[][2]"])
        let entries = children[0].children
        #expect(entries.map(\.localName) == ["entry", "entry", "entry"])
        #expect(try qualified(entries[0], "type", xsi) == "{urn:t}Entry")
        #expect(entries[1].attribute("nil", namespace: .schemaInstance) == "true")
        #expect(try qualified(entries[2], "type", xsi) == "{urn:t}Credit")
        #expect(try qualified(entries[0].children[1], "type", xsi) == "{\(Namespaces.soapEncoding11)}long")
        #expect(children[1].children.map(\.text) == ["1", "2", "3", "4", "5", "6"])
        let rows = children[2].children
        #expect(
            try rows.map { try qualified($0, "type", xsi) }.allSatisfy { $0 == "{\(Namespaces.soapEncoding11)}Array" })
        #expect(
            try rows.map { try qualified($0, "arrayType", Namespaces.soapEncoding11) } == [
                "{\(Namespaces.schema)}int[1]", "{\(Namespaces.schema)}int[2]",
            ])
    }

    /// SOAP 1.2 Part 2 §3.1.6.
    @Test func headerBlocksAndFaultsAreEncodedToo() async throws {
        let service = try service()
        #expect(try service.operation("Do").reasonNotCallable == nil)
        #expect(try service.operation("Do").headers == ["session"])
        let input = try DynamicValue(json: #"{"entries": [], "table": [[1]], "rows": [], "free": 7}"#)
        let headers = try DynamicValue(json: #"{"session": {"@type": "Credit", "text": "a", "cents": 1, "from": "b"}}"#)
        let client = try DynamicClient(service)
        let envelope = try XMLFragment(parsing: try client.envelope(of: "Do", input, headers: headers))
        let block = try #require(envelope.children.first(named: "Header")?.children.first)
        #expect(block.localName == "session" && block.namespaceURI == "urn:h")
        #expect(try qualified(block, "type", xsi) == "{urn:t}Credit")
        #expect(try qualified(block.children[1], "type", xsi) == "{\(Namespaces.soapEncoding11)}long")

        func answer(_ status: Int, _ header: String, _ body: String) async throws -> DynamicAnswer {
            let envelope = """
                <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="\(xsi)" xmlns:t="urn:t" xmlns:h="urn:h"
                  xmlns:xs="\(Namespaces.schema)" xmlns:f="urn:f"><s:Header>\(header)</s:Header><s:Body>\(body)</s:Body></s:Envelope>
                """
            let transport = TestTransport(.init(code: status), envelope)
            return try await DynamicClient(service, transport: transport).answer(to: "Do", input)
        }
        let entry = "<text xsi:type='xs:string'>x</text><cents xsi:type='xs:long'>2</cents>"
        let good = try await answer(
            200, "<h:session xsi:type='t:Entry'>\(entry)</h:session>", "<r:DoResponse xmlns:r='urn:r'/>")
        #expect(good.headers == ["session": ["text": "x", "cents": 2]])
        let detail = "<f:bad xsi:type='t:Credit'>\(entry)<from xsi:type='xs:string'>y</from></f:bad>"
        let fault = await #expect(throws: DynamicFault.self) {
            try await answer(
                500, "",
                "<s:Fault><faultcode>s:Server</faultcode><faultstring>No</faultstring><detail>\(detail)</detail></s:Fault>"
            )
        }
        #expect(fault?.element == "{urn:f}bad")
        #expect(fault?.detail == ["text": "x", "cents": 2, "from": "y"])
    }

    /// Whether the detail is one or the other cannot be told from its name, so that none of the two is taken for
    /// granted.
    @Test(arguments: [("t:Entry", []), ("t:Credit", ["{urn:f}bad"])])
    func faultsOfOneNameAndTwoTypesStayUntyped(type: String, expected: [String]) async throws {
        let message = #"<message name="G"><part name="bad" type="\#(type)"/></message>"#
        let fault = #"<fault name="Bad" message="w:F"/>"#
        let binding = #"<fault name="Worse"><s:fault name="Worse" use="encoded" namespace="urn:f"/></fault>"#
        let wsdl = Self.wsdl()
            .replacing(#"<message name="F">"#, with: #"\#(message)<message name="F">"#)
            .replacing(fault, with: #"\#(fault)<fault name="Worse" message="w:G"/>"#)
            .replacing(#"<fault name="Bad"><s:fault"#, with: #"\#(binding)<fault name="Bad"><s:fault"#)
        let service = try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
        #expect(Set(try service.operation("Do").faults) == Set(expected))
    }

    @Test func theLaterVersionWritesItemTypeAndArraySize() throws {
        let body = try sent(
            #"{"entries": [], "table": [[1, 2], [3, 4]], "rows": [], "free": null}"#, Namespaces.soap12)
        let table = body.children[1]
        #expect(try qualified(table, "itemType", Namespaces.soapEncoding12) == "{\(Namespaces.schema)}int")
        #expect(table.attribute("arraySize", namespace: XMLNamespace(Namespaces.soapEncoding12)) == "2 2")
    }

    /// As gSOAP writes it.
    @Test func arrayTypeMayStandInTheNamespaceOfTheLaterVersion() throws {
        let wsdl = Self.wsdl(Namespaces.soap12).replacing(Namespaces.soapEncoding11, with: Namespaces.soapEncoding12)
        let service = try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
        let json = #"{"entries": [], "table": [[1, 2], [3, 4]], "rows": [], "free": null}"#
        let body = try DynamicClient(service).body(of: "Do", try DynamicValue(json: json))
        let table = body.children[1]
        #expect(try qualified(table, "itemType", Namespaces.soapEncoding12) == "{\(Namespaces.schema)}int")
        #expect(table.attribute("arraySize", namespace: XMLNamespace(Namespaces.soapEncoding12)) == "2 2")
    }

    @Test func valuesThatAreNoArraysAreRefusedWithTheirPlace() {
        let free = #""free": "", "rows": [], "table": []"#
        #expect(refusal("{\"entries\": {\"text\": \"a\"}, \(free)}")?.path == "Do.entries")
        #expect(refusal("{\"entries\": [{\"text\": \"a\", \"cents\": \"x\"}], \(free)}")?.path == "Do.entries[0].cents")
        let ragged = refusal(#"{"entries": [], "table": [[1, 2], [3]], "rows": [], "free": ""}"#)
        #expect(ragged?.message.contains("equally long") == true)
        #expect(
            refusal(#"{"entries": [], "table": [1], "rows": [], "free": ""}"#)?.message.contains("an array is expected")
                == true)
    }

    @Test func anExampleCanBeSent() throws {
        let sample = try service().sample(of: "Do")
        #expect(
            sample.json()
                == #"{"entries":[{"text":"string","cents":1,"tags":["string"]}],"table":[[1]],"rows":[[1]],"free":"text"}"#
        )
        _ = try DynamicClient(try service()).envelope(of: "Do", sample)
    }

    // MARK: What comes back

    private func answer(_ content: String) async throws -> String {
        let envelope = """
            <e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="\(xsi)" xmlns:c="\(Namespaces.soapEncoding11)"
              xmlns:x="\(Namespaces.schema)" xmlns:t="urn:t"><e:Body e:encodingStyle="\(Namespaces.soapEncoding11)">\(content)</e:Body></e:Envelope>
            """
        let client = try DynamicClient(try service(), transport: TestTransport(.ok, envelope))
        return try await client.call("Do", try client.service.sample(of: "Do")).json()
    }

    /// As Axis answers: every value apart, the name of the wrapper its own.
    @Test func valuesThatStandApartAreRead() async throws {
        let text = """
            <n:other xmlns:n="urn:o" e:encodingStyle="\(Namespaces.soapEncoding11)"><entries href="#a"/><table i:type="c:Array" c:arrayType="x:int[2,2]" c:offset="[1,0]">
            <i>3</i><i>4</i></table><rows c:arrayType="x:int[][1]"><r i:type="c:Array" c:arrayType="x:int[1]"><i>9</i></r></rows>
            <free i:type="c:Array" c:arrayType="x:boolean[2]"><i>1</i><i>0</i></free></n:other>
            <multiRef id="a" c:root="0" i:type="c:Array" c:arrayType="t:Entry[2]"><m href="#b"/><m href="#b"/></multiRef>
            <multiRef id="b" i:type="t:Entry"><text i:type="c:string">t</text><cents i:type="x:long">7</cents></multiRef>
            """
        #expect(
            try await answer(text)
                == #"{"entries":[{"text":"t","cents":7},{"text":"t","cents":7}],"table":[[null,null],[3,4]],"rows":[[9]],"free":[true,false]}"#
        )
    }

    @Test func derivedAndUnknownTypesAreKeptInTheOutput() async throws {
        let text = """
            <r><entries c:arrayType="t:Entry[1]"><m i:type="t:Credit"><text>t</text><t:cents>7</t:cents><from>f</from></m></entries>
            <table i:nil="true"/><free i:type="c:Array" c:arrayType="t:Nothing[1]"><i>1</i></free></r>
            """
        #expect(
            try await answer(text)
                == #"{"entries":[{"@type":"Credit","text":"t","cents":7,"from":"f"}],"table":null,"free":["1"]}"#)
        #expect(
            try await answer(#"<r><free i:type="c:int">5</free></r>"#) == ##"{"free":{"@type":"xs:int","#text":5}}"##)
        #expect(try await answer(#"<r><free><b><c/></b></free></r>"#) == #"{"free":{"b":{"c":""}}}"#)
    }

    /// An attribute's qualified name, with what stands behind it.
    private func qualified(_ element: XMLFragment, _ name: String, _ namespace: String) throws -> String {
        let text = try #require(element.attribute(name, namespace: XMLNamespace(namespace)))
        let parts = text.split(separator: ":", maxSplits: 1)
        let scope = try XMLReader.read(element.bytes) { (reader) throws(XMLError) in
            try reader.root()
            return reader.namespacesInScope
        }
        let uri = scope.last { $0.prefix == parts[0] }?.uri ?? "?"
        return "{\(uri)}\(parts[1])"
    }
}
