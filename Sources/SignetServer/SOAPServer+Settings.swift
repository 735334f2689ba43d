#if Server
public import Logging

extension SOAPServer {
    /// Where a server listens, and its limits. All waits are finite.
    public struct Settings: Sendable {
        /// The address to listen at. Only this machine unless changed; `::` or `0.0.0.0` for every network.
        public var host = "127.0.0.1"
        /// The port to listen at; 0 lets the system choose a free one.
        public var port = 8443
        /// The WSDL, given to whoever asks `GET path?wsdl` and passes admission and authentication; nil gives none.
        public var wsdl: [UInt8]?
        /// The largest request accepted, in bytes of content, whatever is in it; a larger one is answered with 413 while it arrives, or
        /// before when its size is announced. Nil for 16 MiB, or for services that take attachments
        /// (``ServiceDispatcher/takesAttachments``) as much as their `AttachmentLimits.totalBytes` allows, which is 64 MiB unless changed.
        public var maximumRequestBytes: Int?
        /// How many bytes the attachments of all requests together may take on the disk, those included that handlers keep; a request
        /// that would need more is answered with 503. Nil for 1 GiB, or ``maximumRequestBytes`` if that is more. For services that take
        /// attachments only.
        public var maximumSpooledBytes: Int?
        /// How many connections are open at a time; more wait until one is closed.
        public var maximumConnections = 1024
        /// How many connections of one address may be open whose clients have not yet proved who they are: by a certificate that
        /// was admitted, or by credentials over HTTP or in a message that were accepted. More are closed at once. Nil for a quarter of
        /// ``maximumConnections``; as many as those for no bound. Addresses of IPv6 count by their /64, and those of IPv4 written in
        /// IPv6 as IPv4. Where a service asks for no proof, all connections of an address count.
        public var maximumUnprovenConnectionsPerAddress: Int?
        /// Addresses of proxies that open connections for many clients, to which ``maximumUnprovenConnectionsPerAddress`` does not apply:
        /// `127.0.0.1`, `2001:db8::7`, or blocks of them such as `10.1.0.0/16`.
        public var proxies: [String] = []
        /// How long a new connection may take until TLS has judged its client and the head of its first request has come, both together.
        /// Nil for 10 seconds, or ``idle`` if that is shorter.
        public var firstHeadArrival: Duration?
        /// How many handlers of one-way operations run at a time after their callers were answered; above that, callers
        /// wait for the handlers.
        public var maximumBackgroundCalls = 256
        /// How long a connection may be silent between requests and within a request.
        public var idle: Duration = .seconds(60)
        /// How long the content of one request may take to arrive, however little of it comes at a time. What has come at least at
        /// ``minimumArrivalRate`` has more time; what we take ourselves to deal with it does not count.
        public var requestArrival: Duration = .seconds(60)
        /// For every so many bytes that have come, a request may take a second longer than ``requestArrival``.
        public var minimumArrivalRate = 64 << 10
        /// How long a client may take to receive an answer, or each 64 KiB of one that is written while it is sent; one that does not
        /// read it in that time is cut off.
        public var answerDelivery: Duration = .seconds(60)
        /// How long ``SOAPServer/shutdown()`` waits for requests in progress before it cancels them.
        public var shutdownGrace: Duration = .seconds(10)
        /// See every HTTP request, the first one outermost, whatever becomes of it.
        public var httpMiddlewares: [any ServerHTTPMiddleware] = []
        /// Silent unless given; the dispatcher's where only that is given, and the other way round. Clients whose proof is refused, and
        /// what is to be known of our own certificate (such as that it expires soon), are reported at notice, failures, also of handlers,
        /// at error, handshakes that fail at info. What every client may do at any time, such as to ask for another path or to leave, is
        /// reported at debug. Lines about one request have the same value of `request`.
        public var logger = Logger(label: "signet.server", factory: { _ in SwiftLogNoOpLogHandler() })

        /// The usual settings: port 8443 of this machine only, 1024 connections, nothing logged.
        public init() {}
    }
}
#endif
