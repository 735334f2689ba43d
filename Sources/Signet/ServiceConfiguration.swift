public import HTTPTypes
import SignetNIOTransport

/// How to reach one service: where it is, whom we trust, who we are, how long to wait, what to log.
///
/// A value: change a copy and make another client of it.
public struct ServiceConfiguration: Sendable {
    public var endpoint: Endpoint
    /// The version of SOAP to speak; nil for that of each operation.
    public var version: SOAPVersion?
    /// The certificate to show when the endpoint's origin asks for one; no other host ever gets it. Asked for
    /// before every call; a connection opened with one identity is never used with another.
    public var identity: IdentitySource?
    /// Looks for ``identity`` only when the server wants a certificate: a person is not troubled with a password or a card that
    /// nobody needs. Calls share connections then, whoever they were opened as; see ``ServiceClient/renewConnections()``. Such an
    /// identity is not shown late, and a key that only signs must be able to all that TLS may ask of it.
    public var looksForIdentityOnDemand = false
    /// Errors of the identity (``Identity/problems(at:for:)``) with which a connection is made all the same, such as
    /// `[.expired]` where the clock of this machine is wrong. With any other, a call ends with ``TransportError`` and
    /// `unusableIdentity`, before a connection is made, or before it is shown on demand.
    public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
    /// Whether the server may also ask for ``identity`` in a second handshake on the open connection, as IIS and Apache do that want
    /// it for some of their paths only. That is possible in TLS 1.2 alone (RFC 5746), and then nothing newer is offered. A key
    /// that only signs cannot be shown so.
    public var showsIdentityLate = false
    /// Whom to believe, judged before our certificate or any credential is sent.
    public var trust: TrustPolicy = .system
    /// Whether a server that speaks nothing better in TLS 1.2 is offered cipher suites with AES-CBC, whose records can be attacked by
    /// measuring times, and with RSA key exchange: with the server's key all that was recorded can be read later. Neither
    /// is offered otherwise; DHE cannot be.
    public var allowsInsecureCipherSuites = false
    /// Where exceptions to ``trust`` are kept; see ``TrustException``. By default they are forgotten with the client.
    public var trustExceptions: any TrustExceptionStore = MemoryTrustExceptions()
    /// What to do with a server that ``trust`` refuses for what a person may overrule, such as a certificate that has expired.
    public var onTrustFailure = TrustFailureHandling.refuse
    /// What to answer when the endpoint's origin asks for credentials.
    public var authentication = AuthenticationPolicy()
    /// How to get past proxies; none unless given.
    public var proxy = ProxyConfiguration()
    /// The path of a socket in the file system at which the service is reached, in place of the host and port of ``endpoint``,
    /// whose name counts for TLS all the same.
    public var unixSocket: String?
    public var deadlines = Deadlines()
    /// The largest answer accepted, in bytes of content, apart from attachments (``attachments``).
    public var maximumResponseBytes = 64 << 20
    /// Whether calls go on where the service sends them; not unless wanted.
    public var redirects = RedirectPolicy.refuse
    /// Whether answers may come compressed. ``maximumResponseBytes`` counts for what comes out.
    public var acceptsCompression = true
    /// Connections open at a time to one origin; more calls wait for one of them.
    public var maximumConnections = 8
    /// Connections open at a time to all origins that are called over one transport.
    public var maximumConnectionsInTotal = 256
    /// Bounds on the XML of an answer.
    public var xmlLimits = XMLLimits()
    /// Which deviations of an answer from what the WSDL says are taken.
    public var tolerance = XMLTolerance.standard
    /// Whether a message is read also where the service labels it with a media type other than XML's, such as `text/html`.
    /// An answer without a message stays refused.
    public var readsMislabelledAnswers = false
    /// Whether an input is checked against all that its schema says before it is sent: lengths, patterns, bounds, enumerations, how
    /// often elements may stand. It takes some microseconds for each hundred bytes.
    public var checksInput = false
    /// How binary content travels.
    public var attachments = AttachmentSettings()
    /// What every call must have, as the policies of the WSDL say; one that has it not ends with ``ServiceError`` and
    /// `unmetRequirement` before anything is sent. Those of the port, unless changed.
    public var requirements: [ServiceRequirement] = []
    /// Requirements, of the port or of single operations, that are met where nobody sees it, or that the service does not insist on:
    /// calls are made without looking for them.
    public var metRequirements: Set<ServiceRequirement> = []
    /// HTTP fields sent with every call. Those that HTTP and SOAP need are set by Signet, and refused here.
    public var fields: HTTPFields = [:]
    /// Whether cookies that the service sets are kept in memory and given back to it, and to no other origin (RFC 6265).
    /// Clients made from one another share them.
    public var keepsCookies = false
    /// Header blocks sent with every call.
    public var headerBlocks: [HeaderBlock] = []
    /// Make header blocks for each attempt of a call, such as those of WS-Security.
    public var headerProviders: [any HeaderBlockProvider] = []
    /// Header blocks in answers that the program deals with itself although they must be understood.
    public var understoodHeaderBlocks: Set<XMLName> = []
    /// See every call, the first one outermost.
    public var middlewares: [any CallMiddleware] = []
    /// Silent unless given. Calls and connections at debug level, messages at trace level; no secret at any level.
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Told what happened on the wire after each exchange that brought an answer.
    public var onExchange: (@Sendable (ExchangeReport) -> Void)?

    /// - Parameter url: the address of the service, `https://host:port/path`.
    /// - Throws: ``EndpointError`` naming what is wrong with it.
    public init(_ url: String) throws(EndpointError) { endpoint = try Endpoint(url) }

