/// A proxy on the way to an origin (RFC 9110 §3.7).
///
/// An `https` origin is reached through a tunnel (`CONNECT`, RFC 9110 §9.3.6), inside which the proxy sees nothing; a request
/// to an `http` origin is given to the proxy in the absolute form (RFC 9112 §3.2.2).
public struct Proxy: Sendable, Hashable, CustomStringConvertible {
    /// How the proxy itself is reached: with `https`, TLS is spoken with it before anything else.
    public let origin: Origin

    package init(origin: Origin) { self.origin = origin }

    /// - Parameter url: `http://proxy.example:3128`, or `https://…` for one that is spoken to over TLS. Without a port, that of
    ///   the scheme.
    /// - Throws: ``EndpointError`` naming what is wrong. A user name or a password in it is refused: give credentials apart.
    public init(_ url: String) throws(EndpointError) {
        let endpoint = try Endpoint(url)
        guard endpoint.path == "/" else {
            throw EndpointError(url: url, message: "a proxy has no path")
        }
        origin = endpoint.origin
    }

    public var description: String { origin.description }
}

/// Which proxy leads to which origin. A value without I/O.
public struct ProxyRules: Sendable, Hashable {
    /// For `http` origins; nil to go there directly.
    public var http: Proxy?
    /// For `https` origins; nil to go there directly.
    public var https: Proxy?
    /// What is reached directly all the same.
    public var exceptions: ProxyExceptions

    /// No proxy for anything.
    public static let direct = ProxyRules()

    /// One proxy for everything but the exceptions.
    public init(_ proxy: Proxy? = nil, exceptions: ProxyExceptions = .init()) {
        http = proxy
        https = proxy
        self.exceptions = exceptions
    }

    /// Nil to go there directly.
    public func proxy(for origin: Origin) -> Proxy? {
        guard let proxy = origin.scheme == .https ? https : http, !exceptions.contains(origin) else { return nil }
        return proxy
    }
}
