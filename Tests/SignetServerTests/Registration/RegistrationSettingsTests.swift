import GreetingService
import SignetCredentials
import SignetHTTP
import SignetServer
import SignetTLS
import TestSupport
import Testing

/// Settings of an authority that could not take effect.
@Suite struct RegistrationSettingsTests {
    private let openssl: OpenSSL

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("ca")
        try openssl.makeRoot("rsa", rsa: true)
    }

    private func authority(_ name: String = "ca") throws -> RegistrationAuthority {
        try RegistrationAuthority(
            try Identity(pem: try openssl.bytes("\(name).pem"), privateKey: try openssl.bytes("\(name).key")),
            keepingIn: MemoryIssuedCertificates()
        ) { _ in .issue }
    }

    private func check(_ authority: RegistrationAuthority, beside path: String = "/soap") throws {
        var settings = SOAPServer.Settings()
        settings.registration = authority
        _ = try SOAPServer.withoutTLS(Greeting.dispatcher { _, _ in .init(text: "") }, path: path, settings: settings)
    }

    @Test func settingsThatCannotTakeEffect() throws {
        try check(try authority())
        let scep = RegistrationAuthority.SCEP { _ in "device" }
        let changes: [(String, (inout RegistrationAuthority) throws -> Void)] = [
            ("begins with /", { $0.path = "est" }), ("does not end with it", { $0.statusPath = "/ca/" }),
            ("has no query", { $0.statusPath = "/ca?x" }), ("overlap", { $0.path = "/ca" }),
            ("overlap", { $0.path = "/ca/est" }), ("overlap", { $0.statusPath = "/soap" }),
            ("over http:// only", { $0.statusAddress = try Endpoint("https://ca.example/ca") }),
            ("needs an RSA key", { $0.scep = scep }), ("an hour at least", { $0.validity = .seconds(60) }),
            ("between a minute and a year", { $0.statusLife = .seconds(Int64.max) }),
            ("between a minute and a year", { $0.statusLife = .zero }),
            ("between a second and a year", { $0.retryAfter = .zero }),
        ]
        for (reason, change) in changes {
            var authority = try authority()
            try change(&authority)
            let error = #expect(throws: SOAPServerError.self, "\(reason)") { try check(authority) }
            #expect(error?.code == .invalidConfiguration && error?.message.contains(reason) == true, "\(reason)")
        }
        var withSCEP = try authority("rsa")
        withSCEP.scep = scep
        try check(withSCEP)
        withSCEP.scep?.path = "/ca/ocsp"
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) { try check(withSCEP) }
        for path in ["/ca/crl", "/.well-known/est/cacerts"] {
            let authority = try authority()
            #expect(throws: SOAPServerError(.invalidConfiguration, "")) { try check(authority, beside: path) }
        }
    }

    /// Over TLS, a client needs a way to show who it is.
    @Test func clientsCanBeKnown() throws {
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost")
        let identity = try Identity(
            pem: try openssl.bytes("server.pem"), privateKey: try openssl.bytes("server.key"))
        var settings = SOAPServer.Settings()
        settings.registration = try authority()
        let error = #expect(throws: SOAPServerError.self) {
            try SOAPServer(
                Greeting.dispatcher { _, _ in .init(text: "") }, tls: .init(identity: .fixed(identity)),
                settings: settings)
        }
        #expect(error?.message.contains("No client can enroll over EST") == true)
        settings.registration?.authentication = .basic(realm: "est") { _ in true }
        _ = try SOAPServer(
            Greeting.dispatcher { _, _ in .init(text: "") }, tls: .init(identity: .fixed(identity)), settings: settings)
    }
}
