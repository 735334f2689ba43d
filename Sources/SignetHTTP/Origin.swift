/// The scheme, host and port that credentials, identities and connections belong to (RFC 9110 §4.3.1).
public struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// The schemes that Signet supports.
    public enum Scheme: String, Sendable, Hashable {
        /// HTTP without TLS: anyone on the network path can read and change what is sent.
        case http
        /// HTTP over TLS (RFC 9110 §4.2.2).
        case https

        /// The port for a URL that names none.
        public var defaultPort: Int { self == .https ? 443 : 80 }
    }

    /// Decides whether the connection is made with TLS.
    public let scheme: Scheme
    /// The host in lower case, without a trailing dot; an IPv6 address stands without brackets.
    public let host: String
    /// The port of the connection; the scheme's default port if the URL names none.
    public let port: Int

    package init(scheme: Scheme, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The value of the `Host` field (RFC 9110 §7.2).
    public var authority: String { port == scheme.defaultPort ? bracketedHost : hostAndPort }

    /// The target of a `CONNECT` (RFC 9110 §9.3.6), which always includes the port.
    package var hostAndPort: String { "\(bracketedHost):\(port)" }

    private var bracketedHost: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host }

    /// Whether the host is this machine: an address of 127.0.0.0/8 or `::1`, or the name `localhost`, which must
    /// resolve to these (RFC 6761 §6.3).
    package var isLoopback: Bool {
        if host == "localhost" { return true }
        guard let address = AddressBlock.octets(of: host) else { return false }
        return address.count == 4 ? address.first == 127 : address == [UInt8](repeating: 0, count: 15) + [1]
    }

    public var description: String { "\(scheme.rawValue)://\(authority)" }
}
