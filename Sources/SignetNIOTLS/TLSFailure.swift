package import SignetTLS

/// Why a TLS connection does not stand, or fell.
package struct TLSFailure: Error, Sendable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// We do not believe the peer.
        case untrusted(TrustError.Code)
        /// The server demands a certificate of the client, which gave none.
        case certificateRequired
        /// The server does not want the certificate that the client gave.
        case certificateRefused
        /// The identity cannot be used at all.
        case unusableIdentity
        /// Anything else between two TLS stacks.
        case handshake
    }

    package let reason: Reason
    package let message: String
    package let cause: (any Error)?

    package init(_ reason: Reason, _ message: String, cause: (any Error)? = nil) {
        self.reason = reason
        self.message = message
        self.cause = cause
    }

    /// The judgement about the peer, if that is the cause.
    package var trustError: TrustError? { cause as? TrustError }

    package var description: String { message }
}
