import SignetDiagnosis
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// What an error alone tells about a handshake with a real server.
@Suite(.timeLimit(.minutes(5))) struct DiagnosisTests {
    private let authority: CertificateAuthority
    private let server: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "Transport tests")
        server = try authority.issueServer(dnsNames: ["localhost"])
    }

    /// The most likely cause of the error of one call.
    private func cause(
        _ url: String, identity: Identity? = nil, trust: TrustPolicy? = nil
    ) async throws -> Diagnosis.Finding? {
        try await withTransport(
            url,
            {
                $0.trust = trust ?? .anchors(authority.bundle)
                if let identity { $0.identity = .fixed(identity) }
            }
        ) { transport async throws in
            do {
                _ = try await transport.call(url)
                return nil
            } catch { return error.diagnosis?.mostLikely }
        }
    }

    @Test(arguments: ["1.2", "1.3"]) func aRefusedIdentity(version: String) async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/ok"
        let none = try await cause(url)
        #expect(none?.code == .clientCertificateRequired && none?.party == .us)

        let stranger = try CertificateAuthority(commonName: "Stranger").issueClient(commonName: "device 2")
        let unknown = try await cause(url, identity: stranger)
        #expect(unknown?.code == .issuerNotAcceptable)
        #expect(unknown?.evidence.contains { $0.contains("“CN=Stranger”") } == true, "\(unknown?.evidence ?? [])")
        #expect(unknown?.evidence.contains { $0.contains("unknown_ca") } == true)

        let intermediate = try authority.issueIntermediate(commonName: "Issuing")
        let key = try SoftwareSigningKey(.p256)
        let whole = try intermediate.issueClient(signingKey: key, commonName: "device 3")
        let alone = try Identity(certificates: [whole.leaf], signingKey: key)
        #expect(try await cause(url, identity: alone)?.code == .intermediatesNotSent)
        #expect(try await cause(url, identity: whole) == nil)
    }

    @Test func anUntrustedServer() async throws {
        let peer = try Peer(identity: server)
        let stranger = try CertificateAuthority(commonName: "Stranger")
        let found = try await cause("https://localhost:\(peer.port)/ok", trust: .anchors(stranger.bundle))
        #expect(found?.code == .serverNotTrusted && found?.party == .us)
    }

    /// This one reads the ClientHello as a line of HTTP, and leaves.
    @Test func aServerThatSaysNothing() async throws {
        let peer = try Peer()
        let found = try await cause("https://localhost:\(peer.port)/ok")
        #expect(found?.code == .connectionClosed)
        #expect(found?.evidence.first == "It was closed by the server before a byte came.")
    }

    @Test func aServerThatIsGone() async throws {
        #expect(try await cause("https://localhost:1/ok")?.code == .connectionRefused)
    }
}
