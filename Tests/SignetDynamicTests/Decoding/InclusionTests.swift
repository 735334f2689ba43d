import HTTPTypes
import SignetDynamic
import SignetSOAP
import Testing

/// Answers in which content stands beside the envelope.
@Suite struct InclusionTests {
    private struct PackageTransport: ClientTransport {
        let answer: String

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            ClientResponse(
                status: .ok,
                fields: [
                    .contentType:
                        "multipart/related; boundary=B; type=\"application/xop+xml\"; start-info=\"text/xml\""
                ], body: Array(answer.utf8))
        }

        func shutdown() async throws {}
    }

    private func call(_ reference: String, parts: String) async throws -> DynamicValue {
        let include = "<x:Include xmlns:x='http://www.w3.org/2004/08/xop/include' href='\(reference)'/>"
        let envelope =
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><Do xmlns='urn:t'><c>\(include)</c></Do></s:Body></s:Envelope>"
        let root =
            "--B\r\nContent-Type: application/xop+xml; type=\"text/xml\"\r\nContent-ID: <root@x>\r\n\r\n\(envelope)"
        let service = try service(
            "<xs:element name=\"Do\"><xs:complexType><xs:sequence><xs:element name=\"c\" type=\"xs:base64Binary\"/></xs:sequence></xs:complexType></xs:element>"
        )
        let transport = PackageTransport(answer: "\(root)\(parts)\r\n--B--\r\n")
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        return try await DynamicClient(service, caller).call("Do", ["c": ""])
    }

    @Test func contentIsPutBackInBase64() async throws {
        let part = "\r\n--B\r\nContent-ID: <a@x>\r\n\r\nhello"
        #expect(try await call("cid:a@x", parts: part) == ["c": "aGVsbG8="])
    }

    /// Also where the message has no part but the envelope.
    @Test(arguments: ["", "\r\n--B\r\nContent-ID: <b@x>\r\n\r\nhello"])
    func aReferenceToNothingIsAnError(parts: String) async throws {
        for reference in ["cid:a@x", "cid:root@x", "http://a.example/b", ""] {
            let error = await #expect(throws: DynamicError.self) { try await call(reference, parts: parts) }
            #expect(error?.code == .invalidValue)
        }
    }
}
