#if Server
public import SignetSOAP

/// A service at a path of a ``SOAPServer``, and what it demands of its clients beyond what the server does.
///
/// ```swift
/// var diary = HostedService(WebEase.dispatcher(Diary()), path: "/diary")
/// diary.authentication = .basic(realm: "Diary") { user, password in await accounts.check(user, password) }
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
    /// that show none (``ClientAdmission/certificateRequested(_:admitting:)``).
    public var requiresCertificate = false
    /// The WSDL, which the server gives to a client that requests `GET path?wsdl` and passes the checks of certificate and credentials;
    /// nil to give no WSDL.
    public var wsdl: [UInt8]?
    /// The size of the largest request to this service; nil for the server's ``SOAPServer/Settings/maximumRequestBytes``.
    public var maximumRequestBytes: Int?
    /// How many requests of all clients together the service processes at a time: from the arrival of all content until the handler
    /// has returned, at least 1. A request beyond gets 503 with `Retry-After`, and its message was not read. Nil for no limit but that of
    /// connections.
    public var maximumConcurrentRequests: Int?

    /// - Parameters:
    ///   - dispatcher: the service; generated code makes it.
    ///   - path: its path, which begins with `/`.
    ///   - authentication: how clients prove their identity over HTTP, besides their certificate.
    ///   - wsdl: see ``wsdl``.
    public init(
        _ dispatcher: ServiceDispatcher, path: String = "/", authentication: ServerAuthentication = .none,
        wsdl: [UInt8]? = nil
    ) {
        self.dispatcher = dispatcher
        self.path = path
        self.authentication = authentication
        self.wsdl = wsdl
    }
}
#endif
