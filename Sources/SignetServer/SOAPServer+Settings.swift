#if Server
public import Logging

extension SOAPServer {
    /// Where a server listens, and its limits. All waits are finite.
    public struct Settings: Sendable {
        /// The address to listen at: this machine only unless changed; `::` or `0.0.0.0` for every network.
        public var host = "127.0.0.1"
        /// The port to listen at; 0 lets the system choose a free one.
        public var port = 8443
        /// The path of a socket in the file system (`AF_UNIX`) to listen at, instead of ``host`` and ``port``, for a proxy on the same
        /// machine; at most 103 bytes. Its file gets the mode 0660, and its folder must give no rights to other users, otherwise the server
        /// does not start (``SOAPServerError`` with `cannotListen`): what can open the socket is taken for the proxy. A socket that is
        /// there from an earlier run is replaced, unless a server still listens at it. Nil for no socket.
        public var unixSocketPath: String?
        /// The size of the largest request to services that have no ``HostedService/maximumRequestBytes``, in bytes of content of any kind. The server answers
        /// a larger request with 413: before the content arrives when the request announces its size, otherwise while
        /// it arrives. Nil means 16 MiB, or for services that take attachments
        /// (``/SignetSOAP/ServiceDispatcher/takesAttachments``) as much as their `AttachmentLimits.totalBytes` allows,
        /// which is 64 MiB unless changed.
        public var maximumRequestBytes: Int?
        /// How many bytes the attachments of all requests together may take on the disk, including those that handlers
        /// keep. The server answers a request that needs more with 503. Nil means 1 GiB, or the largest request
        /// of a service if that is more. It applies only to services that take attachments.
        public var maximumSpooledBytes: Int?
        /// How many connections may be open at a time; further clients wait until one is closed.
        public var maximumConnections = 1024
        /// How many connections of one address may be open whose clients have not yet proved their identity by an
        /// admitted certificate, or by accepted credentials over HTTP or in a message. The server closes further
        /// connections at once. Nil means a quarter of ``maximumConnections``; set it to ``maximumConnections`` for no
        /// limit. Addresses of IPv6 count by their /64, and those of IPv4 written in IPv6 as IPv4. When a service asks
        /// for no proof, all connections of an address count.
        public var maximumUnprovenConnectionsPerAddress: Int?
        /// Whether the server offers HTTP/2 (RFC 9113) to its clients over TLS, besides HTTP/1.1; the client chooses. A
        /// server without TLS speaks HTTP/1.1 only, whatever this says.
        public var allowsHTTP2 = true
        /// How many requests a client may have in progress over one connection of HTTP/2, from 1. The server tells its
        /// clients, and ends the connection of a client that begins more. A request that its client gives up counts
        /// until its handler ends; what comes in its place in the meantime is refused, and the client may send it again
        /// (`REFUSED_STREAM`, RFC 9113 §8.7). A value other than 100 is an error where the server does not speak HTTP/2,
        /// ``SOAPServerError`` with `invalidConfiguration`.
        public var maximumCallsPerConnection = Self.usualCallsPerConnection
        /// Addresses of proxies that open connections for many clients, to which
        /// ``maximumUnprovenConnectionsPerAddress`` does not apply: `127.0.0.1`, `2001:db8::7`, or blocks of them such
        /// as `10.1.0.0/16`.
        public var proxies: [String] = []
        /// Whether the connections of ``proxies`` begin with a header of the PROXY protocol, version 1 or 2 (HAProxy's
        /// `proxy-protocol.txt`), before TLS. The server takes the address of the client from it: for
        /// ``/SignetSOAP/PeerDescription/remoteAddress``, for the log, and for
        /// ``maximumUnprovenConnectionsPerAddress``, which then applies to the clients of proxies too. It closes connections
        /// from all other addresses, which could name any client, and connections without such a header, which may take as
        /// long as ``firstHeadArrival``. Where a header names no client, the address is that of the proxy. Without
        /// ``proxies`` or ``unixSocketPath`` it is an error, ``SOAPServerError`` with `invalidConfiguration`; at a socket all connections
        /// begin with a header.
        public var usesProxyProtocol = false
        /// A proxy at which the TLS of clients ends, and which hands on their certificates; nil for none.
        public var tlsProxy: TLSTerminatingProxy?
        /// How long a new connection may take for two steps together: the TLS handshake with its check of the client,
        /// and the arrival of the head of the first request. Nil means 10 seconds, or ``idle`` if that is shorter.
        public var firstHeadArrival: Duration?
        /// How many handlers of one-way operations may run at a time after the server has answered their callers;
        /// beyond that, callers wait for the handlers.
        public var maximumBackgroundCalls = 256
        /// How long a connection may be silent between requests and within a request. Over HTTP/2, silence within a
        /// request ends that request only.
        public var idle: Duration = .seconds(60)
        /// How long the content of one request may take to arrive, however little of it arrives at a time. A request
        /// that arrives at ``minimumArrivalRate`` or faster gets more time; the time that the server itself takes to
        /// process content does not count. The server closes the connection of a client that takes longer; over HTTP/2 it
        /// ends only the request.
        public var requestArrival: Duration = .seconds(60)
        /// For each this many bytes that have arrived, a request may take one second longer than ``requestArrival``.
        public var minimumArrivalRate = 64 << 10
        /// How long a client may take to receive an answer, or each 64 KiB of an answer that is written while it is
        /// sent. The server closes the connection of a client that takes longer. Over HTTP/2 it ends only the request of
        /// a client that still reads the connection.
        public var answerDelivery: Duration = .seconds(60)
        /// How long ``SOAPServer/shutdown()`` waits for requests in progress before it cancels them.
        public var shutdownGrace: Duration = .seconds(10)
        /// An authority that the server has beside the service, on paths of its own: clients enroll there with a certificate
        /// that the server admits, with the authority's own credentials, or by SCEP. Where the server requests certificates,
        /// the services answer 403 to clients without one, but for those that demand credentials. Nil for no authority.
        public var registration: RegistrationAuthority?
        /// Where the server answers health checks; nil for nowhere.
        public var health: HealthChecks?
        /// The middlewares that see every HTTP request, the first one outermost, whatever the outcome of the request.
        public var httpMiddlewares: [any ServerHTTPMiddleware] = []
        /// The logger; nothing is logged unless it is set. When only one of this logger and the dispatcher's is set,
        /// both use it. The server logs refused proofs of clients and notes about its own certificate (such as that it
        /// expires soon) at notice, failures, also of handlers, at error, and failed handshakes at info. It logs at
        /// debug what any client may do at any time, such as asking for another path or disconnecting. Lines about one
        /// request have the same value of `request`.
        public var logger = Logger(label: "signet.server", factory: { _ in SwiftLogNoOpLogHandler() })

        /// Makes the usual settings: port 8443 of this machine only, 1024 connections, no logging.
        public init() {}
    }
}
#endif
