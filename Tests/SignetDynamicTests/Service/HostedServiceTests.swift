import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Synchronization
import Testing

/// Services without generated code.
@Suite struct HostedServiceTests {
    private static let wsdl = """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t" xmlns:s="\(Namespaces.soap11)"
            xmlns:s12="\(Namespaces.soap12)" xmlns:h="http://schemas.xmlsoap.org/wsdl/http/" xmlns:xs="\(Namespaces.schema)">
        <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
          <xs:element name="Ask"><xs:complexType><xs:sequence>
            <xs:element name="what" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="5"/><xs:pattern value="[a-z]*"/></xs:restriction></xs:simpleType></xs:element>
            <xs:element name="kind" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="one"/><xs:enumeration value="two"/></xs:restriction></xs:simpleType></xs:element>
            <xs:element name="password" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:minLength value="8"/></xs:restriction></xs:simpleType></xs:element>
            <xs:element name="data" type="xs:base64Binary" minOccurs="0"/>
          </xs:sequence></xs:complexType></xs:element>
          <xs:element name="Answer"><xs:complexType><xs:sequence><xs:element name="number" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Refused"><xs:complexType><xs:sequence><xs:element name="code" type="xs:int" maxOccurs="unbounded"/></xs:sequence></xs:complexType></xs:element>
          <xs:element name="Session"><xs:complexType><xs:sequence><xs:element name="id" type="xs:string"/></xs:sequence></xs:complexType></xs:element>
        </xs:schema></types>
        <message name="Ask"><part name="p" element="t:Ask"/></message><message name="Answer"><part name="p" element="t:Answer"/></message>
        <message name="Refused"><part name="p" element="t:Refused"/></message><message name="Session"><part name="p" element="t:Session"/></message>
        <message name="Add"><part name="a" type="xs:int"/><part name="b" type="xs:int"/></message><message name="Sum"><part name="sum" type="xs:int"/></message>
        <portType name="P">
          <operation name="Ask"><input message="w:Ask"/><output message="w:Answer"/><fault name="F" message="w:Refused"/></operation>
          <operation name="Tell"><input message="w:Session"/></operation>
          <operation name="Add"><input message="w:Add"/><output message="w:Sum"/></operation>
          <operation name="Old"><input message="w:Add"/><output message="w:Sum"/></operation>
        </portType>
        <binding name="B" type="w:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>\(operations("s"))</binding>
        <binding name="B12" type="w:P"><s12:binding transport="http://schemas.xmlsoap.org/soap/http"/>\(operations("s12"))</binding>
        <binding name="Plain" type="w:P"><h:binding verb="POST"/>
          <operation name="Add"><h:operation location="/add"/><input><mime:content xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/" type="application/x-www-form-urlencoded"/></input><output><mime:mimeXml xmlns:mime="http://schemas.xmlsoap.org/wsdl/mime/"/></output></operation>
        </binding>
        <service name="S"><port name="A" binding="w:B"><s:address location="http://localhost/a"/></port>
          <port name="A12" binding="w:B12"><s12:address location="http://localhost/a"/></port>
          <port name="Plain" binding="w:Plain"><h:address location="http://localhost/a"/></port></service>
        </definitions>
        """

    private static func operations(_ s: String) -> String {
        """
        <operation name="Ask"><\(s):operation soapAction="urn:ask"/><input><\(s):header message="w:Session" part="p" use="literal"/><\(s):body use="literal"/></input>
          <output><\(s):header message="w:Session" part="p" use="literal"/><\(s):body use="literal"/></output><fault name="F"><\(s):fault name="F" use="literal"/></fault></operation>
        <operation name="Tell"><\(s):operation soapAction="urn:tell"/><input><\(s):body use="literal"/></input></operation>
        <operation name="Add"><\(s):operation soapAction="" style="rpc"/><input><\(s):body use="literal" namespace="urn:rpc"/></input>
          <output><\(s):body use="literal" namespace="urn:rpc"/></output></operation>
        <operation name="Old"><\(s):operation soapAction="urn:old" style="rpc"/><input><\(s):body use="encoded" namespace="urn:old" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></input>
          <output><\(s):body use="encoded" namespace="urn:old" encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"/></output></operation>
        """
    }

