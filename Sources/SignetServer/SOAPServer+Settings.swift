public import Logging
public import SignetTLS

extension SOAPServer {
    /// Where a server listens, and its limits. All waits are finite.
    public struct Settings: Sendable {
        /// The address to listen at. Only this machine unless changed; `::` or `0.0.0.0` for every network.
        public var host = "127.0.0.1"
        /// The port to listen at; 0 lets the system choose a free one.
        public var port = 8443
        /// Errors of the server's identity (``Identity/problems(at:for:)``) with which it starts all the same. With any other
        /// it does not, and takes no such identity in exchange.
        public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
        /// The WSDL, given to whoever asks `GET path?wsdl` and passes admission and authentication; nil gives none.
        public var wsdl: [UInt8]?
        /// The largest request accepted, in bytes of content; a larger one is answered with 413.
        public var maximumRequestBytes = 16 << 20
        /// How many connections are open at a time; more wait until one is closed.
        public var maximumConnections = 1024
        /// How many handlers of one-way operations run at a time after their callers were answered; above that, callers
        /// wait for the handlers.
        public var maximumBackgroundCalls = 256
        /// How long a connection may be silent: in the handshake, between requests, within a request.
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
        /// Silent unless given. Refused clients, and what is to be known of our
        /// own certificate (such as that it expires soon), are reported at notice, failures at error.
        public var logger = Logger(label: "signet.server", factory: { _ in SwiftLogNoOpLogHandler() })

        public init() {}
    }
}
