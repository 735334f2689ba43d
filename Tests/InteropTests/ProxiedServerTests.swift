import Foundation
import Signet
import SignetServer
import SignetTesting
import Synchronization
import Testing

@testable import SignetDemo

/// PHP, gSOAP and zeep as clients of a service of Signet that speaks plain HTTP on loopback, behind an nginx that
/// demands a client certificate.
@Suite(.serialized) struct ProxiedServerTests {
    private func calls(
        _ client: ClientPeer, _ version: SOAPVersion, stranger: Bool = false
    ) async throws -> [String: PeerCall] {
        let authority = try CertificateAuthority()
        let password = "pass wörd"
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(
            WebEase.dispatcher(MemoryDiary()), path: "/soap",
            authentication: .basic(realm: "WebEase") { $0.user == "app" && $0.password == password }, settings: settings
        )
        let upstream = try await server.start()
        let outcome: Result<[String: PeerCall], any Error>
        do {
            let issuer = stranger ? try CertificateAuthority() : authority
            let identity = try issuer.issueClient(commonName: "device-7")
            outcome = .success(
                try await MutualTLSProxy.run(before: upstream, authority: authority) { port in
                    try await client.callAll(
                        version, endpoint: "https://localhost:\(port)/soap", authority: authority, identity: identity,
                        credentials: ("app", password))
                })
        } catch { outcome = .failure(error) }
        await server.shutdown()
        return try outcome.get()
    }

    @Test(arguments: ClientPeer.allCases, WebEasePeerTests.versions)
    func everyOperationAnswersThroughNginx(client: ClientPeer, version: SOAPVersion) async throws {
        let calls = try await calls(client, version)
        let created = try #require(calls["create"]?.result?.entry, "\(calls)")
        #expect(created.note == "after lunch, < 2 h & ü € 😀")
        #expect(calls["query"]?.result?.found?.entry.map(\.id) == [created.id])
        #expect(calls["update"]?.result?.entry?.revision == 2)
        let conflict = try #require(calls["updateOfOldRevision"]?.fault)
        #expect(conflict.code.hasSuffix(version == .soap12 ? ":Receiver" : ":Server"))
        #expect(conflict.reason == "geändert")
        #expect(conflict.detail == "EntryConflict id=\(created.id) currentRevision=2")
        #expect(calls["delete"]?.result?.isDeleted == true)
        #expect(calls["deleteAgain"]?.fault?.detail == "EntryNotFound id=\(created.id)")
        #expect(
            calls["register"]?.fault?.detail
                == "RegistrationRefused reason=never explanation=Hier nicht: \(client.name)")
        #expect(calls.values.allSatisfy { $0.contentType == version.mediaType }, "\(calls)")
    }

    @Test(arguments: ClientPeer.allCases)
    func aCertificateOfAnotherAuthorityIsRefused(client: ClientPeer) async throws {
        let calls = try await calls(client, .soap12, stranger: true)
        let refused = try #require(calls["create"]?.error, "\(calls)")
        #expect(refused.message.contains("400") || refused.message.contains("Bad Request"), "\(refused)")
    }

    /// The proxy does not end TLS: the client shows its certificate to the service, which knows its address from the proxy alone.
    @Test(arguments: ["send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"], ["--http1.1", "--http2"])
    func haproxyNamesTheClient(header: String, version: String) async throws {
        let authority = try CertificateAuthority()
        let peers = Mutex<[PeerDescription]>([])
        struct Noting: ServiceMiddleware {
            let note: @Sendable (PeerDescription) -> Void
            func intercept(
                _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
            ) async throws -> OperationAnswer {
                note(context.peer)
                return try await next(context)
            }
        }
        var dispatcher = WebEase.dispatcher(MemoryDiary())
        dispatcher.middlewares = [Noting { peer in peers.withLock { $0.append(peer) } }]
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.proxies = ["127.0.0.1"]
        settings.usesProxyProtocol = true
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let upstream = try await server.start()
        let files = try IdentityFiles()
        try await files.write(try authority.issueClient(commonName: "device-7"), as: "client")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        let port = try Port.free()
        try files.fill(
            "haproxy-proxy-protocol.cfg", ["PORT": "\(port)", "UPSTREAM": "\(upstream)", "VERSION": header],
            as: "haproxy.cfg")
        let query = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>\
            <LogEntryQuery xmlns="urn:signet:example:webease:types"><patientId>1</patientId></LogEntryQuery></s:Body></s:Envelope>
            """
        let outcome: Result<(status: Int32, output: String, error: String), any Error>
        do {
            let haproxy = PeerProcess.Command(
                program: "haproxy", arguments: ["-db", "-f", "haproxy.cfg"], folder: files.folder, port: port)
            outcome = .success(
                try await PeerProcess.run(haproxy) { () async throws in
                    try await PeerProcess.output(
                        of: .init(
                            program: "curl",
                            arguments: [
                                "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", version,
                                "--ipv4", "--interface", "127.0.0.5", "--cacert", files.path("authority.pem"), "--cert",
                                files.path("client.pem"), "--key", files.path("client.key"), "--header",
                                "Content-Type: text/xml", "--data-binary", query, "https://localhost:\(port)/soap",
                            ]))
                })
        } catch { outcome = .failure(error) }
        await server.shutdown()
        let answer = try outcome.get()
        #expect(answer.output.contains("LogEntryQueryResponse"), "\(answer)")
        let peer = try #require(peers.withLock { $0.first })
        #expect(peer.remoteAddress?.hasPrefix("127.0.0.5:") == true, "\(peer)")
        #expect(peer.certificateSubject == "CN=device-7")
    }
}
