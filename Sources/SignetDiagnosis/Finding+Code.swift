// MARK: The client's identity

extension Diagnosis.Finding.Code {
    /// The password does not open the file of the identity, or is missing.
    public static let identityPasswordWrong = Self("identity-password-wrong")
    /// The file of the identity is protected by an algorithm that this library does not have.
    public static let identityCipherUnsupported = Self("identity-cipher-unsupported")
    /// The file of the identity has no private key.
    public static let identityKeyMissing = Self("identity-key-missing")
    /// The file of the identity has a private key and no certificate.
    public static let identityCertificateMissing = Self("identity-certificate-missing")
    /// No certificate in the file belongs to its private key.
    public static let identityKeyMismatch = Self("identity-key-mismatch")
    /// The file of the identity cannot be used for another reason.
    public static let identityUnreadable = Self("identity-unreadable")
    /// A certificate that the client sends has expired.
    public static let identityExpired = Self("identity-expired")
    /// The client's certificate is not valid yet.
    public static let identityNotYetValid = Self("identity-not-yet-valid")
    /// The client's certificate is not for clients.
    public static let identityNotForClients = Self("identity-not-for-clients")
    /// An authority that the client sends may not vouch for clients.
    public static let intermediateNotForClients = Self("intermediate-not-for-clients")
    /// The client's certificate has a weak key or signature.
    public static let identityWeak = Self("identity-weak")
    /// The client's certificate was revoked.
    public static let identityRevoked = Self("identity-revoked")
    /// The revocation of the client's certificate cannot be looked up.
    public static let identityRevocationUnreachable = Self("identity-revocation-unreachable")
    /// The client's certificate expires within thirty days.
    public static let identityExpiresSoon = Self("identity-expires-soon")
    /// The public authority of the client's certificate stops issuing certificates for clients.
    public static let publicAuthorityStops = Self("public-authority-stops")
}

// MARK: The client's identity and the server

extension Diagnosis.Finding.Code {
    /// The server demands a client certificate, and the client has none for it.
    public static let clientCertificateRequired = Self("client-certificate-required")
    /// The server cannot build a path, since the client does not send the authorities between.
    public static let intermediatesNotSent = Self("intermediates-not-sent")
    /// The server does not accept the authority of the client's certificate.
    public static let issuerNotAcceptable = Self("issuer-not-acceptable")
    /// The server accepts the client's certificate although its list of authorities does not name its issuer.
    public static let issuerListIncomplete = Self("issuer-list-incomplete")
    /// The server's list of authorities is too long to be sent whole.
    public static let issuerListTooLong = Self("issuer-list-too-long")
    /// A certificate for tests is shown to a production server, or the reverse.
    public static let wrongEnvironment = Self("wrong-environment")
    /// Another port of the WSDL is for certificates of this kind.
    public static let wrongPortForCertificate = Self("wrong-port-for-certificate")
    /// The client's certificate is self-signed, and the server does not know it.
    public static let selfSignedNotRegistered = Self("self-signed-not-registered")
    /// The server takes no keys of this kind.
    public static let keyTypeNotAccepted = Self("key-type-not-accepted")
    /// The key does not sign with RSA-PSS, which TLS 1.3 demands.
    public static let keyWithoutRSAPSS = Self("key-without-rsa-pss")
    /// The server accepts the certificate in the handshake, and then refuses the caller.
    public static let certificateNotRegistered = Self("certificate-not-registered")
    /// The server refuses the client's certificate for a reason that does not show.
    public static let certificateRefused = Self("certificate-refused")
    /// The server never asks for a certificate.
    public static let certificateNeverRequested = Self("certificate-never-requested")
    /// The server asks for a certificate after the request, which TLS 1.3 does not allow.
    public static let requestedLateUnderTLS13 = Self("requested-late-under-tls13")
    /// The server asks for a certificate after the request, and the client may not show one then.
    public static let requestedLate = Self("requested-late")
    /// The server asks for a certificate after a request whose content is too large to be kept meanwhile.
    public static let lateRequestBodyTooLarge = Self("late-request-body-too-large")
    /// TLS ends at a load balancer, which does not pass the certificate on.
    public static let tlsEndedBeforeService = Self("tls-ended-before-service")
    /// The connection was opened with an identity that the client has replaced.
    public static let connectionWithOldIdentity = Self("connection-with-old-identity")
    /// The server needs no certificate.
    public static let certificateNotNeeded = Self("certificate-not-needed")
}

// MARK: The server's certificates

