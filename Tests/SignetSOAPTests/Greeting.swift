import HTTPTypes
import SignetSOAP

/// A service written by hand as the generator would write it.
enum Greeting {
    struct Greet: XMLStructure {
        var name: String
        var password: String?
        init(name: String, password: String? = nil) {
            self.name = name
            self.password = password
        }
        init(_decoding: Void) { self.init(name: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "name password?")
            fields.field(&x.name)
            fields.field(&x.password)
        }
    }

    struct Greeted: XMLStructure {
        var text: String
        init(text: String) { self.text = text }
        init(_decoding: Void) { self.init(text: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "text")
            fields.field(&x.text)
        }
    }

    struct NobodyThere: XMLStructure {
        var looked: Int32
        init(looked: Int32) { self.looked = looked }
        init(_decoding: Void) { self.init(looked: ._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "looked")
            fields.field(&x.looked)
        }
    }

    static let greet = ServiceOperation<Greet, Greeted>(
        name: "Greet", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Greet"),
        output: XMLName("urn:greeting", "Greeted"),
        faults: [.declared(XMLName("urn:greeting", "NobodyThere"), NobodyThere.self)], namespaces: ["urn:greeting"])

    struct Client: ServiceClient {
        let caller: ServiceCaller
        init(_ caller: ServiceCaller) { self.caller = caller }
        func greet(_ input: Greet) async throws -> Greeted { try await caller.call(Greeting.greet, input) }
    }

    static let wave = OneWayOperation<Greet>(
        name: "Wave", soapAction: "urn:wave", version: .soap11, input: XMLName("urn:greeting", "Wave"),
        namespaces: ["urn:greeting"])

    static let mood = HeaderElement<Greeted>(XMLName("urn:mood", "Mood"))

    static func dispatcher(
        versions: [SOAPVersion] = [.soap11, .soap12],
        _ handler: @escaping @Sendable (Greet, ServiceContext) async throws -> Greeted = { input, _ in
            .init(text: input.name)
        }
    ) -> ServiceDispatcher {
        ServiceDispatcher(name: "Greeting", versions: versions, routes: [greet.route(handler)])
    }
}

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
