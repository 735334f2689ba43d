package import NIOCore

extension SocketAddress {
    /// Address and port in the form of RFC 3986 §3.2.2; nil for a socket without an IP address.
    package var hostAndPort: String? {
        guard let host = ipAddress, let port else { return nil }
        return self.protocol == .inet6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
