import HTTPTypes
import Synchronization
import Testing

@testable import SignetHTTP

@Suite struct RedirectTests {
    /// Answers by path and writes down what it is asked.
    private final class Script: ClientTransport {
        let answers: [String: (Int, String)]
        private let list = Mutex<[ClientRequest]>([])
        var asked: [ClientRequest] { list.withLock { $0 } }

        init(_ answers: [String: (Int, String)]) { self.answers = answers }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            list.withLock { $0.append(request) }
            guard let (status, location) = answers["\(request.endpoint.origin)\(request.path)"] else {
                return ClientResponse(status: .ok, fields: [.setCookie: "session=1"])
            }
            return ClientResponse(status: .init(code: status), fields: [.location: location])
        }

        func shutdown() async throws {}

        func isLocal(_ origin: Origin) -> Bool { origin.isLoopback }
    }

    private func follow(
        _ policy: RedirectPolicy, _ answers: [String: (Int, String)], method: HTTPRequest.Method = .post,
        from url: String = "https://a.example/x/start"
    ) async throws -> (status: Int, asked: [ClientRequest], cookie: String?) {
        let script = Script(answers)
        var request = ClientRequest(try Endpoint(url), method: method, body: [1, 2])
        request.fields[.authorization] = "Basic c2VjcmV0"
        request.fields[.cookie] = "a=b"
        request.fields[.contentType] = "text/xml"
        if let key = HTTPField.Name("X-Key") { request.fields[key] = "secret" }
        if let action = HTTPField.Name("SOAPAction") { request.fields[action] = "\"go\"" }
        let response = try await RedirectingTransport(script, policy).send(request)
        return (response.status.code, script.asked, response.fields[.setCookie])
    }

    /// Nothing says whose they are, and no output shows them.
    @Test(arguments: ["https://u:secret@a.example/y", "//u:secret@b.example/y", "https://u@a.example/y"])
    func userInformationIsRefused(location: String) async throws {
        let (status, asked, _) = try await follow(
            .anyOrigin(maximum: 3), ["https://a.example/x/start": (307, location)])
        #expect(status == 307 && asked.count == 1)
        let shown = Endpoint.withoutUserInformation(location)
        #expect(shown.contains("…@") && !shown.contains("secret") && shown.hasSuffix("/y"))
    }

    /// What goes over plain HTTP only because it does not leave this machine goes no further.
    @Test(arguments: [
        ("http://127.0.0.1/x", "http://b.example/y", false), ("http://127.0.0.1/x", "https://b.example/y", true),
        ("http://127.0.0.1/x", "http://[::1]:8080/y", true), ("http://localhost/x", "http://127.0.0.2/y", true),
        ("http://b.example/x", "http://c.example/y", true), ("http://127.0.0.1.example/x", "http://c.example/y", true),
    ])
    func redirectsFromLoopbackInPlainHTTPStayLocal(from: String, to location: String, isFollowed: Bool) async throws {
        let (status, asked, _) = try await follow(.anyOrigin(maximum: 3), [from: (307, location)], from: from)
        #expect((status == 200) == isFollowed && asked.count == (isFollowed ? 2 : 1))
    }

    @Test func redirectsAreNotFollowedUnlessAllowed() async throws {
        let (status, asked, _) = try await follow(.refuse, ["https://a.example/x/start": (307, "/y")])
        #expect(status == 307 && asked.count == 1)
    }

    @Test(arguments: [
        ("/y?z#f", "/y?z"), ("y", "/x/y"), ("?q", "/x/start?q"), ("../y/./z", "/y/z"), ("../../../y", "/y"),
        ("..", "/"),
        ("https://A.example:443/y", "/y"), ("//a.example/y", "/y"),
    ])
    func staysAtTheOrigin(location: String, path: String) async throws {
        let (status, asked, cookie) = try await follow(
            .sameOrigin(maximum: 1), ["https://a.example/x/start": (308, location)])
        #expect(status == 200)
        #expect(cookie == "session=1")
        // What is asked for may be secret.
        #expect(!asked.contains { "\($0)".contains("?") })
        #expect(asked.map(\.path) == ["/x/start", path])
        #expect(asked.last?.endpoint.origin.description == "https://a.example")
        #expect(asked.last?.body.bytes == [1, 2])
        #expect(asked.last?.fields[.authorization] != nil)
    }

    @Test func aMessageIsNotLost() async throws {
        for status in [301, 302, 303] {
            let post = try await follow(.anyOrigin(maximum: 3), ["https://a.example/x/start": (status, "/y")])
            #expect(post.status == status && post.asked.count == 1)
            let get = try await follow(
                .anyOrigin(maximum: 3), ["https://a.example/x/start": (status, "/y")], method: .get)
            #expect(get.status == 200 && get.asked.count == 2)
        }
    }

    /// Promise P4.
    @Test(arguments: [
        "https://b.example/y", "https://a.example:8443/y", "https://sub.a.example/y", "https://example/y",
    ])
    func strangersGetNoCredentials(location: String) async throws {
        let refused = try await follow(.sameOrigin(maximum: 3), ["https://a.example/x/start": (307, location)])
        #expect(refused.status == 307 && refused.asked.count == 1)
        let (status, asked, cookie) = try await follow(
            .anyOrigin(maximum: 3), ["https://a.example/x/start": (307, location)])
        #expect(status == 200)
        // It would be taken for one of the origin that was called.
        #expect(cookie == nil)
        let names = Set(try #require(asked.last).fields.map { $0.name.canonicalName })
        #expect(names == ["content-type", "soapaction"])
    }

    @Test func redirectsFromHTTPSToHTTPAreNotFollowed() async throws {
        let (status, asked, _) = try await follow(
            .anyOrigin(maximum: 3), ["https://a.example/x/start": (307, "http://a.example/y")])
        #expect(status == 307 && asked.count == 1)
        let upgraded = try await follow(
            .anyOrigin(maximum: 3), ["http://a.example/": (307, "https://a.example/y")], from: "http://a.example/")
        #expect(upgraded.status == 200)
        #expect(upgraded.asked.last?.fields[.authorization] == nil)
    }

    @Test func endlessAndInvalidRedirectsEnd() async throws {
        let loop = try await follow(.sameOrigin(maximum: 4), ["https://a.example/x/start": (307, "start")])
        #expect(loop.status == 307 && loop.asked.count == 5)
        for location in ["ftp://a.example/", "https://user:pw@a.example/", "https://", "http://[", "mailto:a@b"] {
            let broken = try await follow(.anyOrigin(maximum: 4), ["https://a.example/x/start": (307, location)])
            #expect(broken.status == 307 && broken.asked.count == 1)
        }
    }
}
