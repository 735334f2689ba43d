/// Kerberos within Negotiate (RFC 4559, RFC 4121), by a library of the system, which may use the network.
public protocol NegotiateMechanism: Sendable {
    /// Starts to prove the user's identity to `HTTP@host`.
    ///
    /// - Parameters:
    ///   - host: the name of the host in the service's principal, without a port.
    ///   - credentials: an account, or ``Credentials/ticket`` for the system's ticket.
    ///   - channelBinding: the channel binding of RFC 5929, with its prefix; nil without TLS.
    ///   - mutual: whether the service must prove its identity too.
    /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/noTicket`` when there is no ticket: another
    ///   scheme is then tried.
    func context(
        host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
    ) async throws -> any NegotiateContext
}

/// One handshake of a ``NegotiateMechanism`` with one peer.
public protocol NegotiateContext: Sendable {
    /// Processes the peer's token, nil at first, and returns the client's; nil when there is no further message. The
    /// tokens are those of Kerberos (RFC 4121 §4.1), without SPNEGO.
    func step(_ token: [UInt8]?) async throws -> [UInt8]?
    /// Whether both sides have given the required proofs.
    var isComplete: Bool { get }
}
