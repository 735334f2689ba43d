#if Server
import Logging
import NIOCore

/// Closes a channel whose client does not take what the server writes to it: a connection, or a stream of HTTP/2 whose
/// client leaves no room for it (RFC 9113 §5.2). It is below HTTP in the pipeline, so that it covers every answer, also
/// those that other handlers write; above HTTP, a write already counts as done while it waits for the client.
final class DeliveryDeadline: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    /// The client, for the log.
    private let client: String
    private let allowed: TimeAmount
    private let logger: Logger
    /// The deadlines of the writes that wait for the client, the oldest first.
    private var deadlines = CircularBuffer<NIODeadline>()
    /// The timer keeps running when everything is delivered, because most deadlines are never reached.
    private var timer: Scheduled<Void>?

    init(of client: String, allowed: Duration, logger: Logger) {
        self.client = client
        self.allowed = TimeAmount(allowed)
        self.logger = logger
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let written = promise ?? context.eventLoop.makePromise()
        deadlines.append(.now() + allowed)
        written.futureResult.assumeIsolated().whenComplete { _ in _ = self.deadlines.popFirst() }
        context.write(data, promise: written)
        arm(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private func arm(_ context: ChannelHandlerContext) {
        guard timer == nil, let deadline = deadlines.first else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { self.look(context) }
    }

    private func look(_ context: ChannelHandlerContext) {
        timer = nil
        guard let oldest = deadlines.first, oldest <= .now() else { return arm(context) }
        logger.info("a client does not take its answer", metadata: ["peer": "\(client)"])
        context.close(promise: nil)
    }
}
#endif
