/// A connection, as schemes see it that bind to one, or to what it was opened with.
public struct AuthenticationChannel: Sendable {
    /// Tells connections of one client apart.
    public let number: Int
    /// `tls-server-end-point` of RFC 5929 §4, with its prefix; nil without TLS.
    public let binding: [UInt8]?
    /// SHA-256 of the client certificate that it was opened with; nil for none.
    public let certificate: [UInt8]?
    /// Whose it is, since the peer has accepted them on it: each ``AuthenticationExchange/user`` of an exchange that was let in over it.
    public let users: Set<ConnectionUser>

    /// A connection as a transport knows it.
    ///
    /// - Parameters:
    ///   - number: the same for all legs over one connection, another for each other connection of the client.
    ///   - binding: `tls-server-end-point:` and the hash of the server's certificate; nil without TLS.
    ///   - certificate: the SHA-256 of the client certificate; nil for none.
    public init(
        number: Int, binding: [UInt8]? = nil, certificate: [UInt8]? = nil, users: Set<ConnectionUser> = []
    ) {
        self.number = number
        self.binding = binding
        self.certificate = certificate
        self.users = users
    }
}

/// Whose a connection is after a scheme that binds to it, and with which peer. Nobody else's requests may go over it.
public struct ConnectionUser: Sendable, Hashable {
    let space: ProtectionSpace
    let credentials: Credentials
}

extension ConnectionUser: CustomStringConvertible {
    public var description: String { "\(credentials) for \(space)" }
}
