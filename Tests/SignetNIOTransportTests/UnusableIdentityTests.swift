import NIOCore
import NIOPosix
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// An identity that no server accepts never leaves the machine.
@Suite(.timeLimit(.minutes(5))) struct UnusableIdentityTests {
    let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(commonName: "Transport tests") }

    /// Calls with `identity` where every connection is counted, and none gets an answer.
    private func attempt(
        _ identity: Identity, _ change: (inout TransportSetup) -> Void = { _ in }
    ) async throws -> (error: TransportError?, connections: Int) {
        let accepted = Mutex(0)
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                accepted.withLock { $0 += 1 }
                return channel.close()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(listener.localAddress?.port)
        let url = "https://127.0.0.1:\(port)/"
        let error = try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.identity = .fixed(identity)
                change(&$0)
            }
        ) { transport async throws in try await transport.failure(url) }
        try await listener.close()
        return (error, accepted.withLock { $0 })
    }

    @Test(arguments: ["expired", "notYetValid", "wrongExtendedKeyUsage", "wrongKeyUsage"])
    func noConnectionIsMade(problem: String) async throws {
        var profile = CertificateProfile.client
        let code: IdentityProblem.Code
        switch problem {
        case "expired": (profile, code) = (profile.expired, .expired)
        case "notYetValid": (profile, code) = (profile.notYetValid, .notYetValid)
        case "wrongExtendedKeyUsage": (profile, code) = (.server, .wrongExtendedKeyUsage)
        default:
            profile.signsCertificates = true
            code = .wrongKeyUsage
        }
        #expect(code.description == problem)
        let identity = try authority.issueClient(commonName: "device 1", profile)
        let refused = try await attempt(identity)
        #expect(refused.error?.code == .unusableIdentity)
        #expect(refused.error?.mayHaveBeenProcessed == false)
        #expect((refused.error?.cause as? IdentityProblem)?.code == code)
        #expect(refused.error?.message.contains("CN=device 1") == true)
        #expect(refused.connections == 0)
        // The same when the identity comes from a store.
        let asked = try await attempt(identity) { $0.identity = IdentitySource(description: "a store") { identity } }
        #expect(asked.error?.code == .unusableIdentity)
        #expect(asked.connections == 0)
        // A caller that tolerates the problem reaches the server; tolerating another problem is not enough.
        let tolerated = try await attempt(identity) { $0.toleratedIdentityProblems = [code] }
        #expect(tolerated.error?.code != .unusableIdentity)
        #expect(tolerated.connections == 1)
        let other = try await attempt(identity) { $0.toleratedIdentityProblems = [.weakSignature] }
        #expect(other.connections == 0)
    }

    @Test func aServerMayAcceptAToleratedExpiredIdentity() async throws {
        // The client's clock is a year ahead: the certificate is valid for the server.
        let server = try authority.issueServer(ipAddresses: ["127.0.0.1"])
        let client = try authority.issueClient(commonName: "device 1")
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle)
        let url = "https://127.0.0.1:\(peer.port)/who"
        try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.identity = .fixed(client)
                let now = $0.now
                let asked = Mutex(0)
                // The first reading of the clock serves the client's own certificate, and the others the server's.
                $0.now = {
                    let isFirst = asked.withLock { asked in
                        asked += 1
                        return asked == 1
                    }
                    return now() + (isFirst ? 31_536_000 : 0)
                }
                $0.toleratedIdentityProblems = [.expired]
            }
        ) { transport async throws in
            #expect(try await transport.call(url).text == "device 1")
        }
    }
}
