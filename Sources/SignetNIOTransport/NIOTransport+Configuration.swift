public import Logging
public import NIOCore
import NIOPosix
public import SignetAuthentication
public import SignetHTTP
public import SignetTLS

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension NIOTransport {
    /// Where the client certificate comes from.
    public enum IdentitySource: Sendable {
        case none
        case fixed(Identity)
        /// Asked for every call. A connection that was opened with one identity is never used with another.
        case asking(@Sendable (Origin) async throws -> Identity?)
        /// Asked when a server wants a certificate, and not before: a person is not troubled with a password or a card that nobody
        /// needs. Calls share connections whoever they were opened as; ``NIOTransport/renewConnections()`` makes an end of those of
        /// an earlier identity. A key that only signs must be able to all that TLS may ask of it.
        case onDemand(@Sendable (Origin) async throws -> Identity?)
    }

    /// How a transport gets past proxies.
    public struct ProxyConfiguration: Sendable {
        public var rules: ProxyRules
        /// Whom to believe in the place of a proxy that is spoken to over TLS. It has no say about origins.
        public var trust: TrustPolicy = .system
        /// Shown to such a proxy when it asks. No origin ever gets it.
        public var identity: IdentitySource = .none
        /// As ``Configuration/allowsInsecureCipherSuites``, for proxies.
        public var allowsInsecureCipherSuites = false
        /// What to answer when a proxy asks for credentials (407). No origin ever gets them.
        public var authentication = AuthenticationPolicy()

        public init(_ rules: ProxyRules = .direct) { self.rules = rules }
    }

    /// How a transport reaches a service.
    public struct Configuration: Sendable {
        /// The only origin that gets the identity and the credentials. Another origin can be called, without either.
        public var origin: Origin
        public var identity: IdentitySource = .none
        /// Errors of the identity with which a connection is made all the same, such as `[.expired]` where the clock of this
        /// machine is wrong and the server's is right. With any other, a call ends with
        /// ``TransportError/Code/unusableIdentity`` before a connection is made, or before it is shown on demand.
        public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
        /// Whether the server may also ask for the identity in a second handshake on the open connection, as IIS and Apache do that
        /// want it for some of their paths only. That is possible in TLS 1.2 alone (RFC 5746), and then nothing newer is offered.
        /// Not for an identity that is given on demand, nor for a key that only signs.
        public var showsIdentityLate = false
        public var trust: TrustPolicy = .system
        /// Whether origins that speak nothing better in TLS 1.2 are offered cipher suites with AES-CBC, whose records can be attacked by
        /// measuring times, and with RSA key exchange: with the server's key all that was recorded can be read later.
        public var allowsInsecureCipherSuites = false
        /// Where exceptions to ``trust`` and to that of the proxy are kept. Looked into for every new connection, and for a kept
        /// one that would not be without them. By default they are forgotten with the transport.
        public var exceptions: any TrustExceptionStore = MemoryTrustExceptions()
        /// What is done with a server that ``trust`` refuses for what a person may overrule.
        public var onTrustFailure = TrustFailureHandling.refuse
        public var authentication = AuthenticationPolicy()
        public var proxy = ProxyConfiguration()
        /// The path of a socket in the file system, at which ``origin`` is reached in place of its host and port. No proxy is
        /// asked then.
        public var unixSocket: String?
        /// Connections open at the same time to one origin, whoever uses them; further calls wait.
        public var maximumConnections = 8
        /// Connections open at the same time to all origins.
        public var maximumConnectionsInTotal = 256
        /// Whether answers may come compressed (gzip, deflate). What a call allows counts for what comes out.
        public var acceptsCompression = true
        /// The largest head of an answer, in bytes of all its fields.
        public var maximumFieldBytes = 64 << 10
        /// Gets events of connections at the level debug, sizes of bodies at trace. Silent unless given.
        public var logger = Logger(label: "signet.transport", factory: { _ in SwiftLogNoOpLogHandler() })
        public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
        /// Finds the addresses of names; the system's when nil.
        var resolver: (any Resolver & Sendable)?
        /// Seconds since 1970, to judge certificates by.
        package var now: @Sendable () -> Int64 = { Int64(time(nil)) }

        public init(origin: Origin) { self.origin = origin }
    }
}
