import HTTPTypes
import SignetSOAP

extension ServiceCaller {
    /// Calls without a wire.
    init(_ transport: any ClientTransport, version: SOAPVersion? = nil) throws {
        self.init(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        self.version = version
    }
}

/// Answers every request with the same bytes and keeps the requests.
actor CannedTransport: ClientTransport {
    private(set) var requests: [ClientRequest] = []
    private let response: ClientResponse

    init(
        status: Int = 200, contentType: String? = "text/xml; charset=utf-8", location: String? = nil,
        cookies: [String] = [], fields: HTTPFields = [:], _ body: String,
        encode: (String) -> [UInt8] = { Array($0.utf8) }
    ) {
        var fields = fields
        fields[.contentType] = contentType
        if let location, let name = HTTPField.Name("Location") { fields[name] = location }
        for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
        response = ClientResponse(status: .init(code: status), fields: fields, body: encode(body))
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        requests.append(request)
        return response
    }

    func shutdown() async throws {}
}

/// An envelope as a peer would write it.
func envelope(_ body: String, header: String = "", _ version: SOAPVersion = .soap11) -> String {
    """
    <?xml version="1.0"?><s:Envelope xmlns:s="\(version.namespace)" xmlns:g="urn:greeting">\
    \(header)<s:Body>\(body)</s:Body></s:Envelope>
    """
}
