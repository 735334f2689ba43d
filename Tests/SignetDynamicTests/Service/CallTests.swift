import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Testing

@Suite struct CallTests {
    private static func wsdl(_ soap: String = Namespaces.soap11) -> String {
        """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t" xmlns:s="\(soap)"
            xmlns:xs="\(Namespaces.schema)">
        <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
          <xs:element name="Ask"><xs:complexType><xs:sequence><xs:element name="what" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Answer"><xs:complexType><xs:sequence><xs:element name="number" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Refused"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Session"><xs:complexType><xs:sequence><xs:element name="id" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Other" type="xs:int"/>
        </xs:schema></types>
        <message name="Ask"><part name="p" element="t:Ask"/></message><message name="Answer"><part name="p" element="t:Answer"/></message>
        <message name="Refused"><part name="p" element="t:Refused"/></message><message name="Session"><part name="p" element="t:Session"/></message>
        <message name="Add"><part name="a" type="xs:int"/><part name="b" type="xs:int"/></message><message name="Sum"><part name="sum" type="xs:int"/></message>
        <portType name="P">
          <operation name="Ask"><documentation>Asks.</documentation><input message="w:Ask"/><output message="w:Answer"/><fault name="F" message="w:Refused"/></operation>
          <operation name="Tell"><input message="w:Ask"/></operation>
          <operation name="Add"><input message="w:Add"/><output message="w:Sum"/></operation>
          <operation name="Old"><input message="w:Add"/><output message="w:Sum"/></operation>
        </portType>
        <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Ask"><s:operation soapAction="urn:ask"/><input><s:header message="w:Session" part="p" use="literal"/><s:body use="literal"/></input>
            <output><s:body use="literal"/></output></operation>
          <operation name="Tell"><s:operation soapAction="urn:tell"/><input><s:body use="literal"/></input></operation>
          <operation name="Add"><s:operation soapAction="" style="rpc"/><input><s:body use="literal" namespace="urn:rpc"/></input>
            <output><s:body use="literal" namespace="urn:rpc"/></output></operation>
          <operation name="Old"><s:operation style="rpc"/><input><s:body use="encoded"/></input><output><s:body use="encoded"/></output></operation>
        </binding>
        <service name="S"><port name="A" binding="w:B"><s:address location="http://localhost/a"/></port></service>
        </definitions>
        """
    }

    private func service(_ soap: String = Namespaces.soap11) throws -> DynamicService {
        try DynamicService(try WSDLLoader { _ in nil }.load(Array(Self.wsdl(soap).utf8), path: "test.wsdl"))
    }

    private func envelope(_ body: String, header: String = "") -> String {
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\" xmlns:t=\"urn:t\" xmlns:r=\"urn:rpc\">\(header)<s:Body>\(body)</s:Body></s:Envelope>"
    }

    @Test func aCallSendsWhatTheDryRunShows() async throws {
        let transport = TestTransport(.ok, envelope("<t:Answer><t:number>42</t:number></t:Answer>"))
        let client = try DynamicClient(try service(), transport: transport)
        let headers: DynamicValue = ["Session": ["id": "abc"], "{urn:free}Mark": "x"]
        #expect(try await client.call("Ask", ["what": "question"], headers: headers) == ["number": 42])
        let request = try #require(transport.lastRequest)
        #expect(try client.envelope(of: "Ask", ["what": "question"], headers: headers) == request.body.bytes)
        #expect(request.fields[try #require(HTTPField.Name("SOAPAction"))] == "\"urn:ask\"")
        let sent = try XMLFragment(parsing: request.body.bytes ?? [])
        #expect(sent.namespaceURI == "http://schemas.xmlsoap.org/soap/envelope/")
        let blocks = try #require(sent.children.first(named: "Header")).children
        #expect(blocks.map(\.localName) == ["Session", "Mark"])
        #expect(blocks.map(\.namespaceURI) == ["urn:t", "urn:free"])
        #expect(blocks.map(\.text) == ["abc", "x"])
    }

