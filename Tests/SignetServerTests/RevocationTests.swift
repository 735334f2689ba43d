import Foundation
import GreetingService
import SignetConnection
import SignetHTTP
import SignetServer
import SignetTLS
import SignetTesting
import TestSupport
import Testing

/// The certificates of clients are looked up at a real authority, and the client is curl.
@Suite(.timeLimit(.minutes(5))) struct RevocationTests {
    private let curl: Curl
    private let authority: CertificateAuthority

    init() throws {
        curl = try Curl()
        authority = try CertificateAuthority()
    }

    private func tls(_ revocation: RevocationServer, _ policy: RevocationPolicy) throws -> ServerTLSConfiguration {
        var trust = TrustPolicy.anchors(try CertificateBundle(pem: revocation.openssl.bytes("root.pem")))
        trust.revocation = policy
        return ServerTLSConfiguration(
            identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])), clients: .certificateRequired(trust))
    }

    /// The HTTP status of a call; zero when the handshake failed.
    private func status(
        _ revocation: RevocationServer, _ policy: RevocationPolicy, _ options: [String] = []
    ) async throws -> Int {
        let collector = LogCollector()
        var settings = SOAPServer.Settings()
        settings.logger = collector.logger
        let device = ["--cert", revocation.openssl.folder.appending(path: "device-chain.pem").path]
        let status = try await TestServer.run(
            tls(revocation, policy), authority: authority, settings: settings
        ) { test async throws in
            let answer = try await curl(
                test.url,
                curl.trusting(authority) + device + options
                    + Greeting.posting(Greeting.envelope("Ada")))
            return answer.status
        }
        if status == 0 {
            let names = ["device", "middle"]
            #expect(
                names.contains { collector.text.contains($0) } && collector.text.contains("revo"), "\(collector.text)")
        }
        return status
    }

    @Test(arguments: ["--tlsv1.3", "--tls-max 1.2"]) func aRevokedClientIsRefused(version: String) async throws {
        let options = version.split(separator: " ").map(String.init)
        for policy in [RevocationPolicy.soft, .hard] {
            let revocation = try RevocationServer()
            try revocation.issue("device", "extendedKeyUsage=clientAuth")
            #expect(try await status(revocation, policy, options) == 200)
            try revocation.revoke("device")
            #expect(try await status(revocation, policy, options) == 0)
            #expect(try await status(revocation, .off, options) == 200)
        }
    }

    @Test func aClientBelowARevokedAuthorityIsRefused() async throws {
        let revocation = try RevocationServer()
        try revocation.issue("device", "extendedKeyUsage=clientAuth")
        for policy in [RevocationPolicy.soft, .hard] { #expect(try await status(revocation, policy) == 200) }
        try revocation.revoke("middle", by: "root")
        for policy in [RevocationPolicy.soft, .hard] { #expect(try await status(revocation, policy) == 0) }
        #expect(try await status(revocation, .off) == 200)
    }

    /// In hard mode, the status of each authority must be known, too.
    @Test func theStatusOfAnAuthorityMattersInHardModeOnly() async throws {
        let revocation = try RevocationServer(middle: .absent)
        try revocation.issue("device", "extendedKeyUsage=clientAuth")
        #expect(try await status(revocation, .hard) == 0)
        #expect(try await status(revocation, .soft) == 200)
    }

    @Test(arguments: [RevocationServer.Source.none, .silent, .absent])
    func anUnknownStatusMattersInHardModeOnly(source: RevocationServer.Source) async throws {
        let revocation = try RevocationServer()
        try revocation.issue("device", "extendedKeyUsage=clientAuth", source: source)
        var policy = RevocationPolicy.hard
        if source == .silent { policy.timeLimit = .seconds(1) }
        #expect(try await status(revocation, policy) == 0)
        policy.mode = .soft
        #expect(try await status(revocation, policy) == 200)
    }

    @Test func settingsWithoutEffectAreErrors() throws {
        let revocation = try RevocationServer()
        func error(_ change: (inout ServerTLSConfiguration) throws -> Void) throws -> SOAPServerError? {
            var tls = try tls(revocation, .hard)
            try change(&tls)
            do {
                _ = try SOAPServer(Greeting.dispatcher, path: "/soap", tls: tls)
                return nil
            } catch let error as SOAPServerError { return error }
        }
        #expect(try error { _ in } == nil)
        var slow = RevocationPolicy.soft
        slow.timeLimit = .seconds(10)
        let tooSlow = try #require(try error { $0.clients = try tls(revocation, slow).clients })
        #expect(tooSlow.code == .invalidConfiguration && tooSlow.message.contains("firstHeadArrival"))
        let idle = try #require(
            try error {
                $0.clients = .noCertificateRequested
                $0.revocationProxy = ProxyConfiguration(.init(try Proxy("http://127.0.0.1:3128")))
            })
        #expect(idle.code == .invalidConfiguration && idle.message.contains("revocationProxy"))
    }
}
