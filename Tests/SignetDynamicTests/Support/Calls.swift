import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Synchronization
import Testing

/// Answers every request with the given answer, and keeps the last one.
final class TestTransport: ClientTransport {
    private let status: HTTPResponse.Status
    private let answer: String
    private let request = Mutex<ClientRequest?>(nil)

    init(_ status: HTTPResponse.Status = .ok, _ answer: String = "") {
        self.status = status
        self.answer = answer
    }

    var lastRequest: ClientRequest? { request.withLock { $0 } }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        self.request.withLock { $0 = request }
        var response = ClientResponse(status: status, body: Array(answer.utf8))
        response.fields[.contentType] = request.fields[.contentType]
        return response
    }

    func shutdown() async throws {}
}

extension DynamicClient {
    init(_ service: DynamicService, transport: TestTransport = .init()) throws {
        self.init(service, ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport))
    }

    /// The element that the body of a call would hold.
    func body(
        of operation: String, _ value: DynamicValue, headers: DynamicValue = .object([])
    ) throws -> XMLFragment {
        let envelope = try XMLFragment(parsing: try envelope(of: operation, value, headers: headers))
        return try #require(envelope.children.first(named: "Body")?.children.first)
    }
}

/// A service with one operation `Do`, whose request and answer are the element `Do` of a schema made of `content`.
func service(
    _ content: String, schema attributes: String = "targetNamespace=\"urn:t\" elementFormDefault=\"qualified\""
) throws -> DynamicService {
    let wsdl = """
        <definitions targetNamespace="urn:w" xmlns="\(Namespaces.wsdl)" xmlns:w="urn:w" xmlns:t="urn:t"
            xmlns:soap="\(Namespaces.soap11)">
        <types><xs:schema \(attributes) xmlns:t="urn:t" xmlns:xs="\(Namespaces.schema)">\(content)</xs:schema></types>
        <message name="M"><part name="p" element="t:Do"/></message>
        <portType name="P"><operation name="Do"><input message="w:M"/><output message="w:M"/></operation></portType>
        <binding name="B" type="w:P">
          <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Do"><soap:operation soapAction="urn:do"/><input><soap:body use="literal"/></input>
            <output><soap:body use="literal"/></output></operation>
        </binding>
        <service name="S"><port name="A" binding="w:B"><soap:address location="http://localhost/a"/></port></service>
        </definitions>
        """
    let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "test.wsdl")
    return try DynamicService(definitions)
}

/// A service whose element `Do` has a complex type with this content.
func service(type content: String, also more: String = "") throws -> DynamicService {
    try service("<xs:element name=\"Do\"><xs:complexType>\(content)</xs:complexType></xs:element>\(more)")
}

extension DynamicService {
    /// The markup inside the body's element, prefixes left out.
    func encoded(_ json: String) throws -> String {
        let body = try DynamicClient(self).body(of: "Do", try DynamicValue(json: json))
        return String(decoding: body.bytes, as: UTF8.self).replacing(#/ xmlns:\w+="[^"]*"/#, with: "")
            .replacing(#/(<\/?)\w+:/#.matchingSemantics(.unicodeScalar)) { $0.output.1 }
    }

    /// The error of a value that must be refused.
    func refusal(_ json: String) throws -> DynamicError? {
        do {
            _ = try DynamicClient(self).body(of: "Do", try DynamicValue(json: json))
            return nil
        } catch let error as DynamicError {
            return error
        }
    }

    /// What a client makes of an answer whose body holds this element.
    func decoded(_ element: String) async throws -> String {
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
                xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"><s:Body>\(element)</s:Body></s:Envelope>
            """
        let client = try DynamicClient(self, transport: TestTransport(.ok, envelope))
        // What is sent does not matter here.
        return try await client.call("Do", try sample(of: "Do")).json()
    }
}
