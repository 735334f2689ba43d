import Foundation
import GreetingService
import SignetCredentials
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ServerTLSConfigurationTests {
    private struct Broken: Error {}

    private let authority: CertificateAuthority
    private let identity: Identity
    private let next: CertificateAuthority
    private let nextIdentity: Identity
    private let expired: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "First authority")
        identity = try authority.issueServer(dnsNames: ["localhost"])
        next = try CertificateAuthority(commonName: "Next authority")
        nextIdentity = try next.issueServer(dnsNames: ["localhost"])
        expired = try authority.issueServer(dnsNames: ["localhost"], CertificateProfile.server.expired)
    }

    private static let greeting = Greeting.posting(Greeting.envelope("Ada"))

    /// Which of the two authorities has issued what a server shows on a new connection; nil when it is neither.
    private func issuer(at url: String) async throws -> CertificateAuthority? {
        for authority in [authority, next] {
            let curl = try Curl()
            let answer = try await curl(url, curl.trusting(authority) + Self.greeting)
            if answer.status == 200 { return authority }
            // Curl does not trust the server's certificate.
            #expect(answer.exit == 60, "\(answer.problem)")
        }
        return nil
    }

    private func expectIssuer(
        _ expected: CertificateAuthority, at url: String, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await issuer(at: url)
        #expect(found?.bundle.certificates == expected.bundle.certificates, sourceLocation: sourceLocation)
    }

    // MARK: Another identity

    @Test func identityIsReloaded() async throws {
        let store = MemoryIdentityStore(["server": identity])
        let tls = ServerTLSConfiguration(
            identity: .stored("server", in: store), identityCheckInterval: .seconds(3600))
        try await TestServer.run(tls, authority: authority) { test async throws in
            try await expectIssuer(authority, at: test.url)
            await store.store(nextIdentity, label: "server")
            try await expectIssuer(authority, at: test.url)
            try await test.server.reloadIdentity()
            try await expectIssuer(next, at: test.url)
            await store.remove(label: "server")
            await #expect(throws: SOAPServerError(.unusableIdentity, "")) { try await test.server.reloadIdentity() }
            await store.store(expired, label: "server")
            await #expect(throws: SOAPServerError(.unusableIdentity, "")) { try await test.server.reloadIdentity() }
            try await expectIssuer(next, at: test.url)
        }
    }

    @Test func sourceIsAskedAgainAndAgain() async throws {
        let steered = SteeredSource(.success(identity))
        let tls = ServerTLSConfiguration(identity: steered.source, identityCheckInterval: .milliseconds(10))
        try await TestServer.run(tls, authority: authority) { test async throws in
            try await expectIssuer(authority, at: test.url)
            await steered.giveUntilDealtWith(.success(nextIdentity))
            try await expectIssuer(next, at: test.url)
        }
    }

    @Test func sourceThatReplacesAFixedIdentityIsAskedAgainAndAgain() async throws {
        let steered = SteeredSource(.success(identity))
        try await TestServer.run(.init(identity: .fixed(identity)), authority: authority) { test async throws in
            try await test.server.replaceTLS(
                with: .init(identity: steered.source, identityCheckInterval: .milliseconds(10)))
            try await expectIssuer(authority, at: test.url)
            await steered.giveUntilDealtWith(.success(nextIdentity))
            try await expectIssuer(next, at: test.url)
        }
    }

    @Test func aFailingSourceKeepsTheIdentityAndLogsOneLine() async throws {
        let logs = LogCollector()
        func failures() -> Int { logs.text.components(separatedBy: "identity was not renewed").count - 1 }
        var settings = SOAPServer.Settings()
        settings.logger = logs.logger
        let steered = SteeredSource(.success(identity))
        let tls = ServerTLSConfiguration(identity: steered.source, identityCheckInterval: .milliseconds(10))
        try await TestServer.run(tls, authority: authority, settings: settings) { test async throws in
            let bad: [Result<Identity?, any Error>] = [.failure(Broken()), .success(nil), .success(expired)]
            for (index, answer) in bad.enumerated() {
                for _ in 0..<2 {
                    await steered.giveUntilDealtWith(answer)
                    #expect(failures() == index + 1, "\(logs.text)")
                }
                try await expectIssuer(authority, at: test.url)
            }
            // The log has it already.
            await steered.giveUntilDealtWith(.failure(Broken()))
            #expect(failures() == bad.count)
            await steered.giveUntilDealtWith(.success(nextIdentity))
            try await expectIssuer(next, at: test.url)
            // After another identity, a failure is a new one.
            await steered.giveUntilDealtWith(.failure(Broken()))
            #expect(failures() == bad.count + 1)
        }
        let lines = logs.text.split(separator: "\n").filter { $0.contains("not renewed") }
        #expect(lines.allSatisfy { $0.hasPrefix("error") })
    }

    // MARK: At the start

    @Test func aServerWithoutAnIdentityDoesNotListen() async throws {
        let first = try SOAPServer.withoutTLS(Greeting.dispatcher, settings: Self.settings(port: 0))
        // Listening at a port in use would be another error.
        let settings = Self.settings(port: try await first.start())
        for answer: Result<Identity?, any Error> in [.success(nil), .failure(Broken()), .success(expired)] {
            let server = try SOAPServer(
                Greeting.dispatcher, tls: .init(identity: SteeredSource(answer).source), settings: settings)
            await #expect(throws: SOAPServerError(.unusableIdentity, "")) { try await server.start() }
            await #expect(throws: SOAPServerError(.alreadyStarted, "")) { try await server.run() }
        }
        await first.shutdown()
    }

    @Test func aServerThatIsShutDownWhileItsSourceIsAskedDoesNotListen() async throws {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let (releases, released) = AsyncStream<Void>.makeStream()
        let source = IdentitySource(description: "slow") { [identity] in
            asked.finish()
            for await _ in releases {}
            return identity
        }
        let server = try SOAPServer(
            Greeting.dispatcher, tls: .init(identity: source), settings: Self.settings(port: 0))
        let starting = Task { try await server.start() }
        for await _ in questions {}
        await server.shutdown()
        released.finish()
        await #expect(throws: SOAPServerError(.alreadyStarted, "")) { try await starting.value }
    }

    /// A shutdown ends the question to a source that would never answer.
    @Test func shutdownEndsAQuestionThatIsNeverAnswered() async throws {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let source = IdentitySource(description: "silent") {
            asked.finish()
            try await Task.sleep(for: .seconds(3600))
            return nil
        }
        let server = try SOAPServer(
            Greeting.dispatcher, tls: .init(identity: source), settings: Self.settings(port: 0))
        let running = Task { try await server.run() }
        for await _ in questions {}
        await server.shutdown()
        try await running.value
    }

    /// A source that was replaced while it was asked has no say any more.
    @Test func aReplacedSourceDoesNotFail() async throws {
        let (questions, asked) = AsyncStream<Void>.makeStream()
        let (releases, released) = AsyncStream<Void>.makeStream()
        let source = IdentitySource(description: "broken") {
            asked.finish()
            for await _ in releases {}
            throw Broken()
        }
        let server = try SOAPServer(
            Greeting.dispatcher, tls: .init(identity: source), settings: Self.settings(port: 0))
        let starting = Task { try await server.start() }
        for await _ in questions {}
        try await server.replaceTLS(with: .init(identity: .fixed(identity)))
        released.finish()
        #expect(try await starting.value > 0)
        await server.shutdown()
    }

    private static func settings(port: Int) -> SOAPServer.Settings {
        var settings = SOAPServer.Settings()
        settings.port = port
        return settings
    }

    @Test func configurationMustMakeSense() async throws {
        let nothing = TLSVersionRange(minimum: .tls13, maximum: .tls12)
        let bad: [ServerTLSConfiguration] = [
            .init(identity: .fixed(identity), versions: nothing),
            .init(identity: .fixed(identity), identityCheckInterval: .zero),
            .init(identity: .fixed(identity), identityCheckInterval: .seconds(-1)),
        ]
        for configuration in bad {
            #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
                try SOAPServer(Greeting.dispatcher, tls: configuration)
            }
        }
        try await TestServer.run(.init(identity: .fixed(identity)), authority: authority) { test async throws in
            for configuration in bad {
                await #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
                    try await test.server.replaceTLS(with: configuration)
                }
            }
            for source in [IdentitySource.fixed(expired), SteeredSource(.success(nil)).source] {
                await #expect(throws: SOAPServerError(.unusableIdentity, "")) {
                    try await test.server.replaceTLS(with: .init(identity: source))
                }
            }
            try await expectIssuer(authority, at: test.url)
        }
        let plain = try SOAPServer.withoutTLS(Greeting.dispatcher)
        await #expect(throws: SOAPServerError(.invalidConfiguration, "")) { try await plain.reloadIdentity() }
        await #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try await plain.replaceTLS(with: .init(identity: .fixed(identity)))
        }
    }

    // MARK: Other clients

    @Test func clientAuthorityIsReplacedForNewConnections() async throws {
        let oldJudged = Mutex<[String]>([])
        let newJudged = Mutex<[String]>([])
        let old = ClientAdmission.certificateRequired(.anchors(authority.bundle)) { question in
            oldJudged.withLock { $0.append(question.path.leaf?.subject ?? "") }
            return true
        }
        let new = ClientAdmission.certificateRequired(.anchors(next.bundle)) { question in
            newJudged.withLock { $0.append(question.path.leaf?.subject ?? "") }
            return question.path.leaf?.subject == "CN=new"
        }
        let oldClient = try authority.issueClient(commonName: "old")
        let newClient = try next.issueClient(commonName: "new")
        let tls = ServerTLSConfiguration(identity: .fixed(identity), clients: old)
        try await TestServer.run(tls, authority: authority) { test async throws in
            let held = try HeldClient(test.port, showing: oldClient, Greeting.envelope("Ada"))
            let first = try await held.call()
            #expect(first == "200")
            try await test.server.replaceTLS(with: .init(identity: .fixed(identity), clients: new))
            // Its connection was accepted under the old decision, and is judged by that.
            let second = try await held.call()
            #expect(second == "200")
            let curl = try Curl()
            let trusting = try curl.trusting(authority)
            let refused = try await curl(test.url, trusting + curl.showing(oldClient) + Self.greeting)
            #expect(refused.status == 0)
            #expect(refused.exit != 0)
            #expect(try await curl(test.url, trusting + curl.showing(newClient) + Self.greeting).status == 200)
            let last = try await held.call()
            #expect(last == "200")
        }
        #expect(oldJudged.withLock { $0 } == ["CN=old", "CN=old", "CN=old"])
        #expect(newJudged.withLock { $0 } == ["CN=new"])
    }

    @Test func identityAndDecisionAreReplaced() async throws {
        let device = try authority.issueClient(commonName: "device")
        let trust = TrustPolicy.anchors(authority.bundle)
        let tls = ServerTLSConfiguration(identity: .fixed(identity), clients: .certificateRequired(trust))
        try await TestServer.run(tls, authority: authority) { test async throws in
            let curl = try Curl()
            let showing = try curl.showing(device)
            #expect(try await curl(test.url, curl.trusting(authority) + showing + Self.greeting).status == 200)
            try await test.server.replaceTLS(
                with: .init(
                    identity: .fixed(nextIdentity), clients: .certificateRequired(trust) { _ in false }))
            #expect(try await curl(test.url, curl.trusting(next) + showing + Self.greeting).status == 403)
        }
    }

    // MARK: Versions

    @Test(arguments: TLSVersionRange.Version.allCases)
    func onlyOneVersionIsSpoken(version: TLSVersionRange.Version) async throws {
        let only = TLSVersionRange(minimum: version, maximum: version)
        let tls = ServerTLSConfiguration(identity: .fixed(identity), versions: only)
        try await TestServer.run(tls, authority: authority) { test async throws in
            let curl = try Curl()
            let trusting = try curl.trusting(authority)
            for (client, arguments) in [
                (TLSVersionRange.Version.tls12, ["--tls-max", "1.2"]), (.tls13, ["--tlsv1.3"]),
            ] {
                let answer = try await curl(test.url, trusting + arguments + Self.greeting)
                if client == version {
                    #expect(answer.status == 200, "\(answer.problem)")
                } else {
                    // 35: the TLS handshake failed.
                    #expect(answer.exit == 35, "\(answer.problem)")
                }
            }
            try await test.server.replaceTLS(with: .init(identity: .fixed(identity)))
            for arguments in [["--tls-max", "1.2"], ["--tlsv1.3"]] {
                #expect(try await curl(test.url, trusting + arguments + Self.greeting).status == 200)
            }
        }
    }
}
