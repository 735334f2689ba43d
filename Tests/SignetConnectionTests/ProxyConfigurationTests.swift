import SignetConnection
import Testing

@Suite struct ProxyConfigurationTests {
    @Test func theEnvironmentGivesEachProxyItsPassword() async throws {
        let configuration = try ProxyConfiguration.environment([
            "https_proxy": "http://clerk:way%20out@proxy.example:3128", "no_proxy": ".intern.example",
        ])
        let rules = try #require(configuration.rules)
        #expect(rules.https?.description == "http://proxy.example:3128")
        #expect(rules.proxy(for: try Endpoint("https://a.intern.example/").origin) == nil)
        #expect(configuration.authentication.allowsPlaintext)
        func given(to host: String) async throws -> Credentials? {
            let space = ProtectionSpace(scheme: "http", host: host, port: 3128, realm: "", isProxy: true)
            return try await configuration.authentication.credentials.answer(
                CredentialQuestion(space: space, scheme: .basic))
        }
        #expect(try await given(to: "proxy.example") == .account(user: "clerk", password: "way out"))
        #expect(try await given(to: "other.example") == nil)
    }

    @Test func environmentsWithoutLoginsDoNotAllowPlaintext() throws {
        let configuration = try ProxyConfiguration.environment(["https_proxy": "http://proxy.example:3128"])
        #expect(!configuration.authentication.allowsPlaintext)
        #expect(try ProxyConfiguration.environment([:]).rules?.https == nil)
    }
}
