import SignetTesting
import TestSupport
import Testing

@testable import SignetConnection

@Suite struct ConnectionConfigurationTests {
    /// A setting, what it asks of a transport, and how it is named in an error.
    struct Demand: Sendable, CustomTestStringConvertible {
        let feature: ConnectionFeature
        let setting: String
        let change: @Sendable (inout ConnectionConfiguration) throws -> Void
        var testDescription: String { setting }

        init(
            _ feature: ConnectionFeature, _ setting: String,
            _ change: @escaping @Sendable (inout ConnectionConfiguration) throws -> Void
        ) {
            (self.feature, self.setting, self.change) = (feature, setting, change)
        }
    }

    private static let pins = [
        "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=", "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=",
    ]
    .map { TrustPolicy.Pin.publicKey(sha256: $0) }
    private static let identity = Result { try CertificateAuthority().issueClient() }

    private static func keychainIdentity(hasIdentity: Bool) throws -> Identity {
        let key = try KeychainKey(MemoryKeychainKey(hasIdentity: hasIdentity), name: "“phone”")
        return try CertificateAuthority().issueClient(signingKey: key)
    }

    static let demands: [Demand] = [
        Demand(.tls, "trust") { _ in },
        Demand(.signingKeys, "identity") {
            let authority = try CertificateAuthority()
            $0.identity = .fixed(try authority.issueClient(signingKey: SoftwareSigningKey(.p256)))
        },
        // A key without a SecIdentity only signs, wherever it is kept.
        Demand(.signingKeys, "identity") { $0.identity = .fixed(try keychainIdentity(hasIdentity: false)) },
        Demand(.keychainIdentities, "identity") { $0.identity = .fixed(try keychainIdentity(hasIdentity: true)) },
        Demand(.lateIdentity, "allowsIdentityInRenegotiation") {
            $0.identity = .fixed(try identity.get())
            $0.allowsIdentityInRenegotiation = true
        },
        Demand(.insecureCipherSuites, "allowsInsecureCipherSuites") { $0.allowsInsecureCipherSuites = true },
        Demand(.insecureCipherSuites, "proxy.allowsInsecureCipherSuites") {
            $0.proxy.allowsInsecureCipherSuites = true
        },
        Demand(.revocation, "trust.revocation") { $0.trust.revocation = .soft },
        Demand(.revocation, "proxy.trust.revocation") {
            $0.proxy.rules = ProxyRules(try Proxy("https://proxy:3129"))
            $0.proxy.trust.revocation = .hard
        },
        Demand(.overruledTrustFailures, "onTrustFailure") {
            $0.onTrustFailure = .trustOnFirstUse(lifetime: .seconds(60))
        },
        Demand(.overruledTrustFailures, "onTrustFailure") { $0.onTrustFailure = .ask { _ in .refuse } },
        Demand(.namedProxies, "proxy.rules") { $0.proxy.rules = ProxyRules(try Proxy("http://proxy:3128")) },
        Demand(.proxyIdentity, "proxy.identity") {
            $0.proxy.rules = ProxyRules(try Proxy("https://proxy:3129"))
            $0.proxy.identity = .fixed(try identity.get())
        },
        Demand(.systemProxies, "proxy.authentication") {
            $0.proxy.authentication.credentials = .fixed(.account(user: "a", password: "b"))
        },
        Demand(.unixSocket, "unixSocketPath") { $0.unixSocketPath = "/run/service" },
        Demand(.onlyHTTP1, "allowsHTTP2") { $0.allowsHTTP2 = false },
        Demand(.callsPerConnection, "maximumCallsPerConnection") { $0.maximumCallsPerConnection = 5 },
        Demand(.connectionsInTotal, "maximumConnectionsInTotal") { $0.maximumConnectionsInTotal = 4 },
        Demand(.idleTimeout, "idleTimeout") { $0.idleTimeout = .seconds(300) },
        Demand(.warmConnections, "warmConnections") { $0.warmConnections = WarmConnections() },
        Demand(.uncompressedAnswers, "acceptsCompression") { $0.acceptsCompression = false },
        Demand(.fieldLimit, "maximumFieldBytes") { $0.maximumFieldBytes = 1_000 },
    ]

    @Test func everyFeatureCanBeAskedFor() {
        #expect(Set(Self.demands.map(\.feature)) == ConnectionFeature.all)
    }