    /// A port of a WSDL: its address, its version of SOAP, if any, and what its policies demand.
    ///
    /// - Parameters:
    ///   - port: one of those that generated code lists, for example `WebEase.Ports.webEasePort`.
    ///   - address: the address of the service in place of the port's, which in many WSDLs is that of a test system.
    /// - Throws: ``EndpointError`` naming what is wrong with the address, also when there is none.
    public init(_ port: ServicePort, address: String? = nil) throws(EndpointError) {
        guard let address = address ?? port.address else {
            throw EndpointError(
                url: "", message: "the port “\(port.name)” has none in the WSDL; give it to the configuration")
        }
        endpoint = try Endpoint(address)
        version = port.version
        requirements = port.requirements
    }

    /// Connections as this configuration describes them, to be shared by several clients.
    ///
    /// Identity and credentials are bound to the origin of ``endpoint``, whatever address a client later calls.
    public func makeTransport() -> any ClientTransport {
        var configuration = NIOTransport.Configuration(origin: endpoint.origin)
        if let identity {
            let look: @Sendable (Origin) async throws -> Identity? = { _ in try await identity.current() }
            configuration.identity = looksForIdentityOnDemand ? .onDemand(look) : .asking(look)
        }
        configuration.toleratedIdentityProblems = toleratedIdentityProblems
        configuration.showsIdentityLate = showsIdentityLate
        configuration.trust = trust
        configuration.allowsInsecureCipherSuites = allowsInsecureCipherSuites
        configuration.exceptions = trustExceptions
        configuration.onTrustFailure = onTrustFailure
        configuration.authentication = authentication
        configuration.proxy = .init(proxy.rules)
        configuration.proxy.trust = proxy.trust
        configuration.proxy.allowsInsecureCipherSuites = proxy.allowsInsecureCipherSuites
        if let identity = proxy.identity {
            configuration.proxy.identity = .asking { _ in try await identity.current() }
        }
        configuration.proxy.authentication = proxy.authentication
        configuration.unixSocket = unixSocket
        configuration.maximumConnections = maximumConnections
        configuration.maximumConnectionsInTotal = maximumConnectionsInTotal
        configuration.acceptsCompression = acceptsCompression
        configuration.logger = logger
        let transport = NIOTransport(configuration)
        return redirects == .refuse ? transport : RedirectingTransport(transport, redirects)
    }
}

extension ServiceConfiguration: CustomStringConvertible, CustomReflectable {
    public var description: String { "configuration for \(endpoint)" }

    /// Fields and header blocks may be secret: their names are shown.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": endpoint, "version": version as Any, "identity": identity as Any, "trust": trust,
                "allowsInsecureCipherSuites": allowsInsecureCipherSuites,
                "proxyAllowsInsecureCipherSuites": proxy.allowsInsecureCipherSuites,
                "proxy": proxy.rules, "proxyAuthentication": proxy.authentication,
                "authentication": authentication, "deadlines": deadlines, "fields": fields.names,
                "keepsCookies": keepsCookies, "headerBlocks": headerBlocks.map(\.localName),
                // What others have made may show anything.
                "headerProviders": headerProviders.map {
                    ($0 as? any CustomStringConvertible)?.description ?? "\(type(of: $0))"
                },
            ])
    }
}

extension ServiceCaller {
    /// Calls as `configuration` describes them.
    ///
    /// - Parameter transport: connections to share; new ones when nil.
    public init(_ configuration: ServiceConfiguration, transport: (any ClientTransport)? = nil) {
        self.init(endpoint: configuration.endpoint, transport: transport ?? configuration.makeTransport())
        version = configuration.version
        deadlines = configuration.deadlines
        maximumResponseBytes = configuration.maximumResponseBytes
        xmlLimits = configuration.xmlLimits
        tolerance = configuration.tolerance
        readsMislabelledAnswers = configuration.readsMislabelledAnswers
        checksInput = configuration.checksInput
        attachments = configuration.attachments
        requirements = configuration.requirements
        metRequirements = configuration.metRequirements
        // Connections that others have made are theirs to know about.
        if transport == nil {
            transportMeans = TransportMeans(
                origin: configuration.endpoint.origin, hasIdentity: configuration.identity != nil,
                hasCredentials: !configuration.authentication.credentials.isNone)
        }
        fields = configuration.fields
        cookies = configuration.keepsCookies ? CookieJar() : nil
        headerBlocks = configuration.headerBlocks
        headerProviders = configuration.headerProviders
        understoodHeaderBlocks = configuration.understoodHeaderBlocks
        middlewares = configuration.middlewares
        logger = configuration.logger
        onExchange = configuration.onExchange
    }
}

extension ServiceClient {
    /// A client with connections of its own. Clients made from it by ``ServiceClient/with(_:)`` share them.
    public init(_ configuration: ServiceConfiguration) { self.init(ServiceCaller(configuration)) }

    /// Opens connections to the service before they are needed: names are resolved and TLS is spoken, nothing is asked for.
    ///
    /// - Parameter count: of all its connections, the idle ones included; more than the limits allow are not opened.
    /// - Throws: what a call would throw that could get no connection.
    public func warmUp(connections count: Int = 1) async throws {
        try await caller.transport.warmUp(caller.endpoint, connections: count, deadlines: caller.deadlines)
    }

    /// Lends no connection that is open now to a further call, of this client and of all that share them: after an identity was
    /// replaced, or when the network has changed.
    public func renewConnections() { caller.transport.renewConnections() }

    /// Closes the connections of this client and of all that share them. Calls in flight fail.
    public func shutdown() async throws { try await caller.transport.shutdown() }
}
