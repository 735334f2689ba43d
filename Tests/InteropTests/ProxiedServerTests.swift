import Foundation
import Signet
import SignetServer
import SignetTesting
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
            authentication: .basic(realm: "WebEase") { $0 == "app" && $1 == password }, settings: settings)
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
}
