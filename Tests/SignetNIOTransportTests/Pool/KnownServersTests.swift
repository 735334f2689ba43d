import NIOCore
import Testing

@testable import SignetNIOTransport

@Suite struct KnownServersTests {
    private func key(_ host: String, _ route: Route = .direct) -> PoolKey {
        PoolKey(origin: .init(scheme: .https, host: host, port: 443), route: route, identity: .none)
    }

    @Test func everyOriginAndRouteHasItsOwnServer() {
        let servers = KnownServers()
        servers.server(of: key("a")).idleLimit.announce("timeout=5")
        servers.server(of: key("a")).needsHTTP1 = true
        let now = NIODeadline.now()
        #expect(servers.server(of: key("a")).idleLimit.usable(at: now) == .seconds(4))
        #expect(servers.server(of: key("a")).needsHTTP1)
        for other in [key("b"), key("a", .unixSocket("/run/a"))] {
            #expect(servers.server(of: other).idleLimit.usable(at: now) == nil)
            #expect(!servers.server(of: other).needsHTTP1)
        }
        // Many places do not fill the memory.
        for number in 0..<1_000 { _ = servers.server(of: key("host \(number)")) }
        #expect(servers.server(of: key("a")).idleLimit.usable(at: now) == nil)
    }

    /// A place is the same for all identities, users and protocols.
    @Test func keysOfTheSamePlaceShareTheServer() {
        let servers = KnownServers()
        let server = servers.server(of: key("a"))
        var other = PoolKey(origin: key("a").origin, identity: .onDemand)
        #expect(servers.server(of: other) === server)
        other.offersHTTP2 = true
        #expect(servers.server(of: other) === server)
    }

    @Test func aConnectionIsExpectedToBeLikeTheLastOne() {
        let server = KnownServer()
        #expect(server.expectedCapacity == 1)
        server.http2Capacity = 100
        #expect(server.expectedCapacity == 100)
        server.needsHTTP1 = true
        #expect(server.expectedCapacity == 1)
        server.needsHTTP1 = false
        server.http2Capacity = nil
        #expect(server.expectedCapacity == 1)
    }
}
