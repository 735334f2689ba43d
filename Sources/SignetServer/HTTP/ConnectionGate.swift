#if Server
import Logging
import NIOCore

/// Sits between the socket and TLS. It closes a connection whose client takes too long for the handshake and the head
/// of its first request, and, when the server shuts down, one that has no protocol yet. It closes without waiting for the
/// client, which TLS would do.
final class ConnectionGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The connection's place among the connections whose clients have not proved their identity.
    let place: PeerBudget.Place
    /// The client, for the log: the other end of the connection, or whom a proxy has named.
    let client: String
    private let allowed: TimeAmount
    private let logger: Logger
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// Whether the server closes the connection itself; the log then need not say why it ended.
    private(set) var isClosing = false
    /// Nil unless the connection has ended, except that the client takes what was sent to it.
    private var lingering: (silence: TimeAmount, end: NIODeadline)?
    /// Whether the handlers of HTTP are in the pipeline, which end the connection when the server shuts down.
    var hasProtocol = false

    /// - Parameter allowed: how long the handshake and the first head may take together.
    init(_ place: PeerBudget.Place, of client: SocketAddress?, allowed: Duration, logger: Logger) {
        self.place = place
        self.client = client.map { "\($0)" } ?? "unknown"
        self.allowed = TimeAmount(min(allowed, .seconds(1_000_000_000)))
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        startTimer(.now() + allowed) { self.refuse() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let lingering else { return context.fireChannelRead(data) }
        startTimer(min(lingering.end, .now() + lingering.silence)) { self.close() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, !hasProtocol { return close() }
        if event as? ChannelEvent == .inputClosed, lingering != nil { return close() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Called when the head of a request has arrived.
    func open() {
        timer?.cancel()
        timer = nil
    }

    /// Closes the socket at once.
    func close() {
        isClosing = true
        context?.close(promise: nil)
    }

    /// Closes the connection, to which nothing more is written, when the client has closed it or has been silent for a
    /// time. What the client sends is dropped. A socket that is closed earlier loses what the client has not received, as
    /// soon as the client sends anything.
    func linger(silence: TimeAmount, atMost limit: TimeAmount) {
        guard silence > .zero else { return close() }
        isClosing = true
        let now = NIODeadline.now()
        lingering = (silence, now + limit)
        startTimer(now + min(silence, limit)) { self.close() }
    }

    private func startTimer(_ deadline: NIODeadline, _ action: @escaping () -> Void) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(deadline: deadline, action)
    }

    private func refuse() {
        logger.info("a client took too long for its first request", metadata: ["peer": "\(client)"])
        close()
    }
}
#endif
