import Foundation
import SignetAuthentication
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetURLSession

/// What is answered when `URLSession` asks.
@Suite struct SessionChallengeTests {
    private let now = Int64(Date().timeIntervalSince1970)
    private let authority: CertificateAuthority
    private let server: Identity
    private let strange: Identity
    private var rules: SessionChallenge.Rules

    init() throws {
        authority = try CertificateAuthority()
        server = try authority.issueServer(dnsNames: ["service.example"])
        strange = try CertificateAuthority(commonName: "Others").issueServer(dnsNames: ["service.example"])
        let origin = try Endpoint("https://service.example:8443/").origin
        rules = .init(target: origin, origin: origin, trust: .anchors(authority.bundle))
        rules.hasIdentity = true
    }

    /// The answer in one word, and the code of a refusal.
    private func answer(
        _ question: SessionChallenge.Question, host: String = "service.example", port: Int = 8443,
        isServerTrusted: Bool = true, at time: Int64? = nil, _ rules: SessionChallenge.Rules? = nil,
        _ change: (inout SessionChallenge) -> Void = { _ in }
    ) -> String {
        var challenge = SessionChallenge(question, host: host, port: port)
        change(&challenge)
        let now = time ?? self.now
        switch challenge.answer(by: rules ?? self.rules, isServerTrusted: isServerTrusted, at: now) {
        case .trust: return "trust"
        case .showIdentity: return "show"
        case .give(let question):
            return "give \(question.scheme) to \(question.space)\(question.reason == .rejected ? " again" : "")"
        case .decline: return "decline"
        case .refuse(let error as TrustError): return error.code.description
        case .refuse(let error as TransportError): return error.code.description
        case .refuse(let error as AuthenticationError): return error.code.description
        case .refuse(let error): return "\(error)"
        }
    }

    @Test func theTrustPolicyDecidesAboutTheServer() throws {
        #expect(answer(.serverTrust(server.chain)) == "trust")
        #expect(answer(.serverTrust(strange.chain)) == "unknownAuthority")
        #expect(answer(.serverTrust([])) == "noCertificate")
        #expect(answer(.serverTrust(server.chain), at: now + 100 * 365 * 86_400) == "expired")
        // Hosts are the same however they are written, and others are others.
        #expect(answer(.serverTrust(server.chain), host: "SERVICE.example") == "trust")
        #expect(answer(.serverTrust(server.chain), host: "service.example", port: 443) != "trust")
        #expect(answer(.serverTrust(server.chain), host: "other.example") != "trust")
    }

    @Test func aPinMismatchIsRefused() throws {
        var pinned = rules
        pinned.trust = pinned.trust.pinned(to: [1, 2].map { .publicKey(sha256: Self.pin($0)) })
        #expect(answer(.serverTrust(server.chain), pinned) == "pinMismatch")
    }

