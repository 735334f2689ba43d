package import SignetTLS

/// Why a TLS connection could not be opened, or broke.
package struct TLSFailure: Error, Sendable, CustomStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The peer is not trusted.
        case untrusted(TrustError.Code)
        /// The server requires a client certificate, and the client showed none.
        case certificateRequired
        /// The server refused the client's certificate.
        case certificateRefused
        /// The identity cannot be used.
        case unusableIdentity
        /// Any other failure between the two TLS stacks.
        case handshake
    }

    package let reason: Reason
    package let message: String
    /// Whether the server said explicitly that the client's certificate, or the lack of one, is the reason. The server
    /// says so before it reads a first request, even when the client has already sent it.
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

    /// The policy's judgement of the peer, if that is the cause.
    package var trustError: TrustError? { cause as? TrustError }

    package var description: String { message }
}
