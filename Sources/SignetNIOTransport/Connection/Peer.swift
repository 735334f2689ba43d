import SignetHTTP
import SignetNIOTLS
import SignetTLS

/// The peer at the other end of a channel: an origin, or a proxy on the way to it.
struct Peer: Sendable, CustomStringConvertible {
    enum Address: Sendable {
        case host(String, port: Int)
        case unixSocket(String)
    }

    let origin: Origin
    let isProxy: Bool
    let address: Address
    /// The identity for a peer that asks for a certificate.
    let identity: ClientIdentity
    let trust: TrustPolicy
    /// Exceptions to ``trust``.
    var exceptions: [TrustException] = []
    var allowsInsecureCipherSuites = false
    /// Whether the client offers HTTP/2 to it beside HTTP/1.1.
    var isOfferedHTTP2 = false

    init(origin: Origin, via route: Route, identity: ClientIdentity, trust: TrustPolicy) {
        self.origin = origin
        isProxy = false
        address =
            if case .unixSocket(let path) = route { .unixSocket(path) } else { .host(origin.host, port: origin.port) }
        self.identity = identity
        self.trust = trust
    }

    init(proxy: Proxy, identity: ClientIdentity, trust: TrustPolicy) {
        origin = proxy.origin
        isProxy = true
        address = .host(proxy.origin.host, port: proxy.origin.port)
        self.identity = identity
        self.trust = trust
    }

    /// For messages: the host, and that it is a proxy.
    var host: String { isProxy ? "the proxy \(origin.host)" : origin.host }

    var description: String {
        if case .unixSocket(let path) = address { return "\(origin) at the socket \(path)" }
        return isProxy ? "the proxy \(origin)" : "\(origin)"
    }
}
