#if Server
import Logging
import NIOCore

/// Sits between the socket and TLS. It closes a connection whose client takes too long for the handshake and the head
/// of its first request. It closes without waiting for the client, which TLS would do.
final class ConnectionGate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The connection's place among the connections whose clients have not proved their identity.
    let place: PeerBudget.Place
    private let allowed: TimeAmount
    private let logger: Logger
    private var context: ChannelHandlerContext?
    private var timer: Scheduled<Void>?
    /// Whether the server closes the connection itself; the log then need not say why it ended.
    private(set) var isClosing = false

    /// - Parameter allowed: how long the handshake and the first head may take together.
    init(_ place: PeerBudget.Place, allowed: Duration, logger: Logger) {
        self.place = place
        self.allowed = TimeAmount(min(allowed, .seconds(1_000_000_000)))
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: allowed) { self.refuse() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        self.context = nil
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

    private func refuse() {
        guard let context else { return }
        logger.info(
            "a client took too long for its first request",
            metadata: ["peer": "\(context.channel.remoteAddress.map { "\($0)" } ?? "unknown")"])
        close()
    }
}
#endif
