package import SignetTLS

/// Where a client gets the identity that it shows when the server asks for one. The enum is indirect, so that copying
/// it, which every call does, retains only one object.
package indirect enum ClientIdentity: Sendable {
    case none
    case given(Identity)
    /// The closure is called when the server asks for a certificate, and not before. It throws when the handshake must
    /// fail.
    case onDemand(@Sendable () async throws -> Identity?)
    /// The client shows the identity in the first handshake, or in a second one on the open connection, whichever the
    /// server asks in. A second handshake exists only in TLS 1.2 (RFC 5246 §7.4.1.1, with RFC 5746), so the client then
    /// offers nothing newer.
    case late(Identity)
}

/// The closure of ``ClientIdentity/onDemand(_:)`` failed to get an identity.
package struct IdentityLookupFailure: Error, Sendable {
    package let cause: any Error
}
