public import Logging
public import SignetAuthentication
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

/// How a transport reaches a service: which server it trusts, what it proves itself, by which way, over how many connections.
///
/// Every transport takes this value. One that cannot do what a setting asks for says so when it is made; see ``ConnectionFeature``.
public struct ConnectionConfiguration: Sendable {
    /// The certificate to show when the origin of the service asks for one; no other host ever gets it. Asked for before
    /// every call; a connection opened with one identity is never used with another.
    public var identity: IdentitySource?
    /// Looks for ``identity`` only when the server wants a certificate: a person is not troubled with a password or a card that
    /// the server does not need. Calls share connections then, whichever identity they were opened with; see
    /// `renewConnections()` of the transport. Such an identity is not shown late, and a key that only signs must be able to make
    /// every signature that TLS may ask of it.
    public var looksForIdentityOnDemand = false
    /// Errors of the identity (``Identity/problems(at:for:)``) with which a connection is made all the same, such as
    /// `[.expired]` where the clock of this machine is wrong. With any other, a call ends with ``TransportError`` and
    /// `unusableIdentity`, before a connection is made, or before it is shown on demand.
    public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
    /// Whether the server may also ask for ``identity`` in a second handshake on the open connection, as IIS and Apache do that want
    /// it for some of their paths only. That is possible in TLS 1.2 alone (RFC 5746), and then nothing newer is offered. A key
    /// that only signs cannot be shown so.
    public var showsIdentityLate = false
    /// Which servers are trusted, judged before our certificate or any credential is sent.
    public var trust: TrustPolicy = .system
    /// Whether a server that speaks nothing better in TLS 1.2 is offered cipher suites with AES-CBC, whose records can be attacked by
    /// measuring times, and with RSA key exchange: with the server's key all that was recorded can be read later. Neither
    /// is offered otherwise; DHE cannot be.
    public var allowsInsecureCipherSuites = false
    /// Where exceptions to ``trust``, and to that of a proxy, are kept; see ``TrustException``. The transport looks into it for every
    /// new connection, and for a kept one that depends on an exception. By default they are forgotten with the transport.
    public var trustExceptions: any TrustExceptionStore = MemoryTrustExceptions()
    /// What to do with a server that ``trust`` refuses for what a person may overrule, such as a certificate that has expired.
    public var onTrustFailure = TrustFailureHandling.refuse
    /// What to answer when the origin of the service asks for credentials (401). No other origin gets them.
    public var authentication = AuthenticationPolicy()
    /// How to get past proxies.
    public var proxy = ProxyConfiguration()
    /// The path of a socket in the file system at which the service is reached, in place of its host and port, whose name counts
    /// for TLS all the same. No proxy is asked then.
    public var unixSocket: String?
    /// Connections open at a time to one origin, from 1; more calls wait for one of them.
    public var maximumConnections = 8
    /// Connections open at a time to all origins that are called over one transport, from 1.
    public var maximumConnectionsInTotal = Self.usualConnectionsInTotal
    /// Connections to the service that stay open ahead of need; nil for none.
    public var warmConnections: WarmConnections?
    /// Whether answers may come compressed (gzip, deflate). The limits of a call count for what comes out.
    public var acceptsCompression = true
    /// The largest head of an answer, in bytes of all its fields, from 1.
    public var maximumFieldBytes = Self.usualFieldBytes
    /// Connections at debug level, sizes of content at trace level; no secret at any level. Silent unless given.
    public var logger = Logger(label: "signet.transport", factory: { _ in SwiftLogNoOpLogHandler() })

    static let usualConnectionsInTotal = 256
    static let usualFieldBytes = 64 << 10

    /// The usual configuration: the system's trust anchors, no identity, no credentials, nothing logged.
    public init() {}

    /// What a transport with this configuration has to prove with at an origin: all of it at its own, and nothing at another.
    ///
    /// - Parameter own: the origin that the transport was made for.
    public func proofs(at origin: Origin, of own: Origin) -> ClientProofs {
        guard origin == own else { return ClientProofs(hasIdentity: false, hasCredentials: false) }
        return ClientProofs(hasIdentity: identity != nil, hasCredentials: !authentication.credentials.isNone)
    }
}

extension ConnectionConfiguration: CustomStringConvertible, CustomReflectable {
    public var description: String { "configuration of connections" }

    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "identity": identity as Any, "trust": trust,
                "allowsInsecureCipherSuites": allowsInsecureCipherSuites, "authentication": authentication,
                "proxy": proxy.rules as Any, "proxyAuthentication": proxy.authentication,
                "proxyAllowsInsecureCipherSuites": proxy.allowsInsecureCipherSuites,
            ])
    }
}
