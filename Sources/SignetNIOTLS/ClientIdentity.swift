package import SignetTLS

/// Where a client takes the identity from that it shows when the server asks.
package enum ClientIdentity: Sendable {
    case none
    case given(Identity)
    /// Asked when the server asks, and not before. It throws when there must be no connection.
    case onDemand(@Sendable () async throws -> Identity?)
}

/// The identity that was to be shown on demand could not be had.
package struct IdentityLookupFailure: Error, Sendable {
    package let cause: any Error
}
