import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Testing

/// Remote procedures: what their answers are called, and parts with elements.
@Suite struct ProcedureTests {
    private func service(
        _ use: String = "literal", namespace: String = " namespace=\"urn:t\"",
        input: String = "<part name=\"a\" type=\"xs:string\"/>", output: String = "<part name=\"r\" type=\"xs:int\"/>",
        soap: String = Namespaces.soap11
    ) throws -> DynamicService {
        let style = use == "encoded" ? " encodingStyle=\"\(Namespaces.soapEncoding11)\"" : ""
        let wsdl = """
            <definitions targetNamespace="urn:t" xmlns="\(Namespaces.wsdl)" xmlns:t="urn:t" xmlns:s="\(soap)" xmlns:xs="\(Namespaces.schema)">
            <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified"><xs:element name="id" type="xs:int"/>
            <xs:complexType name="F"><xs:sequence><xs:element name="x" type="xs:string"/></xs:sequence></xs:complexType></xs:schema></types>
            <message name="I">\(input)</message><message name="O">\(output)</message>
            <portType name="P"><operation name="Op"><input message="t:I"/><output message="t:O"/></operation></portType>
            <binding name="B" type="t:P"><s:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Op"><s:operation soapAction=""/><input><s:body use="\(use)"\(style)\(namespace)/></input>
              <output><s:body use="\(use)"\(style)\(namespace)/></output></operation></binding>
            <service name="T"><port name="P" binding="t:B"><s:address location="http://localhost/"/></port></service>
            </definitions>
            """
        return try DynamicService(try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl"))
    }

    private func answer(_ body: String, _ service: DynamicService, _ value: DynamicValue = ["a": ""]) async throws
        -> DynamicAnswer
    {
        let namespace = service.version?.namespace.uri ?? ""
        let transport = TestTransport(.ok, "<s:Envelope xmlns:s=\"\(namespace)\"><s:Body>\(body)</s:Body></s:Envelope>")
        return try await DynamicClient(service, transport: transport).answer(to: "Op", value)
    }

    /// As with generated code, whatever the answer and its only value are called.
    @Test(arguments: [
        "<x:OpResponse xmlns:x='http://DefaultNamespace'><r>5</r></x:OpResponse>", "<OpResponse><r>5</r></OpResponse>",
        "<x:Result xmlns:x='urn:t'><return>5</return></x:Result>", "<OpResponse xmlns='urn:t'><r>5</r></OpResponse>",
        "<OpResponse><r:result xmlns:r='http://www.w3.org/2003/05/soap-rpc'>s</r:result><s>5</s></OpResponse>",
    ])
    func namesOfProcedureAnswersAreIgnored(body: String) async throws {
        for soap in [Namespaces.soap11, Namespaces.soap12] {
            for use in ["literal", "encoded"] {
                for namespace in ["", " namespace=\"urn:t\""] {
                    let service = try service(use, namespace: namespace, soap: soap)
                    let output = try await answer(body, service).output
                    #expect(output.member("r") == 5, "\(output)")
                }
            }
        }
    }

    /// In SOAP's encoding each value says its type; one that the declared type has no room for is told, as it is
    /// elsewhere.
    @Test(arguments: [
        ("x:int", "5", true), ("x:short", "5", true), ("x:double", "5.5", false), ("x:string", "5", false),
    ])
    func typesOfValuesMustFit(type: String, text: String, isFitting: Bool) async throws {
        let body = """
            <OpResponse xmlns:x="\(Namespaces.schema)"><r xmlns:i="\(XMLNamespace.schemaInstance)" i:type="\(type)">\(text)</r></OpResponse>
            """
        for use in ["literal", "encoded"] {
            let found = try await answer(body, try service(use)).deviations.map(\.code)
            #expect(found.contains(.unknownType) == !isFitting, "\(found)")
            #expect(found.isEmpty == isFitting)
        }
        let encoded = body.replacing(Namespaces.schema + "\">", with: Namespaces.soapEncoding11 + "\">")
        #expect(try await answer(encoded, try service("encoded")).deviations.isEmpty == isFitting)
    }

    @Test func namespacesOfProcedureValuesAreIgnored() async throws {
        let parts = "<part name=\"r\" type=\"xs:int\"/><part name=\"s\" type=\"xs:int\"/>"
        let answer = try await answer("<R xmlns='urn:t'><r>5</r><s>6</s></R>", try service(output: parts))
        #expect(answer.output == ["r": 5, "s": 6])
        #expect(answer.deviations.isEmpty)
    }

    @Test func severalValuesKeepTheirNames() async throws {
        let answer = try await answer("<OpResponse><a>5</a><b>6</b></OpResponse>", try service())
        #expect(answer.output == ["{}a": "5", "{}b": "6"], "\(answer.output.json())")
        #expect(answer.deviations.map(\.code) == [.unknownElement, .missingElement, .unknownElement])
    }

    @Test func partsWithOneElementCannotBeToldApart() throws {
        let parts = "<part name=\"id\" element=\"t:id\"/><part name=\"other\" element=\"t:id\"/>"
        let reason = try service(input: parts).operation("Op").reasonNotCallable ?? ""
        #expect(reason.contains("which both travel as the element {urn:t}id"), "\(reason)")
    }

    /// The element of a part stands in the element of the call, as with generated code; a warning says that WS-I
    /// forbids it.
    @Test func aPartMayHaveAnElement() async throws {
        let parts = "<part name=\"flux\" type=\"t:F\"/><part name=\"id\" element=\"t:id\"/>"
        let service = try service(input: parts, output: "<part name=\"p\" element=\"t:id\"/>")
        #expect(service.warnings.count { $0.contains("R2203") } == 2, "\(service.warnings)")
        #expect(service.warnings.first?.contains("‘id’") == true)
        let client = try DynamicClient(service)
        let body = try client.body(of: "Op", ["flux": ["x": "y"], "id": 7])
        #expect(body.children.map(\.localName) == ["flux", "id"])
        #expect(body.children.map(\.namespaceURI) == ["", "urn:t"])
        let value: DynamicValue = ["flux": ["x": "y"], "id": 7]
        for name in ["<t:id xmlns:t='urn:t'>5</t:id>", "<p>5</p>"] {
            #expect(try await answer("<OpResponse>\(name)</OpResponse>", service, value).output == ["id": 5])
        }
    }
}

extension DynamicValue {
    fileprivate func member(_ name: String) -> DynamicValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}
