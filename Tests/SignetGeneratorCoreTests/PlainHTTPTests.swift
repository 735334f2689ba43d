import ReferenceServices
import SignetSOAP
import Synchronization
import Testing

/// Generated clients without SOAP.
@Suite struct PlainHTTPTests {
    /// Keeps what was asked for, and answers.
    private final class Canned: ClientTransport {
        let asked = Mutex<[String]>([])
        func send(_ request: ClientRequest) async throws -> ClientResponse {
            asked.withLock {
                $0.append(
                    "\(request.method) \(request.path) \(String(decoding: request.body.bytes ?? [], as: UTF8.self))")
            }
            let answer =
                #"<Received xmlns="urn:example:plain"><method>m</method><parameter name="a">b</parameter></Received>"#
            return ClientResponse(status: .ok, body: Array(answer.utf8))
        }
        func shutdown() async throws {}
    }

    private func caller(_ port: ServicePort, _ transport: Canned) throws -> ServiceCaller {
        #expect(port.version == nil)
        return ServiceCaller(endpoint: try Endpoint(try #require(port.address)), transport: transport)
    }

    @Test func queriesAreWhatTheWSDLSays() async throws {
        let transport = Canned()
        let client = PlainQueries.Client(try caller(PlainQueries.Ports.plainQueriesGet, transport))
        let answer = try await client.search(.init(text: "a b&c", limit: 10, tag: ["x", "", "ü"]))
        #expect(answer.method == "m")
        #expect(answer.parameter == [.init(name: "a", value: "b")])
        _ = try await client.search(.init(text: "", limit: 1))
        _ = try await client.find(.init(shelf: "a/b", book: "1", format: "f&g"))
        _ = try await client.ping(.init())
        #expect(
            transport.asked.withLock { $0 } == [
                "GET /plain/Search?text=a+b%26c&limit=10&tag=x&tag=&tag=%C3%BC ", "GET /plain/Search?text=&limit=1 ",
                "GET /plain/shelves/a%2Fb/books/1?format=f%26g ", "GET /plain/Ping ",
            ])
    }

    @Test func formsAreWhatTheWSDLSays() async throws {
        let transport = Canned()
        let client = PlainForms.Client(try caller(PlainForms.Ports.plainFormsPost, transport))
        _ = try await client.order(.init(article: "a=b", count: 2, express: true))
        _ = try await client.mark(.init(article: "a", count: -1, express: false))
        _ = try await client.review(.init(text: "good", stars: 5))
        let asked = transport.asked.withLock { $0 }
        #expect(
            asked.prefix(2) == [
                "POST /plain/Order article=a%3Db&count=2&express=true",
                "POST /plain/Mark?article=a&count=-1&express=false ",
            ])
        #expect(asked.last?.hasPrefix("POST /plain/Review <") == true)
        #expect(asked.last?.contains("text>good</") == true)
    }

    @Test func rulesAreCheckedBeforeAnythingIsSent() async throws {
        let transport = Canned()
        let client = PlainQueries.Client(try caller(PlainQueries.Ports.plainQueriesGet, transport)).with {
            $0.checksInput = true
        }
        let error = await #expect(throws: ServiceError.self) {
            try await client.search(.init(text: "", limit: 101))
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.contains("limit") == true)
        #expect(transport.asked.withLock { $0 }.isEmpty)
    }

    @Test func inputsDescribeThemselves() {
        #expect("\(PlainQueries.Search(text: "t", limit: 1, tag: ["x"]))".contains("text: \"t\""))
    }
}
