import Signet
import SignetTesting
import Testing

/// No printed text contains a secret that proves the client's identity.
@Suite struct SecrecyTests {
    private static let canary = "canary-7c1e"

    private func look(at value: Any, _ place: SourceLocation = #_sourceLocation) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in [String(describing: value), String(reflecting: value), dumped] {
            #expect(!text.contains(Self.canary), sourceLocation: place)
        }
    }

    @Test func credentialsOfEveryKind() throws {
        let canary = Self.canary
        let kinds: [Credentials] = [
            .account(user: "u", password: canary, domain: "D"), .bearer(canary), .ticket,
            .consumer(.init(key: "k", secret: canary, token: canary, tokenSecret: canary)),
            .consumer(.init(key: "k", secret: "", signature: .rsaSHA1(privateKey: canary))),
        ]
        for credentials in kinds {
            look(at: credentials)
            look(at: Set([credentials]))
            var policy = AuthenticationPolicy(credentials: .fixed(credentials))
            policy.kerberos = Kerberos()
            look(at: policy)
            var service = try ServiceConfiguration("https://h.example/")
            service.authentication = policy
            service.proxy.authentication = policy
            look(at: service)
        }
        look(at: AccessToken(canary, expires: 1))
        look(at: OAuth1Consumer.Signature.rsaSHA1(privateKey: canary))
    }

    /// What is weaker than it need be stands in what a configuration prints of itself.
    @Test func leaveIsVisible() throws {
        var service = try ServiceConfiguration("https://h.example/")
        func dumped() -> String {
            var text = ""
            dump(service, to: &text)
            return text
        }
        let before = dumped()
        for name in [
            "allowsPlaintext: false", "allowsDigestWithoutQop: false", "allowsInsecureCipherSuites: false",
            "proxyAllowsInsecureCipherSuites: false", "allowsPlaintextCredentials: false", #"onTrustFailure: "refuse""#,
        ] { #expect(before.contains(name), "\(name)") }
        service.authentication.allowsPlaintext = true
        service.proxy.authentication.allowsDigestWithoutQop = true
        service.allowsInsecureCipherSuites = true
        service.toleratedIdentityProblems = [.expired]
        service.onTrustFailure = .trustOnFirstUse(lifetime: .seconds(60))
        service.allowsPlaintextCredentials = true
        service.uncheckedRequirements = [.tls]
        for name in [
            "allowsPlaintext: true", "allowsDigestWithoutQop: true", "allowsInsecureCipherSuites: true",
            "allowsPlaintextCredentials: true", "toleratedIdentityProblems: 1 element", #""expired""#,
            "uncheckedRequirements: 1 element", #"onTrustFailure: "trustOnFirstUse(lifetime: 60.0 seconds)""#,
        ] { #expect(dumped().contains(name), "\(name)") }
    }

    @Test func clientsOfAuthorizationServers() throws {
        let canary = Self.canary
        let authority = try CertificateAuthority(commonName: "house")
        let identity = try authority.issueClient(commonName: "client")
        for client in [
            OAuthClient.secret(id: "c", canary), .secretInContent(id: "c", canary), .privateKey(id: "c", identity),
            .mutualTLS(id: "c", identity),
        ] {
            look(at: client)
            let configuration = OAuthTokens.Configuration(endpoint: try Endpoint("https://h/token"), client: client)
            look(at: configuration)
            let service = try ServiceConfiguration("https://h/token")
            let tokens = OAuthTokens(configuration, transport: try service.makeTransport())
            look(at: tokens)
            look(at: CredentialSource.tokens(tokens))
        }
    }

    @Test func storedCredentialsHideTheirSecret() {
        let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "r")
        let stored = StoredCredential(
            key: CredentialKey(space: space, account: "u"), secret: SecretBytes(Self.canary), persistence: .session)
        look(at: stored)
        look(at: stored.secret)
        look(at: CredentialChange(secret: SecretBytes(Self.canary)))
    }
}
