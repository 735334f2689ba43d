#if Server
public import SignetSOAP

/// A service at a path of a ``SOAPServer``, and what it demands of its clients beyond what the server does.
///
/// ```swift
/// var diary = HostedService(WebEase.dispatcher(Diary()), path: "/diary")
/// diary.authentication = .basic(realm: "Diary") { await accounts.check($0.user, $0.password) }
/// let parcels = HostedService(Parcels.dispatcher(Post()), path: "/parcels")
/// let server = try SOAPServer([diary, parcels], tls: tls)
/// ```
public struct HostedService: Sendable {
    /// The service; generated code makes it.
    public var dispatcher: ServiceDispatcher
    /// Its path, which begins with `/`. No other service of the server has it.
    public var path: String
    /// How clients prove their identity over HTTP, besides their certificate.
    public var authentication: ServerAuthentication
    /// Whether the service answers 403 to clients without a certificate, on a server that requests certificates and also admits clients
    /// that show none (``ClientAdmission/certificateOptional(_:admitting:)``).
    public var requiresCertificate = false
    /// The WSDL, which the server gives to a client that requests `GET path?wsdl` and passes the checks of certificate and credentials;
    /// nil to give no WSDL.
    public var wsdl: PublishedWSDL?
    /// The size of the largest request to this service, smaller or larger than that of the server; nil for the server's
    /// ``SOAPServer/Settings/maximumRequestBytes``.
    public var maximumRequestBytes: Int?
    /// How many requests the service processes at a time, at least 1: from the arrival of all content until the handler has returned, that
    /// of a one-way operation included. A request beyond gets 503 with `Retry-After`, and is not processed. Nil for no limit but those of
    /// connections and of one-way operations.
    ///
    /// The requests of all clients count together, also those of clients that have proved nothing: one client can take all places of a
    /// service that anyone may call.
    public var maximumConcurrentRequests: Int?

    /// - Parameters:
    ///   - dispatcher: the service; generated code makes it.
    ///   - path: its path, which begins with `/`.
    ///   - authentication: how clients prove their identity over HTTP, besides their certificate.
    ///   - wsdl: see ``wsdl``.
    public init(
        _ dispatcher: ServiceDispatcher, path: String = "/", authentication: ServerAuthentication = .none,
        wsdl: PublishedWSDL? = nil
    ) {
        self.dispatcher = dispatcher
        self.path = path
        self.authentication = authentication
        self.wsdl = wsdl
    }
}
#endif
