import GreetingService
import HTTPTypes
import Logging
import SignetSOAP
import Testing

/// Calls without SOAP (WSDL 1.1 §4, §5).
@Suite struct HTTPOperationTests {
    private typealias Operation = HTTPOperation<Greeting.Greet, Greeting.Greeted>

    private static let greeted = #"<g:Greeted xmlns:g="urn:greeting"><g:text>hi</g:text></g:Greeted>"#

    private func operation(
        _ verb: HTTPVerb = .get, _ location: String = "/Greet", _ input: HTTPInput = .query
    ) -> Operation {
        Operation(
            name: "Greet", verb: verb, location: location, input: input, output: XMLName("urn:greeting", "Greeted"))
    }

    /// The request that a call sends.
    private func request(
        _ operation: Operation, _ input: Greeting.Greet, to address: String = "http://localhost/soap",
        _ change: (inout ServiceCaller) -> Void = { _ in }
    ) async throws -> ClientRequest {
        let transport = CannedTransport(Self.greeted)
        var caller = ServiceCaller(endpoint: try Endpoint(address), transport: transport)
        change(&caller)
        #expect(try await caller.call(operation, input).text == "hi")
        return try #require(await transport.requests.first)
    }

    /// What a call throws before anything is sent.
    private func refusal(
        _ operation: Operation, _ input: Greeting.Greet = .init(name: "n"),
        _ change: (inout ServiceCaller) -> Void = { _ in }
    ) async throws -> (any Error)? {
        let transport = CannedTransport(Self.greeted)
        var caller = try ServiceCaller(transport)
        change(&caller)
        let error = await #expect(throws: (any Error).self) { try await caller.call(operation, input) }
        #expect(await transport.requests.isEmpty)
        return error
    }

    // MARK: Queries and forms

    /// What a value must not do: end itself, add a parameter, a line, a part of the path.
    static let hostile: [(value: String, form: String, segment: String)] = [
        ("a/b", "a%2Fb", "a%2Fb"), ("a\\b", "a%5Cb", "a%5Cb"), ("?x=1", "%3Fx%3D1", "%3Fx%3D1"), ("#x", "%23x", "%23x"),
        ("a&name=b", "a%26name%3Db", "a%26name%3Db"), ("a;b", "a%3Bb", "a%3Bb"), ("%2F", "%252F", "%252F"),
        ("a+b c", "a%2Bb+c", "a%2Bb%20c"), ("a\r\nHost: b", "a%0D%0AHost%3A+b", "a%0D%0AHost%3A%20b"),
        ("ü€😀", "%C3%BC%E2%82%AC%F0%9F%98%80", "%C3%BC%E2%82%AC%F0%9F%98%80"),
        ("~*'()", "%7E*%27%28%29", "~%2A%27%28%29"),
        ("(password)", "%28password%29", "%28password%29"), ("\u{7F}\t", "%7F%09", "%7F%09"), (" a ", "+a+", "%20a%20"),
    ]

    @Test(arguments: hostile) func aQueryHoldsTheValueAndNothingElse(
        _ item: (value: String, form: String, segment: String)
    ) async throws {
        let request = try await request(operation(), .init(name: item.value, password: "p"))
        #expect(request.path == "/soap/Greet?name=\(item.form)&password=p")
        #expect(request.method == .get)
        #expect(request.body.count == 0)
        #expect(request.fields[.contentType] == nil)
        #expect(request.endpoint.path == "/soap")
    }

    @Test(arguments: hostile) func aFormHoldsTheValueAndNothingElse(
        _ item: (value: String, form: String, segment: String)
    ) async throws {
        let request = try await request(operation(.post, "/Greet", .form), .init(name: item.value, password: "p"))
        #expect(String(decoding: request.body.bytes ?? [], as: UTF8.self) == "name=\(item.form)&password=p")
        #expect(request.fields[.contentType] == "application/x-www-form-urlencoded")
        #expect(request.path == "/soap/Greet")
        #expect(request.method == .post)
    }

    @Test(arguments: hostile) func aPathHoldsTheValueInOneSegment(
        _ item: (value: String, form: String, segment: String)
    ) async throws {
        let operation = operation(.get, "greet/(name)x?p=(password)", .path)
        let request = try await request(operation, .init(name: item.value, password: item.value))
        #expect(request.path == "/soap/greet/\(item.segment)x?p=\(item.segment)")
    }

