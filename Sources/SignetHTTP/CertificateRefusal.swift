import HTTPTypes

/// What a server reports over HTTP about the client certificate, because it checks it after the handshake.
package enum CertificateRefusal: Sendable, Hashable {
    /// The server did not get a certificate.
    case missing
    /// The server did not get a certificate. It asks for one only after it has read a request, which TLS 1.3 does not
    /// allow.
    case askedLate
    /// The server got a certificate and does not accept it.
    case refused

    /// Texts from the pages of nginx, Apache and IIS, in lower case; the first match counts.
    private static let pages: [(text: String, meaning: CertificateRefusal)] = [
        ("no required ssl certificate was sent", .missing),
        ("the ssl certificate error", .refused),
        ("cannot perform post-handshake authentication", .askedLate),
        ("requires your browser to have a secure sockets layer (ssl) client certificate", .missing),
        ("client certificate required", .missing), ("client certificate is required", .missing),
        ("requires a client certificate", .missing), ("403.7", .missing),
        ("client certificate revoked", .refused), ("client certificate has been revoked", .refused),
        ("client certificate is untrusted or invalid", .refused), ("client certificate is ill-formed", .refused),
        ("client certificate has expired", .refused), ("403.13", .refused), ("403.16", .refused), ("403.17", .refused),
    ]
    /// Error pages state the reason near their beginning.
    private static let maximumBytes = 8 << 10

    /// - Returns: nil for an answer that says nothing about the certificate.
    package init?(_ response: ClientResponse) {
        guard
            response.status.code == 400 || response.status.code == 403 || response.status.code == 496
                || response.status.code == 495
        else { return nil }
        let page = String(decoding: response.body.prefix(Self.maximumBytes), as: UTF8.self).lowercased()
        if let found = Self.pages.first(where: { page.contains($0.text) }) {
            self = found.meaning
            return
        }
        // nginx has status codes of its own for the two cases.
        if response.status.code == 495 || response.status.code == 496 {
            self = response.status.code == 496 ? .missing : .refused
            return
        }
        // When there is no page, the handshake shows whether a certificate was sent.
        guard response.status.code == 403, let tls = response.report.connection.tls, tls.clientCertificateRequested,
            tls.clientCertificate == nil
        else { return nil }
        self = .missing
    }

    /// - Parameter sent: the subject of the certificate that the connection was opened with, if there was one.
    package func hint(sent: String?) -> String {
        let certificate = sent.map { "“\($0)”" } ?? "the client certificate"
        return switch self {
        case .missing where sent != nil:
            " The server did not get a client certificate, although \(certificate) was given: a proxy in front of it may end TLS and not pass the certificate on."
        case .missing: " The server did not get a client certificate: give an identity for it (signet: --identity)."
        case .askedLate:
            " The server did not get a client certificate: it asks for it after the request, which TLS 1.3 does not allow. Allow showing the identity late (allowsIdentityInRenegotiation; signet: --identity-late), or have the server ask in the handshake."
        case .refused:
            " The server did not accept \(certificate): it may not know the authority, or the certificate is expired, revoked or not for clients. Check the certificate with signet identity show, and read the server's log."
        }
    }
}