    @Test func blocksOfProvidersAreSentToo() async throws {
        struct Stamp: HeaderBlockProvider {
            func headerBlocks(for attempt: CallAttempt) -> [HeaderBlock] {
                [HeaderBlock(XMLName("urn:h", "Stamp"), text: attempt.operation)]
            }
        }
        let transport = TestTransport(.ok, envelope("<t:Answer><t:number>42</t:number></t:Answer>"))
        var client = try DynamicClient(try service(), transport: transport)
        client.caller.headerProviders = [Stamp()]
        _ = try await client.call("Ask", ["what": ""], headers: ["Session": ["id": "abc"]])
        let sent = try XMLFragment(parsing: try #require(transport.lastRequest).body.bytes ?? [])
        #expect(sent.children.first(named: "Header")?.children.map(\.text) == ["abc", "Ask"])
    }

    @Test func theVersionIsThatOfThePort() async throws {
        let service = try service(Namespaces.soap12)
        #expect(service.version == .soap12)
        #expect(service.port.binding == "SOAP 1.2")
        let client = try DynamicClient(service)
        let sent = try XMLFragment(parsing: try client.envelope(of: "Ask", ["what": ""]))
        #expect(sent.namespaceURI == "http://www.w3.org/2003/05/soap-envelope")
        var older = client
        older.caller.version = .soap11
        let other = try XMLFragment(parsing: try older.envelope(of: "Ask", ["what": ""]))
        #expect(other.namespaceURI == "http://schemas.xmlsoap.org/soap/envelope/")
    }

    @Test func headerBlocksOfTheAnswerAreGiven() async throws {
        let header = "<s:Header><t:Session><t:id>1</t:id></t:Session><f:Free xmlns:f='urn:f'>2</f:Free></s:Header>"
        let transport = TestTransport(.ok, envelope("<t:Answer><t:number>1</t:number></t:Answer>", header: header))
        let answer = try await DynamicClient(try service(), transport: transport).answer(to: "Ask", ["what": ""])
        #expect(answer.headers == ["Session": ["id": "1"], "Free": "2"])
    }

    @Test func aDeclaredFaultIsTyped() async throws {
        let fault = "<s:Fault><faultcode>s:Client</faultcode><faultstring>No.</faultstring><detail>%</detail></s:Fault>"
        func call(_ detail: String) async throws {
            let body = envelope(fault.replacing("%", with: detail))
            _ = try await DynamicClient(try service(), transport: TestTransport(.internalServerError, body)).call(
                "Ask", ["what": ""])
        }
        let declared = await #expect(throws: DynamicFault.self) {
            try await call("<t:Refused><t:code>7</t:code></t:Refused>")
        }
        #expect(declared?.detail == ["code": [7]])
        #expect(declared?.element == "{urn:t}Refused")
        #expect(declared?.fault.reason == "No.")
        #expect(declared.map { "\($0)".contains("7") } == false)
        let other = await #expect(throws: SOAPFault.self) { try await call("<t:Other>7</t:Other>") }
        #expect(other?.detail.first?.text == "7")
        // A detail too deep for a value leaves the fault.
        let levels = String(repeating: "<t:code>", count: 100) + String(repeating: "</t:code>", count: 100)
        let deep = await #expect(throws: SOAPFault.self) { try await call("<t:Refused>\(levels)</t:Refused>") }
        #expect(deep?.reason == "No." && deep?.detail.count == 1)
    }

    @Test func aOneWayOperationHasNoAnswer() async throws {
        let transport = TestTransport(.accepted)
        let client = try DynamicClient(try service(), transport: transport)
        #expect(try await client.call("Tell", ["what": "news"]) == .null)
        #expect(try client.envelope(of: "Tell", ["what": "news"]) == transport.lastRequest?.body.bytes)
        #expect(try client.service.operation("Tell").output == nil)
    }

    @Test func partsAreTheKeysInRPCStyle() async throws {
        let transport = TestTransport(.ok, envelope("<r:AddResponse><sum>5</sum></r:AddResponse>"))
        let client = try DynamicClient(try service(), transport: transport)
        #expect(try await client.call("Add", ["b": 3, "a": 2]) == ["sum": 5])
        let body = try client.body(of: "Add", ["b": 3, "a": 2])
        #expect(body.namespaceURI == "urn:rpc")
        #expect(body.children.map(\.localName) == ["a", "b"])
        #expect(body.children.map(\.namespaceURI) == ["", ""])
        #expect(try client.service.sample(of: "Add") == ["a": 1, "b": 1])
    }

    /// WSDL 1.1 §3.5: no part, several, a type, or an element that others may stand for.
    @Test func theBodyItselfMayBeTheMessage() async throws {
        func service(_ parts: String) throws -> DynamicService {
            let wsdl = Self.wsdl().replacing(
                "<message name=\"Ask\"><part name=\"p\" element=\"t:Ask\"/></message>",
                with: "<message name=\"Ask\">\(parts)</message>"
            ).replacing(
                "<xs:element name=\"Other\"",
                with: "<xs:element name=\"Head\" abstract=\"true\"/><xs:element "
                    + "substitutionGroup=\"t:Head\" name=\"Other\"")
            return try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
        }
        func body(_ parts: String, _ value: DynamicValue) throws -> [XMLFragment] {
            let envelope = try DynamicClient(try service(parts)).envelope(of: "Tell", value)
            return try #require(try XMLFragment(parsing: envelope).children.first(named: "Body")).children
        }
        let several = try body(
            "<part name='a' element='t:Other'/><part name='b' type='xs:int'/>", ["Other": 1, "b": 2])
        #expect(several.map(\.localName) == ["Other", "b"])
        #expect(several.map(\.namespaceURI) == ["urn:t", ""])
        #expect(several.map(\.text) == ["1", "2"])
        #expect(try body("", [:]).isEmpty)
        let head = "<part name='a' element='t:Head'/>"
        #expect(try body(head, ["Other": 3]).map(\.localName) == ["Other"])
        #expect(try service(head).sample(of: "Tell") == ["Other": 1])
    }

