import GreetingService
import HTTPTypes
import Logging
import SignetSOAP
import Testing

@Suite struct CookieTests {
    let answer = envelope("<g:Greeted><g:text/></g:Greeted>")

    func cookies(of transport: CannedTransport) async -> [String?] {
        await transport.requests.map { $0.fields[.cookie] }
    }

    @Test func cookiesAreKeptInAJarThatClientsShare() async throws {
        let transport = CannedTransport(cookies: ["session=s1; HttpOnly", "node=2"], answer)
        var caller = try ServiceCaller(transport)
        caller.cookies = .kept
        let client = Greeting.Client(caller)
        _ = try await client.greet(.init(name: ""))
        _ = try await client.with { $0.version = .soap11 }.greet(.init(name: ""))
        _ = try await client.with { $0.cookies = .ignored }.greet(.init(name: ""))
        #expect(await cookies(of: transport) == [nil, "session=s1; node=2", nil])
    }

    @Test func cookiesAreNotKeptWithoutAJar() async throws {
        let transport = CannedTransport(cookies: ["session=s1"], answer)
        let caller = try ServiceCaller(transport)
        for _ in 1...2 { _ = try await caller.call(Greeting.greet, .init(name: "")) }
        #expect(await cookies(of: transport) == [nil, nil])
    }

    @Test func cookiesGoToNoOtherOrigin() async throws {
        let transport = CannedTransport(cookies: ["session=s1; Path=/"], answer)
        var caller = try ServiceCaller(transport)
        caller.cookies = .kept
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        caller.endpoint = try Endpoint("http://localhost:81/soap")
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(await cookies(of: transport) == [nil, nil])
    }

    /// A service may set a cookie together with an error.
    @Test func cookiesOfFaultsAreKeptToo() async throws {
        let transport = CannedTransport(status: 503, contentType: "text/html", cookies: ["session=s1"], "later")
        var caller = try ServiceCaller(transport)
        caller.cookies = .kept
        for _ in 1...2 {
            await #expect(throws: ServiceError.self) { try await caller.call(Greeting.greet, .init(name: "")) }
        }
        #expect(await cookies(of: transport) == [nil, "session=s1"])
    }

    @Test func aCookieFieldBesideAJarIsRefused() async throws {
        let transport = CannedTransport(answer)
        var caller = try ServiceCaller(transport)
        caller.fields[.cookie] = "own=1"
        _ = try await caller.call(Greeting.greet, .init(name: ""))
        #expect(await cookies(of: transport) == ["own=1"])
        caller.cookies = .kept
        let error = await #expect(throws: TransportError.self) {
            try await caller.call(Greeting.greet, .init(name: ""))
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func valuesAreNeitherLoggedNorShown() async throws {
        let recorder = Recorder()
        let transport = CannedTransport(cookies: ["session=hunter2"], answer)
        var caller = try ServiceCaller(transport)
        caller.cookies = .kept
        caller.logger = Logger(label: "test") { _ in recorder }
        caller.logger.logLevel = .trace
        for _ in 1...2 { _ = try await caller.call(Greeting.greet, .init(name: "")) }
        let request = try #require(await transport.requests.last)
        #expect(request.fields[.cookie] == "session=hunter2")
        var text = recorder.text + "\(caller) \(request)"
        dump(caller, to: &text)
        dump(request, to: &text)
        #expect(text.contains("Greet"))
        #expect(!text.contains("hunter2"))
    }
}
