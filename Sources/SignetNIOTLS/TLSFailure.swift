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
    /// Whether the server said beyond doubt that our certificate, or the lack of one, is the reason. It says so before it
    /// has looked at a first request, even if that is on its way.
    package let namesCertificate: Bool
    package let cause: (any Error)?

    package init(
        _ reason: Reason, _ message: String, namesCertificate: Bool = false, cause: (any Error)? = nil
    ) {
        self.reason = reason
        self.message = message
        self.namesCertificate = namesCertificate
        self.cause = cause
    }

    /// The judgement about the peer, if that is the cause.
    package var trustError: TrustError? { cause as? TrustError }

    package var description: String { message }
}