    @Test func absentParametersAreLeftOutAndEmptyOnesAreSent() async throws {
        #expect(try await request(operation(), .init(name: "")).path == "/soap/Greet?name=")
        #expect(try await request(operation(), .init(name: "", password: "")).path == "/soap/Greet?name=&password=")
    }

    @Test func aPOSTMayHaveAQuery() async throws {
        let request = try await request(operation(.post), .init(name: "n"))
        #expect(request.path == "/soap/Greet?name=n")
        #expect(request.method == .post)
        #expect(request.body.count == 0)
    }

    @Test func anElementIsSentWithoutAnEnvelope() async throws {
        let input = HTTPInput.document(XMLName("urn:greeting", "Greet"), mediaType: "application/xml")
        let request = try await request(operation(.post, "/Greet", input), .init(name: "<n>"))
        #expect(request.fields[.contentType] == "application/xml; charset=utf-8")
        let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
        #expect(text.contains("Greet ") && text.contains("name>&lt;n&gt;</") && !text.contains("Envelope"))
    }

    // MARK: Paths

    @Test(arguments: ["..", ".", "a/..", "../../admin", "..\\x", "%2e%2e", ""])
    func valuesThatChangeThePathAreRefused(_ value: String) async throws {
        let error = try await refusal(operation(.get, "a/(name)/c", .path), .init(name: value)) as? ServiceError
        #expect(error?.code == .unwritableInput)
        #expect(error?.message.contains("‘name’") == true)
    }

    @Test func valuesTogetherDoNotLeadOutOfThePathEither() async throws {
        let values = Greeting.Greet(name: ".", password: ".")
        let error = try await refusal(operation(.get, "a/(name)(password)/c", .path), values) as? ServiceError
        #expect(error?.code == .unwritableInput)
        let literal = try await refusal(operation(.get, "a/%2E(name)/c", .path), .init(name: ".")) as? ServiceError
        #expect(literal?.code == .unwritableInput)
    }

    @Test func everyPartNeedsAPlace() async throws {
        let values = Greeting.Greet(name: "n", password: "secret")
        let error = try await refusal(operation(.get, "a/(name)", .path), values) as? ServiceError
        #expect(error?.code == .unwritableInput)
        #expect(error?.message.contains("‘password’ has no place") == true)
        #expect(try await request(operation(.get, "a/(b)(name)(", .path), .init(name: "n")).path == "/soap/a/(b)n(")
    }

    @Test(arguments: [
        ("/soap", "/Greet", "/soap/Greet"), ("/soap/", "Greet", "/soap/Greet"), ("/soap", "Greet", "/soap/Greet"),
        ("", "Greet", "/Greet"), ("/a?key=1", "/Greet?b=2", "/a/Greet?key=1&b=2"), ("/soap/", "", "/soap/"),
        ("/soap", "//evil.example/x", "/soap/evil.example/x"),
        ("/soap", "http://evil.example/", "/soap/http://evil.example/"),
    ])
    func theLocationIsAppendedToTheAddress(_ path: String, _ location: String, _ expected: String) async throws {
        let request = try await request(
            operation(.get, location), .init(name: "n"), to: "https://example.org:8443\(path)")
        #expect(request.path == expected + (expected.contains("?") ? "&" : "?") + "name=n")
        #expect("\(request.endpoint.origin)" == "https://example.org:8443")
    }

