/// A connection, for schemes that bind to a connection or to the certificate with which it was opened.
public struct AuthenticationChannel: Sendable {
    /// Distinguishes the connections of one client.
    public let number: Int
    /// `tls-server-end-point` of RFC 5929 §4, with its prefix; nil without TLS.
    public let binding: [UInt8]?
    /// SHA-256 of the client certificate with which it was opened; nil without one.
    public let certificate: [UInt8]?
    /// The users that the peer has accepted on it: the ``AuthenticationExchange/user`` of each exchange that it
    /// accepted over this connection.
    public let users: Set<ConnectionUser>

    /// A connection as the transport describes it.
    ///
    /// - Parameters:
    ///   - number: the same for all legs over one connection, and different for each connection of the client.
    ///   - binding: `tls-server-end-point:` and the hash of the server's certificate; nil without TLS.
    ///   - certificate: the SHA-256 of the client certificate; nil without one.
    ///   - users: the users that the peer has accepted on it; no user on a new connection.
    public init(
        number: Int, binding: [UInt8]? = nil, certificate: [UInt8]? = nil, users: Set<ConnectionUser> = []
    ) {
        self.number = number
        self.binding = binding
        self.certificate = certificate
        self.users = users
    }
}

/// The user of a connection that a scheme has bound to this user, and the peer. Requests of other users must not use
/// the connection.
public struct ConnectionUser: Sendable, Hashable {
    let space: ProtectionSpace
    let credentials: Credentials
}

extension ConnectionUser: CustomStringConvertible {
    public var description: String { "\(credentials) for \(space)" }
}