    /// XML Schema Part 1 §3.3.6.
    @Test func substitutesMayBeHeaderBlocksAndFaults() async throws {
        let wsdl = Self.wsdl().replacing(
            "<xs:element name=\"Other\"",
            with: "<xs:element name=\"Head\" abstract=\"true\"/><xs:element substitutionGroup=\"t:Head\" name=\"Twin\" "
                + "type=\"xs:date\"/><xs:element substitutionGroup=\"t:Head\" name=\"Other\""
        ).replacing("element=\"t:Refused\"", with: "element=\"t:Head\"")
            .replacing("element=\"t:Session\"", with: "element=\"t:Head\"")
        let service = try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
        let fault =
            "<s:Fault><faultcode>s:Client</faultcode><faultstring>No.</faultstring><detail><t:Twin>2026-01-02</t:Twin>"
            + "</detail></s:Fault>"
        let transport = TestTransport(.internalServerError, envelope(fault))
        let client = try DynamicClient(service, transport: transport)
        let error = await #expect(throws: DynamicFault.self) {
            try await client.call("Ask", ["what": ""], headers: ["Other": 7])
        }
        let sent = try XMLFragment(parsing: try #require(transport.lastRequest).body.bytes ?? [])
        #expect(sent.children.first(named: "Header")?.children.map(\.text) == ["7"])
        #expect(error?.detail == "2026-01-02")
        #expect(error?.element == "{urn:t}Twin")
    }

    @Test func anAnswerMayBeTheBodyItself() async throws {
        let wsdl = Self.wsdl().replacing(
            "<message name=\"Answer\"><part name=\"p\" element=\"t:Answer\"/></message>",
            with:
                "<message name=\"Answer\"><part name=\"a\" element=\"t:Other\"/><part name=\"b\" type=\"xs:int\"/></message>"
        )
        let service = try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
        let transport = TestTransport(.ok, envelope("<t:Other>1</t:Other><b>2</b>"))
        let client = try DynamicClient(service, transport: transport)
        #expect(try await client.call("Ask", ["what": ""]) == ["Other": 1, "b": 2])
        let fault = "<s:Fault><faultcode>s:Client</faultcode><faultstring>No.</faultstring></s:Fault>"
        let refused = try DynamicClient(service, transport: TestTransport(.internalServerError, envelope(fault)))
        await #expect(throws: SOAPFault.self) { try await refused.call("Ask", ["what": ""]) }
    }

    @Test func unknownNamesAreReportedWithSuggestions() async throws {
        let client = try DynamicClient(try service())
        let operation = await #expect(throws: DynamicError.self) { try await client.call("ask", [:]) }
        #expect(operation?.code == .unknownName)
        #expect(operation?.message.contains("Did you mean ‘Ask’?") == true)
        #expect(operation?.message.contains("‘Add’ and ‘Old’") == true)
        let header = #expect(throws: DynamicError.self) {
            try client.envelope(of: "Ask", ["what": ""], headers: ["Sesion": ["id": ""]])
        }
        #expect(header?.message.contains("Did you mean ‘Session’?") == true)
        let value = #expect(throws: DynamicError.self) {
            try client.envelope(of: "Ask", ["what": ""], headers: ["Session": ["id": 1]])
        }
        #expect(value?.path == "Session.id")
    }

    @Test func descriptionsNameOperationsAndPorts() throws {
        let service = try service()
        #expect(service.operations.map(\.name) == ["Ask", "Tell", "Add", "Old"])
        let ask = try service.operation("Ask")
        #expect(ask.input == "{urn:t}Ask")
        #expect(ask.output == "{urn:t}Answer")
        #expect(ask.headers == ["Session"])
        #expect(ask.faults == ["{urn:t}Refused"])
        #expect(ask.documentation == "Asks.")
        #expect(service.description.contains("  Tell: Ask → no answer"))
        #expect(service.ports == [service.port])
    }

    @Test func aValueOfTheWrongTypeIsNotSent() async throws {
        let transport = TestTransport()
        let client = try DynamicClient(try service(), transport: transport)
        await #expect(throws: DynamicError.self) { try await client.call("Ask", ["what": 1]) }
        #expect(transport.lastRequest == nil)
    }
}
