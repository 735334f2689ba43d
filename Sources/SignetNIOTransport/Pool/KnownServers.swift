import SignetHTTP
import Synchronization

/// What the client has learned about one server, or about a proxy on the way to it. Its connections share it.
final class KnownServer: Sendable {
    private struct Knowledge {
        var http2Capacity: Int?
        var needsHTTP1 = false
    }

    let idleLimit = ServerIdleLimit()
    private let knowledge = Mutex(Knowledge())

    /// How many calls its last connection could carry at once, if that spoke HTTP/2.
    var http2Capacity: Int? {
        get { knowledge.withLock { $0.http2Capacity } }
        set { knowledge.withLock { $0.http2Capacity = newValue } }
    }

    /// Whether calls must use HTTP/1.1, although the server may speak HTTP/2.
    var needsHTTP1: Bool {
        get { knowledge.withLock { $0.needsHTTP1 } }
        set { knowledge.withLock { $0.needsHTTP1 = newValue } }
    }

    /// How many calls a new connection will probably carry at once.
    var expectedCapacity: Int { knowledge.withLock { $0.needsHTTP1 ? 1 : $0.http2Capacity ?? 1 } }
}

/// What the client has learned about servers, by the site to which connections lead and the route to it.
final class KnownServers: Sendable {
    private struct Place: Hashable {
        let origin: Origin
        let route: Route
    }

    /// Beyond this number of places, everything is forgotten and learned again.
    private static let maximum = 256
    private let servers = Mutex<[Place: KnownServer]>([:])

    func server(of key: PoolKey) -> KnownServer {
        servers.withLock { servers in
            let place = Place(origin: key.origin, route: key.route)
            if let known = servers[place] { return known }
            if servers.count >= Self.maximum { servers = [:] }
            let server = KnownServer()
            servers[place] = server
            return server
        }
    }
}