    @Test(arguments: demands) func settingsThatATransportLacksAreErrors(demand: Demand) throws {
        let origin = try Endpoint("https://host/").origin
        var configuration = ConnectionConfiguration()
        try demand.change(&configuration)
        // A transport that can do all is content.
        try configuration.check(for: origin, capabilities: ConnectionFeature.all, of: "Everything")
        let capabilities = ConnectionFeature.all.subtracting([demand.feature])
        let error = #expect(throws: ConnectionConfigurationError.self) {
            try configuration.check(for: origin, capabilities: capabilities, of: "Something")
        }
        #expect(error?.setting == demand.setting)
        #expect(error?.message.hasPrefix("Something ") == true)
        #expect(error?.message.contains("“\(demand.setting)”") == true)
    }

    @Test func theDefaultConfigurationNeedsNoFeature() throws {
        let configuration = ConnectionConfiguration()
        try configuration.check(for: try Endpoint("http://host/").origin, capabilities: [], of: "Nothing")
        try configuration.check(for: try Endpoint("https://host/").origin, capabilities: [.tls], of: "TLS alone")
    }

    /// Settings that every transport can do, identity and credentials among them.
    @Test func usualSettingsAskForNothingMore() throws {
        var configuration = ConnectionConfiguration()
        configuration.identity = .fixed(try Self.identity.get())
        configuration.looksForIdentityOnDemand = true
        configuration.toleratedIdentityProblems = [.expired]
        configuration.authentication.credentials = .fixed(.account(user: "a", password: "b"))
        configuration.proxy.authentication = configuration.authentication
        configuration.proxy.rules = .direct
        configuration.maximumConnections = 1
        try configuration.check(for: try Endpoint("https://host/").origin, capabilities: [.tls], of: "TLS alone")
    }

    struct Conflict: Sendable, CustomTestStringConvertible {
        let setting: String
        let url: String
        let change: @Sendable (inout ConnectionConfiguration) throws -> Void
        var testDescription: String { "\(setting) \(url)" }

        init(
            _ setting: String, _ url: String = "https://host/",
            _ change: @escaping @Sendable (inout ConnectionConfiguration) throws -> Void
        ) {
            (self.setting, self.url, self.change) = (setting, url, change)
        }
    }

    static let conflicts: [Conflict] = [
        Conflict("identity", "http://host/") { $0.identity = .fixed(try identity.get()) },
        Conflict("identity", "http://host/") { $0.identity = IdentitySource(description: "a store") { nil } },
        Conflict("trust", "http://host/") { $0.trust = .system.pinned(to: pins) },
        Conflict("trust", "http://host/") { $0.trust = .system.pinned(to: TrustPolicy.PinSet(pins, host: "other")) },
        Conflict("proxy.identity") { $0.proxy.identity = .fixed(try identity.get()) },
        Conflict("proxy.identity") {
            $0.proxy.rules = ProxyRules(try Proxy("http://proxy:3128"))
            $0.proxy.identity = .fixed(try identity.get())
        },
        Conflict("allowsIdentityInRenegotiation") { $0.allowsIdentityInRenegotiation = true },
        Conflict("allowsIdentityInRenegotiation") {
            $0.identity = .fixed(try identity.get())
            ($0.allowsIdentityInRenegotiation, $0.looksForIdentityOnDemand) = (true, true)
        },
        Conflict("allowsIdentityInRenegotiation") {
            let authority = try CertificateAuthority()
            $0.identity = .fixed(try authority.issueClient(signingKey: SoftwareSigningKey(.p256)))
            $0.allowsIdentityInRenegotiation = true
        },
        Conflict("looksForIdentityOnDemand") { $0.looksForIdentityOnDemand = true },
        Conflict("toleratedIdentityProblems") { $0.toleratedIdentityProblems = [.expired] },
        Conflict("trust.revocation", "http://host/") { $0.trust.revocation = .soft },
        Conflict("proxy.trust.revocation") { $0.proxy.trust.revocation = .hard },
        Conflict("maximumConnections") { $0.maximumConnections = 0 },
        Conflict("maximumConnectionsInTotal") { $0.maximumConnectionsInTotal = -1 },
        Conflict("maximumFieldBytes") { $0.maximumFieldBytes = 0 },
        Conflict("warmConnections") { $0.warmConnections = WarmConnections(count: 0) },
        Conflict("warmConnections") { $0.warmConnections = WarmConnections(count: 9) },
        Conflict("warmConnections") {
            $0.warmConnections = WarmConnections(count: 3)
            $0.maximumConnectionsInTotal = 2
        },
        Conflict("warmConnections") { $0.warmConnections = WarmConnections(duration: .zero) },
        Conflict("warmConnections") {
            $0.warmConnections = WarmConnections()
            $0.identity = .fixed(try identity.get())
            $0.looksForIdentityOnDemand = true
        },
    ]

    @Test(arguments: conflicts) func settingsWithoutEffectAreErrors(conflict: Conflict) throws {
        var configuration = ConnectionConfiguration()
        try conflict.change(&configuration)
        let error = try #require(
            #expect(throws: ConnectionConfigurationError.self) {
                try configuration.check(
                    for: try Endpoint(conflict.url).origin, capabilities: ConnectionFeature.all,
                    of: "Everything")
            })
        #expect(error.setting == conflict.setting)
        #expect("\(error)" == error.message)
    }

    @Test func descriptionsHoldNoSecret() throws {
        var configuration = ConnectionConfiguration()
        configuration.identity = .fixed(try CertificateAuthority().issueClient(commonName: "visible"))
        configuration.authentication.credentials = .fixed(.account(user: "visible", password: "hunter2"))
        configuration.proxy.authentication.credentials = .fixed(.account(user: "visible", password: "hunter2"))
        var text = "\(configuration) \(String(reflecting: configuration)) "
        dump(configuration, to: &text)
        #expect(text.contains("visible"))
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("PRIVATE"))
    }
}
