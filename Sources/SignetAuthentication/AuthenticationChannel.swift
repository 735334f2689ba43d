/// A connection, as schemes see it that bind to one.
package struct AuthenticationChannel: Sendable {
    /// Tells connections of one client apart.
    package let number: Int
    /// `tls-server-end-point` of RFC 5929 §4, with its prefix; nil without TLS.
    package let binding: [UInt8]?
    /// SHA-256 of the client certificate that it was opened with; nil for none.
    package let certificate: [UInt8]?
    /// Whose it is, since the peer has accepted them on it.
    package let users: Set<ConnectionUser>

    package init(
        number: Int, binding: [UInt8]? = nil, certificate: [UInt8]? = nil, users: Set<ConnectionUser> = []
    ) {
        self.number = number
        self.binding = binding
        self.certificate = certificate
        self.users = users
    }
}

/// Whose a connection is after a scheme that binds to it, and with which peer.
package struct ConnectionUser: Sendable, Hashable {
    let space: ProtectionSpace
    let credentials: Credentials
}

extension ConnectionUser: CustomStringConvertible {
    package var description: String { "\(credentials) for \(space)" }
}
