import GreetingService
import HTTPTypes
import SignetSOAP
import Testing

@Suite struct CallSettingsTests {
    /// Sends the first call elsewhere, and answers there.
    private actor Moved: ClientTransport {
        private(set) var paths: [String] = []

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            paths.append(request.path)
            guard request.path == "/soap" else {
                return try await InProcessTransport(Greeting.dispatcher()).send(request)
            }
            var answer = ClientResponse(status: .temporaryRedirect)
            answer.fields[.location] = "/moved"
            return answer
        }

        func shutdown() async throws {}
    }

    /// Redirects are a matter of the call: they are followed over any transport.
    @Test func redirectsAreFollowedOverATransportOfTheProgram() async throws {
        let moved = Moved()
        var caller = try ServiceCaller(moved)
        let error = await #expect(throws: ServiceError.self) {
            try await caller.call(Greeting.greet, .init(name: "you"))
        }
        #expect(error?.message.contains("/moved") == true)
        caller.redirects = .sameOrigin(maximum: 1)
        #expect(try await caller.call(Greeting.greet, .init(name: "you")).text == "you")
        #expect(await moved.paths == ["/soap", "/soap", "/moved"])
    }

    @Test func settingsAreReachableOnTheCaller() throws {
        var settings = CallSettings()
        settings.deadlines.total = .seconds(5)
        var caller = ServiceCaller(
            endpoint: try Endpoint("http://localhost/"), transport: Moved(), settings: settings)
        #expect(caller.deadlines.total == .seconds(5))
        caller.deadlines.total = .seconds(6)
        #expect(caller.settings.deadlines.total == .seconds(6))
    }

    @Test func descriptionsHoldNoSecret() throws {
        var caller = try ServiceCaller(Moved())
        caller.fields[try #require(.init("X-Api-Key"))] = "hunter2"
        caller.headerBlocks = [HeaderBlock(XMLName("urn:h", "Token"), text: "hunter2")]
        var text = "\(caller) \(caller.settings) \(String(reflecting: caller.settings))"
        dump(caller, to: &text)
        #expect(text.contains("X-Api-Key"))
        #expect(!text.contains("hunter2"))
    }
}
