package import SignetTLS

/// Where a client takes the identity from that it shows when the server asks. Indirect, so that a copy, which each call makes, retains one
/// object.
package indirect enum ClientIdentity: Sendable {
    case none
    case given(Identity)
    /// Asked when the server asks, and not before. It throws when there must be no connection.
    case onDemand(@Sendable () async throws -> Identity?)
    /// Shown in the first handshake, or in one more on the open connection, whichever it is in that the server asks. That is
    /// possible in TLS 1.2 only (RFC 5246 §7.4.1.1, with RFC 5746), which is all that is offered then.
    case late(Identity)
}

/// The identity that was to be shown on demand could not be had.
package struct IdentityLookupFailure: Error, Sendable {
    package let cause: any Error
}