    @Test func exceptionsCountForTheOriginOnly() throws {
        let error = try #require(
            rules.trust.evaluate(
                strange.chain, host: "service.example", port: 8443, at: now, exceptions: []
            ).error)
        var excepting = rules
        excepting.exceptions = [
            try TrustException(
                accepting: error, host: "service.example", port: 8443, reason: "for now", at: now - 1,
                until: now + 1_000)
        ]
        #expect(answer(.serverTrust(strange.chain), excepting) == "trust")
        #expect(answer(.serverTrust(strange.chain), at: now + 1_000, excepting) == "unknownAuthority")
        #expect(answer(.serverTrust(strange.chain), excepting) { $0.isProxy = true } != "trust")
    }

    /// A proxy over TLS is trusted by its own rules, and the origin's anchors say nothing about it.
    @Test func theProxysTrustPolicyDecidesAboutTheProxy() throws {
        let house = try CertificateAuthority(commonName: "House")
        let proxy = try house.issueServer(dnsNames: ["proxy.example"])
        var rules = rules
        rules.proxyTrust = .anchors(house.bundle)
        func trusts(_ identity: Identity, _ host: String) -> String {
            answer(.serverTrust(identity.chain), host: host, port: 3128, rules) { $0.isProxy = true }
        }
        #expect(trusts(proxy, "proxy.example") == "trust")
        #expect(trusts(server, "service.example") == "unknownAuthority")
    }

    @Test func theIdentityIsForTheOriginAfterItHasProvedItself() {
        #expect(answer(.clientCertificate) == "show")
        #expect(answer(.clientCertificate, isServerTrusted: false) == "tlsHandshakeFailed")
        #expect(answer(.clientCertificate, host: "other.example") == "decline")
        #expect(answer(.clientCertificate, port: 443) == "decline")
        #expect(answer(.clientCertificate) { $0.isProxy = true } == "decline")
        #expect(answer(.clientCertificate) { $0.refusals = 1 } == "clientCertificateRefused")
        var nobody = rules
        nobody.hasIdentity = false
        #expect(answer(.clientCertificate, nobody) == "decline")
    }

    @Test func credentialsOfTheOriginAndOfProxiesAreKeptApart() {
        var rules = rules
        rules.authentication = .init(credentials: .fixed(.account(user: "a", password: "b")))
        // The client's own engine handles Basic, because it remembers accepted credentials.
        #expect(answer(.credentials(scheme: "Basic"), rules) == "decline")
        // The system's own schemes are used where they are allowed, and nowhere else.
        #expect(answer(.credentials(scheme: "NTLM"), rules) == "decline")
        rules.authentication.schemes = [.ntlm, .negotiate]
        #expect(answer(.credentials(scheme: "NTLM"), rules) == "decline")
        rules.authentication.ntlmHosts = ["service.example"]
        #expect(answer(.credentials(scheme: "NTLM"), rules) { $0.isSecure = false } == "insecureChannel")
        #expect(answer(.credentials(scheme: "NTLM"), rules) == "give NTLM to https://service.example:8443")
        #expect(answer(.credentials(scheme: "Negotiate"), rules) == "give Negotiate to https://service.example:8443")
        #expect(answer(.credentials(scheme: "NTLM"), rules) { $0.refusals = 1 } == "credentialsRefused")
        #expect(answer(.credentials(scheme: "NTLM"), host: "other.example", rules) == "decline")
        // The proxy has none, whatever the origin has.
        func proxy(_ rules: SessionChallenge.Rules, _ change: (inout SessionChallenge) -> Void = { _ in }) -> String {
            answer(.credentials(scheme: "Basic"), host: "proxy.example", port: 3128, rules) {
                $0.isProxy = true
                change(&$0)
            }
        }
        #expect(proxy(rules) == "credentialsRequired")
        rules.proxyAuthentication = .init(credentials: .asking { _ in nil })
        #expect(proxy(rules) == "give Basic to proxy https://proxy.example:3128")
        #expect(proxy(rules) { $0.refusals = 1 } == "give Basic to proxy https://proxy.example:3128 again")
        #expect(proxy(rules) { $0.refusals = 2 } == "credentialsRefused")
        #expect(proxy(rules) { $0.isSecure = false } == "insecureChannel")
        rules.proxyAuthentication.allowsPlaintext = true
        #expect(proxy(rules) { $0.isSecure = false } == "give Basic to proxy http://proxy.example:3128")
        #expect(proxy(rules) { $0.realm = "way out" }.contains("“way out”"))
        // What a password can be guessed from is no better, and the challenge that would show a qop is not visible.
        for scheme in ["Digest", "NTLM", "Negotiate"] {
            func proxy(_ change: (inout AuthenticationPolicy) -> Void) -> String {
                var rules = rules
                rules.proxyAuthentication = .init(credentials: .fixed(.account(user: "a", password: "b")))
                rules.proxyAuthentication.schemes = [.digest, .ntlm, .negotiate]
                rules.proxyAuthentication.ntlmHosts = ["proxy.example"]
                change(&rules.proxyAuthentication)
                return answer(.credentials(scheme: scheme), host: "proxy.example", port: 3128, rules) {
                    ($0.isProxy, $0.isSecure) = (true, false)
                }
            }
            #expect(proxy { $0.allowsDigestWithoutQop = true } == "insecureChannel")
            #expect(proxy { $0.allowsPlaintext = true }.hasPrefix(scheme == "Digest" ? "noUsableScheme" : "give"))
            let both = proxy { ($0.allowsPlaintext, $0.allowsDigestWithoutQop) = (true, true) }
            #expect(both == "give \(scheme) to proxy http://proxy.example:3128")
        }
    }

    /// Another origin may be called: it is verified as strictly, and gets no identity and no credentials.
    @Test(arguments: ["https://elsewhere.example:8443/", "http://service.example:8443/"])
    func anotherOriginGetsNothing(url: String) throws {
        let target = try Endpoint(url).origin
        var rules = SessionChallenge.Rules(target: target, origin: rules.origin, trust: rules.trust)
        rules.hasIdentity = true
        rules.authentication = .init(credentials: .fixed(.account(user: "a", password: "b")), allowsPlaintext: true)
        let elsewhere = try CertificateAuthority(commonName: "Public").issueServer(dnsNames: [target.host])
        rules.proxyTrust = .anchors(try CertificateAuthority(commonName: "Public").bundle)
        #expect(answer(.serverTrust(elsewhere.chain), host: target.host, rules) == "unknownAuthority")
        #expect(answer(.clientCertificate, host: target.host, rules) == "decline")
        for scheme in ["Basic", "Digest", "NTLM", "Negotiate"] {
            #expect(answer(.credentials(scheme: scheme), host: target.host, rules) { $0.isSecure = false } == "decline")
        }
    }

    @Test func callersCredentialsReplaceThoseOfTheClient() {
        var rules = rules
        rules.authentication = .init(credentials: .fixed(.account(user: "a", password: "b")))
        rules.givesCredentials = false
        #expect(answer(.credentials(scheme: "NTLM"), rules) == "decline")
    }

    @Test func anUnknownChallengeEndsTheCall() {
        #expect(answer(.unknown("NSURLAuthenticationMethodNew")) == "tlsHandshakeFailed")
    }

    private static func pin(_ byte: Int) -> String {
        byte == 1 ? String(repeating: "A", count: 43) + "=" : "\(String(repeating: "A", count: 42))E="
    }
}
