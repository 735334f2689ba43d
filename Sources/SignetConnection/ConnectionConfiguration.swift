public import Logging
public import SignetAuthentication
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

/// How a client reaches a service: which servers it trusts, how it authenticates itself, which route it takes, and over
/// how many connections.
///
/// Every transport takes this value. A transport that does not support a setting throws an error when it is created;
/// see ``ConnectionFeature``.
public struct ConnectionConfiguration: Sendable {
    /// The certificate that the client shows when the origin of the service asks for one; no other host ever gets it.
    /// The source is asked before every call. A connection opened with one identity is never used with another.
    public var identity: IdentitySource?
    /// Whether ``identity`` is looked up only when the server asks for a certificate, so that a person is not asked for
    /// a password or a card that the server does not need. Calls then share connections, whatever identity they were
    /// opened with; see `renewConnections()` of the transport. Such an identity cannot be shown late, and a key that
    /// only signs must support every signature algorithm that TLS may require of it.
    public var looksForIdentityOnDemand = false
    /// Problems of the identity (``/SignetTLS/Identity/problems(at:for:)``) despite which the client connects, such as
    /// `[.expired]` where the clock of this machine is wrong. With any other error the call ends with
    /// ``/SignetHTTP/TransportError`` and `unusableIdentity`, before the client connects, or before it shows an
    /// identity that is looked up on demand.
    public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
    /// Whether the server may also ask for ``identity`` in a second handshake on the open connection, as IIS and Apache
    /// do when they require it for some of their paths only. This exists only in TLS 1.2 (RFC 5746), so the client then
    /// offers nothing newer. A key that only signs cannot be shown this way.
    public var allowsIdentityInRenegotiation = false
    /// Which servers are trusted. The client judges the server before it sends its certificate or any credentials.
    public var trust: TrustPolicy = .system
    /// Whether the client also offers cipher suites with AES-CBC and with RSA key exchange, for servers that support
    /// nothing better in TLS 1.2. An attacker who measures times can attack records with AES-CBC; with RSA key
    /// exchange, an attacker who gets the server's key can read everything recorded earlier. The client offers neither
    /// otherwise; DHE is not available.
    public var allowsInsecureCipherSuites = false
    /// Stores exceptions to ``trust``, and to that of a proxy; see ``/SignetTLS/TrustException``. The transport reads
    /// it for every new connection, and for a kept one that depends on an exception. By default, exceptions are
    /// forgotten with the transport.
    public var trustExceptions: any TrustExceptionStore = MemoryTrustExceptions()
    /// What the client does with a server that ``trust`` refuses for a reason that a person may overrule, such as an
    /// expired certificate.
    public var onTrustFailure = TrustFailureHandling.refuse
    /// The credentials for a challenge of the service's origin (401). No other origin gets them.
    public var authentication = AuthenticationPolicy()
    /// How calls go through proxies.
    public var proxy = ProxyConfiguration()
    /// The path of a socket in the file system that is used to reach the service, in place of its host and port; the
    /// host name still counts for TLS. No proxy is used then.
    public var unixSocketPath: String?
    /// Whether the client offers HTTP/2 (RFC 9113) to servers that it reaches with https, beside HTTP/1.1. With a server
    /// that chooses it, many calls share a connection.
    ///
    /// What HTTP/2 cannot do uses HTTP/1.1 without being asked: credentials that belong to a connection (NTLM,
    /// Negotiate), an identity that may be shown late (``allowsIdentityInRenegotiation``), and servers that demand
    /// HTTP/1.1 for some of their paths. Proxies are asked over HTTP/1.1.
    public var allowsHTTP2 = true
    /// How many calls may share one connection of HTTP/2, from 1, if the server allows more; further calls use other
    /// connections, as many as ``maximumConnections`` allows.
    public var maximumCallsPerConnection = Self.usualCallsPerConnection
    /// The limit of simultaneous connections to one origin, from 1; further calls wait.
    public var maximumConnections = 8
    /// The limit of simultaneous connections to all origins that are called over one transport, from 1.
    public var maximumConnectionsInTotal = Self.usualConnectionsInTotal
    /// How long a connection is kept that no call uses. With zero it is closed after its call.
    public var idleTimeout = Self.usualIdleTimeout
    /// Connections to the service that are kept open in advance; nil for none.
    public var warmConnections: WarmConnections?
    /// Whether answers may be compressed (gzip, deflate). The limits of a call apply to the decompressed content.
    public var acceptsCompression = true
    /// The largest head of an answer, in bytes of all its fields, from 1.
    public var maximumFieldBytes = Self.usualFieldBytes
    /// Logs connections at debug level and sizes of content at trace level; no secret at any level. By default nothing
    /// is logged.
    public var logger = Logger(label: "signet.transport", factory: { _ in SwiftLogNoOpLogHandler() })
    /// Whether the client offers HTTP/2 to servers with https.
    package var offersHTTP2: Bool { allowsHTTP2 && !allowsIdentityInRenegotiation }

    static let usualCallsPerConnection = 100
    static let usualConnectionsInTotal = 256
    static let usualIdleTimeout = Duration.seconds(30)
    static let usualFieldBytes = 64 << 10

    /// The usual configuration: the system's trust anchors, no identity, no credentials, nothing logged.
    public init() {}

    /// What a transport with this configuration can prove at an origin: all of it at its own origin, and nothing at
    /// another.
    ///
    /// - Parameters:
    ///   - origin: the origin that is called.
    ///   - own: the origin for which the transport was created.
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
                "identity": identity as Any,
                "toleratedIdentityProblems": toleratedIdentityProblems.map(\.description).sorted(), "trust": trust,
                "onTrustFailure": onTrustFailure.description,
                "allowsInsecureCipherSuites": allowsInsecureCipherSuites, "authentication": authentication,
                "proxy": proxy.rules as Any, "proxyAuthentication": proxy.authentication,
                "proxyAllowsInsecureCipherSuites": proxy.allowsInsecureCipherSuites,
            ])
    }
}
