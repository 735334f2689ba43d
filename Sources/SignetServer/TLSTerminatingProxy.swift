#if Server
public import SignetConnection

/// A proxy at which the TLS of clients ends, and which hands on their certificates in a field of each request (RFC 9440).
///
/// The proxy must ask clients for their certificates, and take out of their requests the fields that it sets itself. Which certificates
/// are good is the server's decision: a proxy need only see that the client has the key, which TLS does.
///
/// ```swift
/// settings.unixSocketPath = "/run/diary/socket"
/// settings.tlsProxy = TLSTerminatingProxy(
///     .socket, certificateField: .clientCert, clients: .certificateRequired(.anchors(deviceAuthority)))
/// let server = try SOAPServer.withoutTLS(WebEase.dispatcher(Diary()), path: "/soap", settings: settings)
/// ```
public struct TLSTerminatingProxy: Sendable {
    /// How the server knows that a request comes from the proxy. An address of the network is not enough: every program on that machine
    /// could claim any certificate.
    public struct Recognition: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case socket
            case certificates(Set<[UInt8]>)
        }

        let kind: Kind

        /// All connections are those of the proxy: the server listens at ``SOAPServer/Settings/unixSocketPath`` and has no TLS. Each program
        /// that may open the socket can claim any certificate.
        public static let socket = Recognition(kind: .socket)

        /// A connection is that of the proxy when it has shown one of these certificates in TLS, which ``ServerTLSConfiguration/clients``
        /// must admit too. The server answers 403 on every other connection, and logs it at notice.
        ///
        /// - Parameter certificates: the certificates of the proxy, by their SHA-256.
        public static func certificates(sha256 certificates: Set<[UInt8]>) -> Recognition {
            Recognition(kind: .certificates(certificates))
        }
    }

    /// The field in which the proxy hands on the certificate of a client.
    public struct CertificateField: Sendable, Hashable {
        enum Form: Sendable, Hashable {
            case structured(withChain: Bool)
            case escapedPEM
        }

        let name: String
        let form: Form

        /// `Client-Cert` (RFC 9440 §2.2).
        ///
        /// In HAProxy: `http-request set-header Client-Cert :%[ssl_c_der,base64]:`.
        public static let clientCert = CertificateField(name: "Client-Cert", form: .structured(withChain: false))

        /// `Client-Cert`, and `Client-Cert-Chain` for the certificates of authorities that the client sent, at most nine (RFC 9440 §2.2
        /// and §2.3). The proxy must set both.
        public static let clientCertAndChain = CertificateField(name: "Client-Cert", form: .structured(withChain: true))

        /// A field with the certificate in PEM, percent-encoded. It has no room for those of authorities between: give them to the policy
        /// of ``TLSTerminatingProxy/clients``.
        ///
        /// In nginx: `proxy_set_header X-Client-Certificate $ssl_client_escaped_cert;`.
        public static func escapedPEM(_ name: String) -> CertificateField {
            CertificateField(name: name, form: .escapedPEM)
        }
    }

    /// How the server knows that a request comes from the proxy.
    public var recognition: Recognition
    /// The field in which the proxy hands on the certificate of a client.
    public var certificateField: CertificateField
    /// Which clients of the proxy the server admits by their certificate. Where it requires one, the server answers a request without
    /// one, or with one that is not trusted, with 403. A change needs another server: ``SOAPServer/replaceTLS(with:)`` leaves it as it is.
    public var clients: ClientAdmission
    /// The field in which the proxy names the IP address of the client, such as `X-Forwarded-For`, in each request; nil when it names
    /// none. When it has several addresses, the last one counts: that is the one that the proxy has added. The address is that of
    /// ``/SignetSOAP/PeerDescription/remoteAddress`` and of the log, without a port.
    public var addressField: String?
    /// The way to the servers of the authorities, when the policy of ``clients`` looks up revocation
    /// (`TrustPolicy.revocation`): directly unless it is set. A proxy that is never used is an error,
    /// ``SOAPServerError`` with `invalidConfiguration`.
    public var revocationProxy = ProxyConfiguration(.direct)

    /// - Parameters:
    ///   - recognition: how the server knows that a request comes from the proxy.
    ///   - certificateField: the field in which the proxy hands on the certificate of a client.
    ///   - clients: which clients of the proxy the server admits by their certificate.
    ///   - addressField: the field in which the proxy names the IP address of the client.
    public init(
        _ recognition: Recognition, certificateField: CertificateField, clients: ClientAdmission,
        addressField: String? = nil
    ) {
        self.recognition = recognition
        self.certificateField = certificateField
        self.clients = clients
        self.addressField = addressField
    }
}
#endif
