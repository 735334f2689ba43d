import HTTPTypes
import NIOCore
import NIOPosix
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Names with several addresses, and addresses that are none of version 4.
@Suite(.timeLimit(.minutes(5))) struct AddressTests {
    /// A name service that knows addresses of both versions for every name.
    private struct BothVersions: Resolver, Sendable {
        let loop: any EventLoop
        let version4: [String]
        let version6: [String]

        private func addresses(_ texts: [String], _ port: Int) -> EventLoopFuture<[SocketAddress]> {
            loop.makeCompletedFuture { try texts.map { try SocketAddress(ipAddress: $0, port: port) } }
        }

        func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses(version4, port) }
        func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
            addresses(version6, port)
        }
        func cancelQueries() {}
    }

    /// The name has an address of each version, and a server listens at only one of them (RFC 8305).
    @Test(arguments: ["127.0.0.1", "::1"]) func theAddressThatAnswersIsTaken(address: String) async throws {
        let peer = try Peer(address: address)
        let url = "http://two.example:\(peer.port)/ok"
        let group = MultiThreadedEventLoopGroup.singleton
        let resolver = BothVersions(
            // No server listens at the first of them.
            loop: group.any(), version4: ["127.0.0.9", "127.0.0.1"], version6: ["::1"])
        try await withTransport(url, { $0.resolver = resolver }) { transport async throws in
            let answer = try await transport.call(url)
            #expect(answer.status == .ok)
            let reached = address == "::1" ? "[::1]:\(peer.port)" : "127.0.0.1:\(peer.port)"
            #expect(answer.report.connection.remoteAddress == reached)
        }
    }

    @Test func anAddressOfVersion6HasACertificateOfItsOwn() async throws {
        let authority = try CertificateAuthority()
        let peer = try Peer(identity: try authority.issueServer(ipAddresses: ["::1"]), address: "::1")
        // However it is written.
        for host in ["[::1]", "[0:0:0:0:0:0:0:1]"] {
            let url = "https://\(host):\(peer.port)/ok"
            try await withTransport(url, { $0.trust = .anchors(authority.bundle) }) { transport async throws in
                #expect(try await transport.call(url).status == .ok)
            }
        }
        // RFC 6066 §3: an address is no server name. RFC 9110 §7.2: in brackets as a host.
        #expect(try peer.events.filter { $0.event == "handshake" }.allSatisfy { $0.serverName == nil })
        #expect(try peer.requests.first?.fields?["host"] == "[::1]:\(peer.port)")
    }
}
