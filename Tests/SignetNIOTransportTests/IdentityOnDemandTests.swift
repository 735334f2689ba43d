import HTTPTypes
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// An identity that is looked for when a server asks, and not before.
@Suite(.timeLimit(.minutes(5))) struct IdentityOnDemandTests {
    let authority: CertificateAuthority
    let server: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "On demand")
        server = try authority.issueServer(dnsNames: ["localhost"])
    }

    /// - Parameter look: what the source says; counted.
    private func use(
        _ clients: Peer.ClientCertificate, version: String = "", asked expected: Int,
        look: @escaping @Sendable () async throws -> Identity?,
        _ body: (NIOTransport, String, Peer) async throws -> Void
    ) async throws {
        let peer = try Peer(identity: server, clients: clients, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/who"
        let asked = Atomic(0)
        try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.looksForIdentityOnDemand = true
                $0.identity = IdentitySource(description: "on demand") {
                    asked.add(1, ordering: .relaxed)
                    return try await look()
                }
            }
        ) { transport async throws in try await body(transport, url, peer) }
        #expect(asked.load(ordering: .relaxed) == expected)
    }

    @Test func theSourceIsNotAskedUnlessTheServerAsks() async throws {
        let client = try authority.issueClient()
        try await use(.none, asked: 0, look: { client }) { transport, url, _ async throws in
            #expect(try await transport.call(url).text == "nobody")
        }
    }

    @Test(arguments: ["1.2", "1.3", "retry"]) func theIdentityIsShownWhenTheServerAsks(version: String) async throws {
        let client = try authority.issueClient(commonName: "on demand")
        try await use(
            .required, version: version, asked: 1,
            look: {
                try await Task.sleep(for: .milliseconds(50))
                return client
            }
        ) { transport, url, _ async throws in
            for _ in 0..<3 {
                let answer = try await transport.call(url)
                #expect(answer.text == "on demand")
                #expect(answer.report.connection.tls?.clientCertificate?.contains("on demand") == true)
            }
        }
    }

    @Test func aNewIdentityIsShownOnNewConnections() async throws {
        let clients = [try authority.issueClient(commonName: "old"), try authority.issueClient(commonName: "new")]
        let current = Mutex(clients[0])
        try await use(.required, asked: 2, look: { current.withLock { $0 } }) { transport, url, _ async throws in
            #expect(try await transport.call(url).text == "old")
            current.withLock { $0 = clients[1] }
            #expect(try await transport.call(url).text == "old")
            transport.renewConnections()
            #expect(try await transport.call(url).text == "new")
        }
    }

    private struct NoCard: Error, CustomStringConvertible { let description = "the card is not in the reader" }

    @Test(arguments: ["1.2", "1.3"]) func theErrorNamesWhyTheIdentityIsUnavailable(version: String) async throws {
        try await use(.required, version: version, asked: 1, look: { throw NoCard() }) {
            transport, url, peer async throws in
            let error = try await transport.failure(url)
            #expect(error?.code == .unusableIdentity)
            #expect(error?.message.contains("the card is not in the reader") == true)
            #expect(error?.cause is NoCard)
            #expect(error?.mayHaveBeenProcessed == false)
            #expect(try peer.requests.isEmpty)
        }
    }

    @Test func theSourceMayAnswerWithNoIdentity() async throws {
        try await use(.optional, asked: 1, look: { nil }) { transport, url, _ async throws in
            #expect(try await transport.call(url).text == "nobody")
        }
        try await use(.required, version: "1.2", asked: 1, look: { nil }) { transport, url, _ async throws in
            #expect(try await transport.failure(url)?.code == .clientCertificateRequired)
        }
    }

    @Test func anExpiredOneIsNotShown() async throws {
        let expired = try authority.issueClient(.client.expired)
        try await use(.required, asked: 1, look: { expired }) { transport, url, peer async throws in
            #expect(try await transport.failure(url)?.code == .unusableIdentity)
            #expect(try peer.events.allSatisfy { $0.certificate == nil })
        }
    }

    @Test func aTimeoutNamesTheSlowIdentitySource() async throws {
        try await use(
            .required, asked: 1,
            look: {
                try await Task.sleep(for: .seconds(30))
                return nil
            }
        ) { transport, url, _ async throws in
            let error = try await transport.failure(url, .post) { $0.deadlines.connect = .milliseconds(300) }
            #expect(error?.code == .connectTimeout)
            #expect(error?.message.contains("the identity to show") == true, "\(error?.message ?? "")")
        }
    }
}
