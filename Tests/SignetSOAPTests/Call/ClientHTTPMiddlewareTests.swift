import GreetingService
import HTTPTypes
import SignetSOAP
import Synchronization
import Testing

@Suite struct ClientHTTPMiddlewareTests {
    /// Does what a test says.
    private struct Acting: ClientHTTPMiddleware {
        typealias Next = @Sendable (ClientExchange) async throws -> ClientResponse
        let act: @Sendable (ClientExchange, Next) async throws -> ClientResponse

        init(_ act: @escaping @Sendable (ClientExchange, Next) async throws -> ClientResponse) { self.act = act }

        /// Changes the fields and goes on.
        static func changing(_ change: @escaping @Sendable (inout HTTPFields) -> Void) -> Acting {
            Acting { exchange, next in
                var exchange = exchange
                change(&exchange.fields)
                return try await next(exchange)
            }
        }

        func intercept(
            _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
        ) async throws -> ClientResponse { try await act(exchange, next) }
    }

    private static let order = HTTPField.Name("X-Order")
    private static let soapAction = HTTPField.Name("SOAPAction")

    private func caller(
        _ transport: any ClientTransport, version: SOAPVersion? = nil, _ middlewares: [Acting]
    ) throws -> ServiceCaller {
        var caller = try ServiceCaller(transport, version: version)
        caller.httpMiddlewares = middlewares
        return caller
    }

    @Test func theFirstIsTheOutermostAndFieldsAreSent() async throws {
        let name = try #require(Self.order)
        let seen = Mutex<[String]>([])
        let middlewares = ["1", "2"].map { number in
            Acting { exchange, next in
                var exchange = exchange
                seen.withLock { $0.append("\(number) \(exchange.operation)") }
                exchange.fields[name] = (exchange.fields[name] ?? "") + number
                var response = try await next(exchange)
                seen.withLock { $0.append("\(number) \(response.status.code)") }
                response.body = Array(
                    String(decoding: response.body, as: UTF8.self).replacing("</g:text>", with: "\(number)</g:text>")
                        .utf8)
                return response
            }
        }
        let transport = ScriptedTransport(ScriptedTransport.answer("a"))
        let answer = try await caller(transport, middlewares).call(Greeting.greet, .init(name: "you"))
        #expect(transport.requests.map { $0.fields[name] } == ["12"])
        #expect(seen.withLock { $0 } == ["1 Greet", "2 Greet", "2 200", "1 200"])
        #expect(answer.text == "a21")
    }

    @Test func theExchangeIsTheFinishedRequest() async throws {
        let seen = Mutex<ClientExchange?>(nil)
        let transport = ScriptedTransport(ScriptedTransport.answer())
        var caller = try caller(
            transport,
            [
                Acting { exchange, next in
                    seen.withLock { $0 = exchange }
                    return try await next(exchange)
                }
            ])
        caller.deadlines.total = .seconds(7)
        _ = try await caller.call(Greeting.greet, .init(name: "hunter2"))
        let exchange = try #require(seen.withLock { $0 })
        let request = try #require(transport.requests.first)
        #expect(exchange.body.bytes == request.body.bytes)
        #expect(exchange.fields == request.fields)
        #expect(exchange.endpoint == caller.endpoint)
        #expect(exchange.path == "/soap")
        #expect(exchange.method == .post)
        #expect(exchange.deadlines.total == .seconds(7))
        var text = "\(exchange)"
        dump(exchange, to: &text)
        #expect(text.contains("Content-Type"))
        #expect(text.contains("\(request.body.count ?? 0) bytes"))
        #expect(!text.contains("text/xml") && !text.contains("hunter2"))
    }

    static let refused: [(name: String, change: @Sendable (inout HTTPFields) -> Void)] = [
        ("Content-Type", { $0[.contentType] = "text/plain" }),
        ("Content-Type", { $0[.contentType] = nil }),
        ("Content-Type", { $0.append(HTTPField(name: .contentType, value: "canary")) }),
        ("SOAPAction", { fields in soapAction.map { fields[$0] = "canary" } }),
        ("Cookie", { $0[.cookie] = "canary=1" }),
        ("Content-Length", { $0[.contentLength] = "1" }),
        ("Transfer-Encoding", { $0[.transferEncoding] = "canary" }),
        ("Proxy-Authorization", { $0[.proxyAuthorization] = "canary" }),
        ("Host", { fields in HTTPField.Name("Host").map { fields[$0] = "canary" } }),
        ("User-Agent", { $0.append(HTTPField(name: .userAgent, lenientValue: "canary\u{1}".utf8)) }),
    ]