extension Diagnosis.Finding.Code {
    /// The client does not trust the authority of the server's certificate.
    public static let serverNotTrusted = Self("server-not-trusted")
    /// The server does not send the authorities between its certificate and its root.
    public static let serverChainIncomplete = Self("server-chain-incomplete")
    /// A program between client and server decrypts the connection.
    public static let tlsIntercepted = Self("tls-intercepted")
    /// The server's certificate is for another host.
    public static let serverHostMismatch = Self("server-host-mismatch")
    /// A certificate of the server has expired.
    public static let serverCertificateExpired = Self("server-certificate-expired")
    /// A certificate of the server is not valid yet.
    public static let serverCertificateNotYetValid = Self("server-certificate-not-yet-valid")
    /// A certificate of the server was revoked.
    public static let serverCertificateRevoked = Self("server-certificate-revoked")
    /// The revocation of the server's certificate cannot be looked up, and the policy demands it.
    public static let serverRevocationUnknown = Self("server-revocation-unknown")
    /// A certificate of the server has a weak key or signature.
    public static let serverCertificateWeak = Self("server-certificate-weak")
    /// The server's certificates match none of the pins.
    public static let serverPinMismatch = Self("server-pin-mismatch")
    /// The server's certificates break another rule.
    public static let serverCertificateRejected = Self("server-certificate-rejected")
    /// The server's certificate expires within days.
    public static let serverCertificateExpiresSoon = Self("server-certificate-expires-soon")
}

// MARK: The way to the server

extension Diagnosis.Finding.Code {
    /// The host has no address.
    public static let hostUnknown = Self("host-unknown")
    /// No program listens on the port.
    public static let connectionRefused = Self("connection-refused")
    /// There is no route to the host.
    public static let networkUnreachable = Self("network-unreachable")
    /// The host does not answer.
    public static let connectionTimedOut = Self("connection-timed-out")
    /// The host's IPv6 addresses cannot be reached, its IPv4 addresses can.
    public static let ipv6Broken = Self("ipv6-broken")
    /// There is no connection to the proxy.
    public static let proxyUnreachable = Self("proxy-unreachable")
    /// The proxy opens no tunnel.
    public static let proxyRefused = Self("proxy-refused")
    /// TLS with the proxy itself failed.
    public static let proxyTLSFailed = Self("proxy-tls-failed")
    /// The proxy demands credentials.
    public static let proxyCredentialsRequired = Self("proxy-credentials-required")
    /// The proxy refuses the credentials.
    public static let proxyCredentialsRefused = Self("proxy-credentials-refused")
    /// The port speaks HTTP without TLS.
    public static let httpOnTLSPort = Self("http-on-tls-port")
    /// The port expects TLS.
    public static let tlsOnHTTPPort = Self("tls-on-http-port")
    /// The port speaks another protocol.
    public static let notTLS = Self("not-tls")
    /// A large first message of TLS is lost on the way.
    public static let clientHelloDropped = Self("client-hello-dropped")
    /// The two have no version of TLS in common.
    public static let tlsVersionUnsupported = Self("tls-version-unsupported")
    /// The two have no cipher suite in common.
    public static let noCommonCipherSuite = Self("no-common-cipher-suite")
    /// The server needs the name of the host, which the client did not send.
    public static let serverNameRequired = Self("server-name-required")
    /// The server serves no host of this name.
    public static let serverNameUnknown = Self("server-name-unknown")
    /// TLS failed for a reason that does not show.
    public static let handshakeFailed = Self("handshake-failed")
    /// The peer closed the connection, and did not say why.
    public static let connectionClosed = Self("connection-closed")
    /// The call failed with an error that says why, such as an answer that is no HTTP.
    public static let callFailed = Self("call-failed")
    /// No answer came in time.
    public static let answerTimedOut = Self("answer-timed-out")
    /// The server does not have TLS 1.3.
    public static let noTLS13 = Self("no-tls13")
    /// The clocks of client and server differ.
    public static let clockWrong = Self("clock-wrong")
}

// MARK: The answer

extension Diagnosis.Finding.Code {
    /// The server demands credentials of HTTP.
    public static let credentialsRequired = Self("credentials-required")
    /// The server refuses the credentials.
    public static let credentialsRefused = Self("credentials-refused")
    /// The server offers no scheme of authentication that the client can use.
    public static let authenticationSchemeUnsupported = Self("authentication-scheme-unsupported")
    /// Authentication failed for another reason.
    public static let authenticationFailed = Self("authentication-failed")
    /// A web page came instead of an envelope.
    public static let htmlInsteadOfSOAP = Self("html-instead-of-soap")
    /// A redirect leads to another origin, to which the identity does not go.
    public static let redirectLosesIdentity = Self("redirect-loses-identity")
    /// The server redirects.
    public static let redirected = Self("redirected")
    /// The WSDL was asked for without the identity that it needs.
    public static let documentWithoutIdentity = Self("document-without-identity")
    /// The WSDL cannot be fetched from the address that was given for it.
    public static let documentUnavailable = Self("document-unavailable")
    /// There is nothing at this path.
    public static let notFound = Self("not-found")
    /// The server refuses the caller, and does not say why.
    public static let accessRefused = Self("access-refused")
    /// The server does not take the request.
    public static let requestRefused = Self("request-refused")
    /// The server failed.
    public static let serverError = Self("server-error")
    /// The service answered with a fault.
    public static let soapFault = Self("soap-fault")
}
