import Foundation
import GreetingService
import HTTPTypes
import SignetSOAP
import SignetServer
import Synchronization
import TestSupport
import Testing

/// Middlewares around every HTTP request of a server, and what a handler learns of HTTP.
@Suite(.timeLimit(.minutes(5))) struct HTTPMiddlewareTests {
    /// What a middleware does, as a closure.
    private struct Middleware: ServerHTTPMiddleware {
        typealias Next = @Sendable (ServerRequest) async throws -> ServerResponse
        let body: @Sendable (ServerRequest, Next) async throws -> ServerResponse

        init(_ body: @escaping @Sendable (ServerRequest, Next) async throws -> ServerResponse) { self.body = body }

        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse { try await body(request, next) }
    }

    private struct Failure: Error, CustomStringConvertible {
        var description: String { "host db7 is down" }
    }

    private enum Trace { @TaskLocal static var current = "" }

    private static let mark = HTTPField.Name("X-Mark") ?? .expect

    private let curl: Curl
    private let seen = Collected()

    init() throws { curl = try Curl() }

    /// Texts in the order in which they came.
    private final class Collected: Sendable {
        private let texts = Mutex<[String]>([])
        func append(_ text: String) { texts.withLock { $0.append(text) } }
        var all: [String] { texts.withLock { $0 } }
    }

    /// Runs a server with middlewares; its handlers note what `look` sees.
    private func withServer<Value: Sendable>(
        _ middlewares: [Middleware], authentication: ServerAuthentication = .none, wsdl: String? = nil,
        look: @escaping @Sendable (OperationContext) -> String = { _ in "called" },
        _ change: (inout SOAPServer.Settings) -> Void = { _ in }, during body: (String) async throws -> Value
    ) async throws -> Value {
        let dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11],
            routes: [
                Greeting.greet.route { [seen] input, context in
                    seen.append(look(context))
                    return .init(text: input.name)
                }, Greeting.wave.route { [seen] _, context in seen.append(look(context)) },
            ])
        return try await withPlainServer(
            dispatcher, authentication: authentication, wsdl: wsdl,
            {
                $0.httpMiddlewares = middlewares
                change(&$0)
            }, during: body)
    }

    private static func post(_ operation: String = "Greet", _ fields: String...) -> [String] {
        Greeting.posting(Greeting.envelope("Ada", operation: operation)) + fields.flatMap { ["--header", $0] }
    }

    private static func fields(_ answer: Curl.Answer) -> String { answer.fields.lowercased() }

    @Test(arguments: ["Greet", "Wave"], [false, true])
    func aHandlerSeesTheHTTPRequest(operation: String, hasMiddleware: Bool) async throws {
        let logs = LogCollector()
        try await withServer(
            hasMiddleware ? [Middleware { request, next in try await next(request) }] : [],
            look: { context in
                let request = context.request
                #expect(context.requestID == request?.id && !context.requestID.isEmpty)
                #expect(context.peer.remoteAddress == request?.remoteAddress)
                #expect(context.peer.remoteAddress?.hasPrefix("127.0.0.1:") == true)
                // What a client calls its request has no effect on how the log calls it.
                #expect(context.requestID != "of-the-client")
                #expect(logs.text.contains(context.requestID))
                return [
                    request?.method.rawValue, request?.path, request?.fields[.authorization], request?.fields[.cookie],
                    HTTPField.Name("X-Request-ID").flatMap { request?.fields[$0] },
                ].map { $0 ?? "nil" }.joined(separator: " | ")
            }, { $0.logger = logs.logger }
        ) { url async throws in
            _ = try await curl(
                url + "?to=Ada",
                Self.post(operation, "Authorization: Bearer abc", "Cookie: a=b", "X-Request-ID: of-the-client"))
        }
        #expect(seen.all == ["POST | /soap?to=Ada | Bearer abc | a=b | of-the-client"])
    }

    @Test(arguments: [
        ("/soap?to=Ada", "Host: localhost:81\r\n", "/soap?to=Ada localhost:81 false"),
        ("http://elsewhere:81/soap?to=Ada", "hOST: localhost\r\n", "/soap?to=Ada localhost false"),
        ("/soap", "Host:\r\n", "/soap nil false"), ("/soap", "", "/soap nil false"),
    ]) func aHandlerSeesPathAndAuthorityOfTheRequest(target: String, host: String, seenRequest: String) async throws {
        try await withServer(
            [],
            look: { context in
                let request = context.request
                let hasHost = request?.fields.contains { $0.name.canonicalName == "host" } ?? true
                return "\(request?.path ?? "nil") \(request?.authority ?? "nil") \(hasHost)"
            }
        ) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let request = Wire.request("Ada", path: target).replacing("Host: localhost\r\n", with: host)
            try client.write(contentsOf: Data(request.utf8))
            #expect(try await Wire.statuses(client.text(to: "Envelope>")) == [200])
        }
        #expect(seen.all == [seenRequest])
    }

    /// RFC 9112 §3.2: those on the way may have gone by the other one.
    @Test func aRequestForTwoHostsIsRefused() async throws {
        try await withServer([]) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let requests = Wire.request("Eve", fields: "host: elsewhere\r\n") + Wire.request("Ada")
            try client.write(contentsOf: Data(requests.utf8))
            #expect(try await Wire.statuses(client.text(to: "Envelope>")) == [400, 200])
        }
        #expect(seen.all == ["called"])
    }

    /// What no client of good will sends has one answer, also where a middleware looks at all of it.
    @Test(arguments: [
        "HEAD /soap HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n", "GET /soap#fragment HTTP/1.1\r\nHost: localhost\r\n",
        "GET //elsewhere/soap HTTP/1.1\r\nHost: a b\r\n", "GET http:///soap HTTP/1.1\r\nHost: localhost\r\n",
        "GET http://[::1:81/soap HTTP/1.1\r\nHost: [::1\r\n", "GET /%00%zz HTTP/1.1\r\nHost: \u{1}\r\n",
        "DELETE /\(String(repeating: "a", count: 6_000))?wsdl HTTP/1.1\r\nHost: :99999999\r\n",
    ]) func unusualRequestHeadsGetOneAnswer(head: String) async throws {
        let looking = Middleware { request, next in
            _ = (request.description, request.authority, request.path, request.fields[.expect])
            return try await next(request)
        }
        // The content that one of them announces never comes.
        try await withServer([looking], { $0.requestArrival = .seconds(5) }) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            try client.write(contentsOf: Data((head + "Connection: close\r\n\r\n").utf8))
            let statuses = Wire.statuses(try #require(try await Wire.all(of: client)))
            #expect(statuses.count == 1 && statuses.allSatisfy { (400..<500).contains($0) }, "\(statuses)")
            let next = try FileHandle.connected(to: #require(URL(string: url)?.port))
            try next.write(contentsOf: Data(Wire.request("Ada").utf8))
            #expect(try await Wire.statuses(next.text(to: "Envelope>")) == [200])
        }
    }

    @Test func theFirstMiddlewareIsOutermostAndAllSeeTheAnswer() async throws {
        let middlewares = ["a", "b"].map { name in
            Middleware { [seen] request, next in
                seen.append("\(name) \(request.fields[Self.mark] ?? "nil")")
                var request = request
                request.fields[Self.mark] = (request.fields[Self.mark] ?? "") + name
                var response = try await next(request)
                seen.append("\(name) \(response.status.code) \(response.fields[.contentType] ?? "nil")")
                response.fields[Self.mark] = (response.fields[Self.mark] ?? "") + name
                return response
            }
        }
        try await withServer(middlewares, look: { $0.request?.fields[Self.mark] ?? "nil" }) { url async throws in
            let answer = try await curl(url, Self.post())
            #expect(answer.status == 200)
            #expect(answer.body.contains("Ada"))
            #expect(Self.fields(answer).contains("x-mark: ba\r\n"))
        }
        let type = "200 text/xml; charset=utf-8"
        #expect(seen.all == ["a nil", "b a", "ab", "b \(type)", "a \(type)"])
    }

    @Test func aRequestIsRefusedBeforeItsContent() async throws {
        let refusing = Middleware { _, _ in
            ServerResponse(status: .serviceUnavailable, fields: [.retryAfter: "7"], body: Array("later".utf8))
        }
        try await withServer([refusing]) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let head = Wire.request("Ada", fields: "Expect: 100-continue\r\n").components(separatedBy: "\r\n\r\n")[0]
            try client.write(contentsOf: Data((head + "\r\n\r\n").utf8))
            let answer = try await client.text(to: "later")
            #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
            #expect(answer.lowercased().contains("retry-after: 7\r\n"))
            #expect(answer.lowercased().contains("content-length: 5\r\n"))
        }
        #expect(seen.all.isEmpty)
    }

    /// A connection is of use after a request whose content the service did not get.
    @Test func theNextRequestOfTheConnectionIsAnswered() async throws {
        let refusing = Middleware { request, next in
            if request.fields[Self.mark] != nil { return ServerResponse(status: .forbidden) }
            return try await next(request)
        }
        try await withServer([refusing]) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let requests = Wire.request("Eve", fields: "X-Mark: 1\r\n") + Wire.request("Ada")
            try client.write(contentsOf: Data(requests.utf8))
            let text = try await client.text(to: "Envelope>")
            #expect(Wire.statuses(text) == [403, 200])
            #expect(text.contains("Ada") && !text.contains("Eve"))
        }
    }

    /// RFC 9110 §9.3.2: what came behind the head would pass for the next answer.
    @Test(arguments: [false, true]) func anAnswerToHEADIsItsHead(isOfMiddleware: Bool) async throws {
        let answering = Middleware { request, next in
            if request.method == .head { return ServerResponse(status: .forbidden, body: Array("never".utf8)) }
            return try await next(request)
        }
        try await withServer(isOfMiddleware ? [answering] : []) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            let requests = "HEAD /soap HTTP/1.1\r\nHost: localhost\r\n\r\n" + Wire.request("Ada")
            try client.write(contentsOf: Data(requests.utf8))
            let text = try await client.text(to: "Envelope>")
            let answers = text.components(separatedBy: "\r\n\r\n")
            #expect(answers.count == 3, "\(text)")
            #expect(text.hasPrefix(isOfMiddleware ? "HTTP/1.1 403 " : "HTTP/1.1 405 "))
            #expect(answers.first?.lowercased().contains("content-length: \(isOfMiddleware ? 5 : 20)") == true)
            #expect(answers.dropFirst().first?.hasPrefix("HTTP/1.1 200 ") == true)
            #expect(answers.last?.contains("Ada") == true)
        }
    }

    @Test func middlewareSeesRefusedRequestsToo() async throws {
        let noting = Middleware { [seen] request, next in
            let response = try await next(request)
            seen.append("\(request.method) \(request.path) \(response.status.code)")
            return response
        }
        try await withServer(
            [noting], authentication: .basic(realm: "Greetings") { _ in false }, wsdl: "<definitions/>"
        ) { url async throws in
            for (path, arguments, status) in [
                ("", ["--request", "PUT"], 405), ("/other", [], 404), ("?wsdl", [], 401), ("", Self.post(), 401),
            ] { #expect(try await curl(url + path, arguments).status == status) }
        }
        #expect(seen.all == ["PUT /soap 405", "GET /soap/other 404", "GET /soap?wsdl 401", "POST /soap 401"])
    }

    @Test func middlewareCannotBypassAuthentication() async throws {
        let right = "Basic " + Data("ada:right".utf8).base64EncodedString()
        let changes: [@Sendable (inout ServerRequest) -> Void] = [
            { $0.fields[.authorization] = right },
            { $0.fields = [:] },
            { $0 = ServerRequest(method: .get, path: "/free", remoteAddress: "10.0.0.1:1", id: "mine") },
        ]
        for change in changes {
            let middleware = Middleware { request, next in
                var request = request
                change(&request)
                return try await next(request)
            }
            try await withServer(
                [middleware], authentication: .basic(realm: "Greetings") { $0.user == "ada" && $0.password == "right" },
                look: { context in
                    #expect(context.request?.path == "/soap")
                    #expect(context.request?.method == .post)
                    #expect(context.requestID != "mine")
                    #expect(context.peer.remoteAddress?.hasPrefix("127.0.0.1:") == true)
                    return context.peer.user ?? "nil"
                }
            ) { url async throws in
                #expect(try await curl(url, Self.post()).status == 401)
                #expect(try await curl(url, Self.post() + ["--user", "ada:wrong"]).status == 401)
                #expect(try await curl(url, Self.post() + ["--user", "ada:right"]).status == 200)
            }
        }
        #expect(seen.all == ["ada", "ada", "ada"])
    }

    @Test(arguments: [false, true]) func onlyTheLogHasTheErrorOfAMiddleware(isBehind: Bool) async throws {
        let logs = LogCollector()
        let failing = Middleware { request, next in
            if isBehind { _ = try await next(request) }
            throw Failure()
        }
        try await withServer([failing], { $0.logger = logs.logger }) { url async throws in
            let answer = try await curl(url, Self.post())
            #expect(answer.status == 500)
            #expect(answer.body == "Internal Server Error.\n")
            #expect(!answer.fields.contains("db7"))
        }
        #expect(seen.all == (isBehind ? ["called"] : []))
        let lines = logs.text.split(separator: "\n").filter { $0.hasPrefix("error") }
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("error a middleware has failed") == true)
        #expect(lines.first?.contains("host db7 is down") == true)
    }

    @Test(arguments: [
        (200, ["Content-Length": "3"]), (200, ["transfer-encoding": "chunked"]), (200, ["Connection": "close"]),
        (200, ["Keep-Alive": "timeout=5"]), (200, ["Trailer": "X-Mark"]), (200, ["Upgrade": "h2c"]), (101, [:]),
        (600, [:]), (204, [:]), (304, [:]),
    ]) func middlewareMustNotSetFieldsOfTheServer(status: Int, fields: [String: String]) async throws {
        let logs = LogCollector()
        let wrong = Middleware { _, _ in
            var response = ServerResponse(status: .init(code: status), body: Array("text".utf8))
            for (name, value) in fields { response.fields[try #require(HTTPField.Name(name))] = value }
            return response
        }
        try await withServer([wrong], { $0.logger = logs.logger }) { url async throws in
            let answer = try await curl(url, Self.post())
            #expect(answer.status == 500)
            #expect(answer.body == "Internal Server Error.\n")
            for (name, value) in fields { #expect(!Self.fields(answer).contains("\(name.lowercased()): \(value)\r")) }
        }
        #expect(logs.text.contains("error the answer of a middleware cannot be sent"))
        #expect(logs.text.contains(fields.keys.first ?? "\(status)"))
    }

    @Test func anAnswerWithoutContentIsSent() async throws {
        let empty = Middleware { _, _ in ServerResponse(status: .noContent, fields: [Self.mark: "1"]) }
        try await withServer([empty]) { url async throws in
            let answer = try await curl(url, Self.post())
            #expect(answer.status == 204)
            #expect(Self.fields(answer).contains("x-mark: 1\r\n"))
            #expect(answer.body.isEmpty)
        }
    }

    @Test func aRequestIsAnsweredOnce() async throws {
        let logs = LogCollector()
        let twice = Middleware { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        try await withServer([twice], { $0.logger = logs.logger }) { url async throws in
            #expect(try await curl(url, Self.post()).status == 500)
        }
        #expect(seen.all == ["called"])
        #expect(logs.text.contains("called next twice"))
    }

    /// Whatever stands behind it, which may answer by itself.
    @Test func aMiddlewareMayCallNextOnce() async throws {
        let twice = Middleware { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let answering = Middleware { [seen] _, _ in
            seen.append("passed")
            return ServerResponse(status: .noContent)
        }
        try await withServer([twice, answering]) { url async throws in
            #expect(try await curl(url, Self.post()).status == 500)
        }
        #expect(seen.all == ["passed"])
    }

    @Test func aMiddlewareLearnsThatTheContentDidNotCome() async throws {
        let noting = Middleware { [seen] request, next in
            do { return try await next(request) } catch {
                seen.append("failed")
                return ServerResponse(status: .ok)
            }
        }
        try await withServer([noting], { $0.requestArrival = .milliseconds(200) }) { url async throws in
            let client = try FileHandle.connected(to: #require(URL(string: url)?.port))
            try client.write(contentsOf: Data(Wire.request("Ada").dropLast(5).utf8))
            #expect(try await client.isClosedByPeer())
        }
        #expect(seen.all == ["failed"])
    }

    /// That of a one-way operation runs when its answer was sent, and all the same finds them.
    @Test(arguments: ["Greet", "Wave"]) func taskLocalValuesReachTheHandler(operation: String) async throws {
        let tracing = Middleware { request, next in
            try await Trace.$current.withValue(request.fields[Self.mark] ?? "") { try await next(request) }
        }
        try await withServer([tracing], look: { _ in Trace.current }) { url async throws in
            #expect(try await curl(url, Self.post(operation, "X-Mark: 00-4bf9")).exit == 0)
        }
        #expect(seen.all == ["00-4bf9"])
    }

    @Test func descriptionsHoldNoValues() {
        let response = ServerResponse(status: .ok, fields: [.setCookie: "hunter2"], body: Array("hunter2".utf8))
        var dumped = ""
        dump(response, to: &dumped)
        for text in ["\(response)", String(reflecting: response), dumped] {
            #expect(text.contains("200 (Set-Cookie)"))
            #expect(!text.contains("hunter2"))
        }
    }
}