    @Test(arguments: [SOAPVersion.soap11, .soap12], refused.indices)
    func middlewareMustNotChangeFieldsOfSignet(version: SOAPVersion, index: Int) async throws {
        let (name, change) = Self.refused[index]
        let transport = ScriptedTransport(ScriptedTransport.answer())
        var caller = try caller(transport, version: version, [.changing(change)])
        caller.cookies = .kept
        let told = Mutex(0)
        caller.onExchange = { _ in told.withLock { $0 += 1 } }
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .invalidRequest)
        #expect(
            error?.message.contains("The field \(name)") == true || error?.message.contains("field \(name)") == true)
        #expect(error?.message.contains("canary") == false)
        #expect(transport.requests.isEmpty)
        #expect(told.withLock { $0 } == 0)
    }

    /// Credentials of the settings or of a middleware, and where they may go.
    @Test(
        arguments: [
            ("http://service.example/soap", false, false), ("http://service.example/soap", true, true),
            ("http://localhost/soap", false, true), ("https://service.example/soap", false, true),
        ], [false, true])
    func credentialsDoNotLeaveTheMachineInPlainHTTP(
        way: (url: String, isAllowed: Bool, isSent: Bool), isByMiddleware: Bool
    ) async throws {
        struct Network: ClientTransport {
            let transport: ScriptedTransport
            func send(_ request: ClientRequest) async throws -> ClientResponse { try await transport.send(request) }
            func shutdown() async throws {}
            func isLocal(_ origin: Origin) -> Bool { origin.host == "localhost" }
        }
        let transport = ScriptedTransport(ScriptedTransport.answer())
        let adding = Acting.changing { $0[.authorization] = "Bearer canary" }
        var caller = try caller(Network(transport: transport), isByMiddleware ? [adding] : [])
        caller.endpoint = try Endpoint(way.url)
        if !isByMiddleware { caller.fields[.authorization] = "Bearer canary" }
        caller.allowsPlaintextCredentials = way.isAllowed
        if way.isSent {
            _ = try await caller.call(Greeting.greet, .init(name: ""))
            #expect(transport.requests.map { $0.fields[.authorization] } == ["Bearer canary"])
            return
        }
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.mayHaveBeenProcessed == false)
        for part in ["Authorization", "Greet", "http://service.example", "https", "allowsPlaintextCredentials"] {
            #expect(error?.message.contains(part) == true)
        }
        #expect(error?.message.contains("canary") == false)
        #expect(transport.requests.isEmpty)
    }

    /// Whatever the transport would do about them.
    @Test func settingsHoldNoFieldOfTheTransport() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer())
        var caller = try caller(transport, [])
        caller.fields[.proxyAuthorization] = "canary"
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("Proxy-Authorization") == true && error?.message.contains("canary") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test func withoutAJarTheProgramMaySetItsOwnCookie() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer())
        _ = try await caller(transport, [.changing { $0[.cookie] = "own=1" }]).call(Greeting.greet, .init(name: ""))
        #expect(transport.requests.map { $0.fields[.cookie] } == ["own=1"])
    }

    @Test func aLineBreakMakesNoFurtherField() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer())
        let middleware = Acting.changing { $0[.userAgent] = "a\r\nX-Injected: b" }
        _ = try await caller(transport, [middleware]).call(Greeting.greet, .init(name: ""))
        let value = try #require(transport.requests.first?.fields[.userAgent])
        #expect(value.utf8.allSatisfy { $0 >= 0x20 })
    }

    /// Where a redirect leads decides whether an added field goes on with it.
    @Test(arguments: [("/moved", "1"), ("http://elsewhere.example/moved", nil)] as [(String, String?)])
    func addedFieldsFollowRedirectsWithinTheOrigin(location: String, expected: String?) async throws {
        let name = try #require(Self.order)
        let transport = ScriptedTransport(
            ScriptedTransport.answer(status: 307, fields: [.location: location]), ScriptedTransport.answer())
        var caller = try caller(transport, [.changing { $0[name] = "1" }])
        caller.redirects = .anyOrigin(maximum: 1)
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(transport.requests.map(\.path) == ["/soap", "/moved"])
        #expect(transport.requests.map { $0.fields[name] } == ["1", expected])
        #expect(transport.requests.allSatisfy { $0.fields[.contentType] != nil })
    }

    private static let twice = Acting { exchange, next in
        _ = try await next(exchange)
        return try await next(exchange)
    }

    @Test func aRequestIsRepeatedWhenItsContentCanBe() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer("1"), ScriptedTransport.answer("2"))
        let caller = try caller(transport, [Self.twice])
        #expect(try await caller.call(Greeting.greet, .init(name: "")).text == "2")
        #expect(transport.requests.count == 2)
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""), attachments: [singleUse([1])])
        }
        #expect(error?.code == .contentUsed)
        #expect(transport.requests.count == 3)
    }

    @Test func contentThatWasReadIsNotSent() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer())
        let reading = Acting { exchange, next in
            _ = try await exchange.body.collected(limit: 1 << 20)
            return try await next(exchange)
        }
        let caller = try caller(transport, [reading])
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(transport.requests.count == 1)
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""), attachments: [singleUse([1])])
        }
        #expect(error?.code == .contentUsed)
        #expect(transport.requests.count == 1)
    }

    /// The content of such an answer is taken while it arrives; the answer that is returned counts.
    @Test func answersWithAttachmentsAreReadForTheAnswerThatIsReturned() async throws {
        let contentType = "multipart/related; boundary=b; type=\"text/xml\""
        let step: @Sendable (String) -> ScriptedTransport.Step = { text in
            let root = envelope("<g:Greeted><g:text>\(text)</g:text></g:Greeted>")
            let content =
                "--b\r\nContent-Type: text/xml\r\n\r\n\(root)\r\n--b\r\nContent-ID: <\(text)@x>\r\n\r\nhello\r\n--b--\r\n"
            return { request in
                let response = ClientResponse(status: .ok, fields: [.contentType: contentType])
                guard let receiver = request.contentReceiver, receiver.takes(.ok, response.fields) else {
                    return response
                }
                try await receiver.receive(Array(content.utf8))
                return response
            }
        }
        let first = Acting { exchange, next in
            let response = try await next(exchange)
            _ = try await next(exchange)
            return response
        }
        for (middlewares, text) in [([], "one"), ([first], "one"), ([Self.twice], "two")] as [([Acting], String)] {
            let caller = try caller(ScriptedTransport(step("one"), step("two")), middlewares)
            let answer = try await caller.answer(to: Greeting.greet, .init(name: ""))
            #expect(answer.output.text == text)
            #expect(answer.attachments.map(\.contentID) == ["\(text)@x"])
        }
    }

    @Test func anAnswerOfTheMiddlewaresOwnIsRead() async throws {
        let transport = ScriptedTransport(ScriptedTransport.answer())
        let canned = Acting { _, _ in
            ClientResponse(
                status: .ok, fields: [.contentType: "text/xml"],
                body: Array(envelope("<g:Greeted><g:text>own</g:text></g:Greeted>").utf8))
        }
        #expect(try await caller(transport, [canned]).call(Greeting.greet, .init(name: "")).text == "own")
        #expect(transport.requests.isEmpty)
    }

    /// Calls without SOAP pass through them as well; the query may be secret.
    @Test func callsWithoutSOAPAreSeenToo() async throws {
        let paths = Mutex<[String]>([])
        let transport = ScriptedTransport({ _ in
            ClientResponse(
                status: .ok, fields: [.contentType: "text/xml"],
                body: Array("<g:Greeted xmlns:g='urn:greeting'><g:text/></g:Greeted>".utf8))
        })
        let caller = try caller(
            transport,
            [
                Acting { exchange, next in
                    paths.withLock { $0 += [exchange.path, exchange.description] }
                    return try await next(exchange)
                }
            ])
        let operation = HTTPOperation<Greeting.Greet, Greeting.Greeted>(
            name: "Greet", verb: .get, location: "/greet", input: .query, output: XMLName("urn:greeting", "Greeted"))
        _ = try await caller.call(operation, .init(name: "canary"))
        let seen = paths.withLock { $0 }
        #expect(seen.first == "/soap/greet?name=canary")
        #expect(seen.last?.contains("canary") == false)
    }
}
