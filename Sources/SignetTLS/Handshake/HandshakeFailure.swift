/// What the client knows of a TLS connection that failed: the cause of the transport's error, from which the reason can
/// be found. It contains no key.
package struct HandshakeFailure: Error, Sendable, CustomStringConvertible {
    /// The alert that the server sent; nil without one.
    package var alert: TLSAlert?
    /// The name that the TLS library has for its own reason to end the connection; nil without one.
    package var localReason: String?
    /// Whether the client's part of the handshake had ended.
    package var isFinished = false
    /// What the server chose; nil before its ServerHello.
    package var hello: ServerHello?
    /// The name of the host that the client sent; nil when it sent none.
    package var serverName: String?
    /// The server's trusted path, its own certificate first; empty before it was judged.
    package var serverPath: [EncodedCertificate] = []
    /// Whether the server asked for a certificate in the handshake.
    package var isCertificateRequested = false
    /// The client's identity for this server; nil when it has none.
    package var identity: PublicIdentity?
    /// Whether the client sent the certificate of ``identity``.
    package var isIdentityShown = false
    /// Whether the client shows its identity also in a second handshake.
    package var mayBeShownLate = false
    /// The error of the TLS library or of the system.
    package var cause: (any Error)?

    /// A failure about which nothing is known yet.
    package init(alert: TLSAlert? = nil, localReason: String? = nil, cause: (any Error)? = nil) {
        self.alert = alert
        self.localReason = localReason
        self.cause = cause
    }

    package var description: String {
        let what =
            alert.map { "the alert \($0)" } ?? localReason ?? cause.map { "\($0)" } ?? "the connection was closed"
        return "TLS\(hello.map { " (\($0.versionName))" } ?? ""): \(what)"
    }
}

/// What a peer may know of an identity.
package struct PublicIdentity: Sendable, Hashable {
    /// The certificates that are sent, the identity's own first.
    package var chain: [EncodedCertificate]
    /// The certificates of authorities that came with it.
    package var authorities: [EncodedCertificate]
    /// The schemes with which its key signs.
    package var signatureSchemes: [SignatureScheme]

    package init(_ identity: Identity) {
        chain = identity.chain
        authorities = identity.authorities.certificates
        signatureSchemes = identity.signingSchemes
    }
}