    @Test(arguments: ["../x", "a/..", "a/%2e%2E/x", "a\\x", "a b", "a#b", "ä", "a\r\nb"])
    func aLocationThatIsNoPathIsRefused(_ location: String) async throws {
        let error = try await refusal(operation(.get, location)) as? TransportError
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("correct it in the WSDL") == true)
    }

    // MARK: Refused calls

    @Test func charactersThatXMLForbidsAreNotSent() async throws {
        let error = try await refusal(operation(), .init(name: "a\0b")) as? ServiceError
        #expect(error?.code == .unwritableInput)
        #expect(error?.cause is XMLError)
    }

    @Test func aGETHasNoContent() async throws {
        let error = try await refusal(operation(.get, "/Greet", .form)) as? TransportError
        #expect(error?.code == .invalidRequest)
    }

    @Test func headerBlocksAreRefused() async throws {
        let error = try await refusal(operation()) { $0.headerBlocks = [Greeting.mood.block(.init(text: "good"))] }
        #expect((error as? TransportError)?.message.contains("header blocks") == true)
    }

    // MARK: Cookies, middlewares, secrets

    @Test func cookiesAreThoseOfThePathAskedFor() async throws {
        let transport = CannedTransport(cookies: ["a=1; Path=/soap/Greet", "b=2; Path=/other"], Self.greeted)
        var caller = try ServiceCaller(transport)
        caller.cookies = .kept
        _ = try await caller.call(operation(), .init(name: "n"))
        _ = try await caller.call(operation(), .init(name: "n"))
        #expect(await transport.requests.last?.fields[.cookie] == "a=1")
    }

    @Test func middlewaresSeeTheInput() async throws {
        let request = try await request(operation(), .init(name: "n")) {
            $0.middlewares = [CallerTests.Adding(suffix: "1")]
            // Says nothing about what has no envelope.
            $0.version = .soap12
        }
        #expect(request.path == "/soap/Greet?name=n1")
        #expect(request.fields[.accept] == "text/xml, application/xml")
        #expect(request.fields.allSatisfy { $0.name.canonicalName != "soapaction" })
    }

    @Test(arguments: [
        (HTTPVerb.get, "/Greet", HTTPInput.query), (.get, "/(name)/(password)", .path), (.post, "/Greet", .form),
    ])
    func valuesStandInNoLogAndNoDescription(_ verb: HTTPVerb, _ location: String, _ input: HTTPInput) async throws {
        let recorder = Recorder()
        let values = Greeting.Greet(name: "alice", password: "hunter2")
        let operation = operation(verb, location, input)
        let request = try await request(operation, values) { $0.logger = Logger(label: "test") { _ in recorder } }
        #expect(recorder.text.contains("http://localhost/soap"))
        let moved = CannedTransport(status: 301, location: "https://localhost/soap/alice/hunter2?name=alice", "")
        let error = await #expect(throws: ServiceError.self) { try await ServiceCaller(moved).call(operation, values) }
        #expect(error?.message.contains("https://localhost/…") == true)
        for text in [
            recorder.text, "\(request)", String(reflecting: request), "\(error as Any)", error?.answer?.location,
        ] {
            let text = try #require(text)
            #expect(!text.contains("hunter2") && !text.contains("alice"), "\(text)")
        }
    }

    // MARK: Answers

    private func failure(_ transport: CannedTransport) async throws -> ServiceError? {
        let caller = try ServiceCaller(transport)
        return await #expect(throws: ServiceError.self) { try await caller.call(operation(), .init(name: "n")) }
    }

    @Test func theErrorNamesAnUnexpectedAnswer() async throws {
        let page = try await failure(CannedTransport(contentType: "text/html", "<html>Log in</html>"))
        #expect(page?.code == .notSOAP)
        #expect(page?.message.contains("not XML") == true)
        let refused = try await failure(
            CannedTransport(status: 500, contentType: "text/plain", "Missing parameter: limit."))
        #expect(refused?.code == .refused)
        #expect(refused?.description.contains("Missing parameter: limit.") == true)
        #expect(try await failure(CannedTransport(status: 404, Self.greeted))?.code == .refused)
        #expect(try await failure(CannedTransport(""))?.code == .emptyAnswer)
        let other = try await failure(CannedTransport("<Greeted/>"))
        #expect(
            other?.message.contains("“Greeted” in no namespace where “Greeted” in the namespace “urn:greeting”") == true
        )
        #expect(try await failure(CannedTransport(Self.greeted + "<x/>"))?.code == .malformedAnswer)
        #expect(try await failure(CannedTransport(#"<g:Greeted xmlns:g="urn:greeting"/>"#))?.code == .malformedAnswer)
    }

    @Test func deviationsAreReportedOrRefusedByTolerance() async throws {
        let text = #"<g:Greeted xmlns:g="urn:greeting"><more/><g:text>hi</g:text></g:Greeted>"#
        var caller = try ServiceCaller(CannedTransport(text))
        #expect(try await caller.answer(to: operation(), .init(name: "n")).deviations.map(\.code) == [.unknownElement])
        caller.tolerance = .strict
        let strict = caller
        let error = await #expect(throws: ServiceError.self) { try await strict.call(operation(), .init(name: "n")) }
        #expect(error?.deviations.map(\.code) == [.unknownElement])
    }
}
