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
        #expect(
            try await given(to: "http", "proxy.example", by: configuration)
                == .account(user: "clerk", password: "way out"))
        #expect(try await given(to: "http", "other.example", by: configuration) == nil)
    }

    @Test func aProxyWithTLSGetsItsPasswordWithoutPermissionForPlaintext() async throws {
        let configuration = try ProxyConfiguration.environment([
            "https_proxy": "https://clerk:secret@proxy.example:3128", "http_proxy": "http://other.example:3128",
        ])
        #expect(!configuration.authentication.allowsPlaintext)
        #expect(try await given(to: "https", "proxy.example", by: configuration) != nil)
        #expect(try await given(to: "http", "proxy.example", by: configuration) == nil)
        #expect(try await given(to: "http", "other.example", by: configuration) == nil)
    }

    @Test func proxiesThatDifferOnlyInTLSGetTheirOwnPasswords() async throws {
        let configuration = try ProxyConfiguration.environment([
            "https_proxy": "https://clerk:secret@proxy.example:3128",
            "http_proxy": "http://guest:open@proxy.example:3128",
        ])
        #expect(configuration.authentication.allowsPlaintext)
        #expect(
            try await given(to: "https", "proxy.example", by: configuration)
                == .account(user: "clerk", password: "secret"))
        #expect(
            try await given(to: "http", "proxy.example", by: configuration) == .account(user: "guest", password: "open")
        )
    }

    @Test func environmentsWithoutLoginsDoNotAllowPlaintext() throws {
        let configuration = try ProxyConfiguration.environment(["https_proxy": "http://proxy.example:3128"])
        #expect(!configuration.authentication.allowsPlaintext)
        #expect(try ProxyConfiguration.environment([:]).rules?.https == nil)
    }

    private func given(
        to scheme: String, _ host: String, by configuration: ProxyConfiguration
    ) async throws -> Credentials? {
        let space = ProtectionSpace(scheme: scheme, host: host, port: 3128, realm: "", isProxy: true)
        return try await configuration.authentication.credentials.answer(
            CredentialQuestion(space: space, scheme: .basic))
    }
}
