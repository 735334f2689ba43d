// MARK: A client, seen from the server

extension Diagnosis.Finding.Code {
    /// The client speaks no TLS.
    public static let clientWithoutTLS = Self("client-without-tls")
    /// The client speaks no version of TLS that the server allows.
    public static let clientVersionUnsupported = Self("client-version-unsupported")
    /// The client offers no cipher suite, group or signature algorithm that the server has.
    public static let clientAlgorithmsUnsupported = Self("client-algorithms-unsupported")
    /// The server demands a certificate, and the client showed none.
    public static let clientShowsNoCertificate = Self("client-shows-no-certificate")
    /// A certificate of the client has expired.
    public static let clientCertificateExpired = Self("client-certificate-expired")
    /// A certificate of the client is not valid yet.
    public static let clientCertificateNotYetValid = Self("client-certificate-not-yet-valid")
    /// The certificate of the client is not for clients.
    public static let clientCertificateNotForClients = Self("client-certificate-not-for-clients")
    /// The client does not send the authorities between its certificate and its root.
    public static let clientChainIncomplete = Self("client-chain-incomplete")
    /// The server does not know the authority of the client's certificate.
    public static let clientAuthorityUnknown = Self("client-authority-unknown")
    /// The client's certificates break another rule.
    public static let clientCertificateRejected = Self("client-certificate-rejected")
    /// The client does not accept the server's certificate.
    public static let clientDistrustsServer = Self("client-distrusts-server")
    /// The client ended the connection with an alert that is not about certificates.
    public static let clientSentAlert = Self("client-sent-alert")
    /// The client closed the connection during the handshake, and did not say why.
    public static let clientClosed = Self("client-closed")
    /// The client sent no request.
    public static let clientSentNoRequest = Self("client-sent-no-request")
    /// The connection of the client failed for another reason.
    public static let clientFailed = Self("client-failed")
}
