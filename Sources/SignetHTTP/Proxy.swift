/// A proxy on the way to an origin (RFC 9110 §3.7).
///
/// The client reaches an `https` origin through a tunnel (`CONNECT`, RFC 9110 §9.3.6), whose content the proxy cannot
/// read. It sends a request for an `http` origin to the proxy in the absolute form (RFC 9112 §3.2.2).
public struct Proxy: Sendable, Hashable, CustomStringConvertible {
    /// The address of the proxy itself. With `https`, the client starts TLS with the proxy before anything else.
    public let origin: Origin

    package init(origin: Origin) { self.origin = origin }

    /// - Parameter url: `http://proxy.example:3128`, or `https://…` for a proxy that uses TLS. Without a port, the
    ///   default port of the scheme.
    /// - Throws: ``EndpointError`` that says what is wrong. A URL with a user name or a password is refused: give
    ///   credentials separately.
    public init(_ url: String) throws(EndpointError) {
        let endpoint = try Endpoint(url)
        guard endpoint.path == "/" else {
            throw EndpointError(url: url, message: "a proxy has no path")
        }
        origin = endpoint.origin
    }

    public var description: String { origin.description }
}

/// Which origins are reached through which proxy. A value without I/O.
public struct ProxyRules: Sendable, Hashable {
    /// For `http` origins; nil for a direct connection.
    public var http: Proxy?
    /// For `https` origins; nil for a direct connection.
    public var https: Proxy?
    /// The hosts that are reached without a proxy.
    public var exceptions: ProxyExceptions

    /// No proxy for any origin.
    public static let direct = ProxyRules()

    /// One proxy for all origins except the exceptions.
    public init(_ proxy: Proxy? = nil, exceptions: ProxyExceptions = .init()) {
        http = proxy
        https = proxy
        self.exceptions = exceptions
    }

    /// The proxy for an origin; nil for a direct connection.
    public func proxy(for origin: Origin) -> Proxy? {
        guard let proxy = origin.scheme == .https ? https : http, !exceptions.contains(origin) else { return nil }
        return proxy
    }
}
