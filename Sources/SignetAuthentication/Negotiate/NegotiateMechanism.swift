/// Kerberos within Negotiate (RFC 4559, RFC 4121): something of the system's, which may ask the network.
public protocol NegotiateMechanism: Sendable {
    /// Starts to prove who we are to `HTTP@host`.
    ///
    /// - Parameters:
    ///   - credentials: an account, or ``Credentials/ticket`` for what the system has.
    ///   - channelBinding: what RFC 5929 has for the channel, with its prefix; nil without TLS.
    ///   - mutual: whether the service has to prove itself too.
    /// - Throws: ``AuthenticationError`` with ``AuthenticationError/Code/noTicket`` when there is nothing to prove it with: another
    ///   scheme is tried then.
    func context(
        host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
    ) async throws -> any NegotiateContext
}

/// One run of ``NegotiateMechanism`` with one peer.
public protocol NegotiateContext: Sendable {
    /// Takes the token of the peer, none at first, and returns ours; nil when nothing is to be said. The tokens are Kerberos' own
    /// (RFC 4121 §4.1), without SPNEGO.
    func step(_ token: [UInt8]?) async throws -> [UInt8]?
    /// Whether both sides have proved what they have to.
    var isComplete: Bool { get }
}