    private func service(port: String? = nil) throws -> DynamicService {
        try DynamicService(try WSDLLoader { _ in nil }.load(Array(Self.wsdl.utf8), path: "test.wsdl"), port: port)
    }

    /// A client of a service with this handler.
    private func client(
        checksInput: Bool = false, _ version: SOAPVersion? = nil,
        _ handler: @escaping @Sendable (DynamicRequest, OperationContext) async throws -> DynamicReply
    ) throws -> DynamicClient {
        let service = try service()
        var dispatcher = try service.dispatcher(handler)
        dispatcher.checksInput = checksInput
        var caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost/a"), transport: InProcessTransport(dispatcher))
        caller.version = version
        return DynamicClient(service, caller)
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12])
    func oneFunctionAnswersAllOperations(version: SOAPVersion) async throws {
        let told = Mutex<[DynamicRequest]>([])
        let client = try client(version) { request, context in
            told.withLock { $0.append(request) }
            switch request.operation {
            case "Ask": return DynamicReply(["number": 42], headers: ["Session": ["id": "next"]])
            case "Tell": return DynamicReply(.null)
            default: return DynamicReply(["sum": 7])
            }
        }
        let answer = try await client.answer(to: "Ask", ["what": "abc"], headers: ["Session": ["id": "first"]])
        #expect(answer.output == ["number": 42])
        #expect(answer.headers == ["Session": ["id": "next"]])
        #expect(answer.deviations == [])
        #expect(try await client.call("Tell", ["id": "x"]) == .null)
        #expect(try await client.call("Add", ["a": 3, "b": 4]) == ["sum": 7])
        #expect(try await client.call("Old", ["a": 3, "b": 4]) == ["sum": 7])
        let requests = told.withLock { $0 }
        #expect(requests.map(\.operation) == ["Ask", "Tell", "Add", "Old"])
        #expect(
            requests.map(\.input) == [["what": "abc"], ["id": "x"], ["a": 3, "b": 4], ["a": 3, "b": 4]])
        #expect(requests[0].headers == ["Session": ["id": "first"]])
        #expect(requests.allSatisfy { $0.deviations.isEmpty })
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12])
    func aDeclaredFaultHasItsDetail(version: SOAPVersion) async throws {
        let client = try client(version) { _, _ in
            throw DynamicFault("Refused", ["code": [4, 5]], code: .server, reason: "Not now.")
        }
        let fault = await #expect(throws: DynamicFault.self) { try await client.call("Ask") }
        #expect(fault?.element == "{urn:t}Refused")
        #expect(fault?.detail == ["code": [4, 5]])
        #expect(fault?.fault.reason == "Not now.")
        #expect(fault?.fault.code == .server)
    }

    @Test func whatTheSchemaDoesNotAllowIsAnInternalError() async throws {
        let attempts: [@Sendable () throws -> DynamicReply] = [
            { DynamicReply(["number": "x"]) }, { DynamicReply(["numbers": 1]) },
            { DynamicReply(["number": 1], headers: ["Sesion": ["id": "1"]]) },
            { throw DynamicFault("Unknown", [:], reason: "") },
            { throw DynamicFault("Refused", ["code": ["x"]], reason: "") },
        ]
        for attempt in attempts {
            let client = try client { _, _ in try attempt() }
            let fault = await #expect(throws: SOAPFault.self) { try await client.call("Ask") }
            #expect(fault?.reason == "Internal error.")
        }
    }

    @Test func aFaultOfTheHandlerIsSent() async throws {
        let client = try client { _, _ in throw SOAPFault.client("No such thing.") }
        let fault = await #expect(throws: SOAPFault.self) { try await client.call("Add", ["a": 1, "b": 2]) }
        #expect(fault?.reason == "No such thing.")
    }

    private func envelope(_ body: String) -> [UInt8] {
        Array(
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"\n xmlns:t=\"urn:t\"><s:Body>\(body)</s:Body></s:Envelope>"
                .utf8)
    }

    /// The reason of the fault that a request gets.
    private func refusal(_ body: String, checksInput: Bool = true) async throws -> String {
        var dispatcher = try service().dispatcher { request, _ in
            throw SOAPFault.client(
                request.deviations.map { "\($0.line):\($0.column) \($0.message)" }.joined(separator: "|"))
        }
        dispatcher.checksInput = checksInput
        let response = await dispatcher.respond(to: envelope(body), from: .init())
        let fragment = try XMLFragment(parsing: response.body.bytes ?? [])
        let fault = fragment.children.first(named: "Body")?.children.first
        return fault?.children.first(named: "faultstring")?.text ?? ""
    }

    @Test(arguments: [
        ("<t:what>abcdef</t:what>", "what: “abcdef” is not a value", "at most 5 characters"),
        ("<t:what>ABC</t:what>", "what: “ABC” is not a value", "a text like ‘[a-z]*’ is expected"),
        ("<t:kind>three</t:kind>", "kind: “three”", "one of ‘one’ and ‘two’ is expected"),
        ("<t:password>short</t:password>", "password: what stands here is not a value", "at least 8 characters"),
        ("<t:kind>one</t:kind><t:what>a</t:what>", "what: the element “what” stands behind", ""),
        ("<t:else/>", "line 2, column 33, in s:Envelope/s:Body/t:Ask/else: the element “else” is not known here.", ""),
        ("<what>a</what>", "the element “what” is not known here.", ""),
    ])
    func anInputThatBreaksItsSchemaIsRefused(content: String, place: String, why: String) async throws {
        let reason = try await refusal("<t:Ask>\(content)</t:Ask>")
        #expect(reason.contains("The input of Ask is not what its schema asks for: line 2, column "), "\(reason)")
        #expect(reason.contains(place) && (why.isEmpty || reason.contains(why)), "\(reason)")
        #expect(!reason.contains("short"))
    }

    @Test func onlyTheFirstDeviationsAreNamed() async throws {
        let reason = try await refusal("<t:Ask>\(String(repeating: "<t:no/>", count: 9))</t:Ask>")
        #expect(reason.hasSuffix("(and 4 more)"), "\(reason)")
    }

    @Test func withoutTheCheckTheHandlerGetsTheDeviations() async throws {
        let reason = try await refusal("<t:Ask><t:what>ABCDEF</t:what><t:else/></t:Ask>", checksInput: false)
        // Facets are not checked.
        #expect(reason.contains("“else” is not known here.") && !reason.contains("ABCDEF"), "\(reason)")
    }

    @Test func aBinaryValueBesideTheEnvelopeIsPartOfTheInput() async throws {
        let type = "<xs:sequence><xs:element name=\"data\" type=\"xs:base64Binary\"/></xs:sequence>"
        let dispatcher = try SignetDynamicTests.service(type: type).dispatcher { request, _ in
            throw SOAPFault.client(request.input["data"]?.text ?? "nothing")
        }
        let message = """
            --b\r\nContent-Type: application/xop+xml; type="text/xml"; charset=utf-8\r\nContent-ID: <root>\r\n\r\n\
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:t="urn:t"><s:Body><t:Do><t:data>\
            <xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:part"/></t:data></t:Do></s:Body></s:Envelope>\r\n\
            --b\r\nContent-Type: application/octet-stream\r\nContent-ID: <part>\r\n\r\nSignet\r\n--b--\r\n
            """
        let mediaType =
            "multipart/related; boundary=b; type=\"application/xop+xml\"; start=\"<root>\"; start-info=\"text/xml\""
        let response = try await InProcessTransport(dispatcher).send(
            ClientRequest(
                try Endpoint("http://localhost/"), fields: [.contentType: mediaType],
                body: HTTPBody(Array(message.utf8))))
        #expect(String(decoding: response.body, as: UTF8.self).contains("<faultstring>U2lnbmV0</faultstring>"))
    }

    @Test func aPortWithoutSOAPIsNotHosted() throws {
        let service = try service(port: "Plain")
        let error = #expect(throws: DynamicError.self) { _ = try service.dispatcher { _, _ in DynamicReply(.null) } }
        #expect(error?.code == .notSupported)
    }

    @Test func anExampleIsAnAnswer() async throws {
        let service = try service()
        let client = try client { request, _ in DynamicReply(try service.sampleAnswer(of: request.operation)) }
        for operation in service.operations {
            _ = try await client.call(operation.name, try service.sample(of: operation.name))
        }
        #expect(throws: DynamicError.self) { try service.sampleAnswer(of: "Nothing") }
        #expect(try service.sampleAnswer(of: "Tell") == .null)
    }
}
