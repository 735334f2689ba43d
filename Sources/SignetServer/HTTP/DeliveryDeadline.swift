#if Server
import Logging
import NIOCore

/// Closes a connection whose client does not take what is written to it. It stands below HTTP, so that every answer is
/// meant, also one that others write; above, a write counts as done when it waits for the client.
final class DeliveryDeadline: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    private let allowed: TimeAmount
    private let logger: Logger
    /// Of the writes that wait for the client, the oldest first.
    private var deadlines = CircularBuffer<NIODeadline>()
    /// It is left running when all is delivered: most deadlines are never reached.
    private var timer: Scheduled<Void>?

    init(allowed: Duration, logger: Logger) {
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
        logger.info(
            "a client does not take its answer",
            metadata: ["peer": "\(context.channel.remoteAddress.map { "\($0)" } ?? "unknown")"])
        context.close(promise: nil)
    }
}
#endif
