#if Server
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// A connection of HTTP/2. Each of its requests is handled on the channel of its stream, by a task of its own.
struct HTTP2Connection: Sendable {
    private let channel: any Channel
    /// Handles the requests; on a stream, it finds one request only.
    private let http: HTTP1Channel
    private let settings: SOAPServer.Settings
    private let logger: Logger
    /// The tasks of the requests, which a client can end only by its connection.
    private let requests = RunningTasks()

    init(_ channel: any Channel, http: HTTP1Channel, settings: SOAPServer.Settings, logger: Logger) {
        self.channel = channel
        self.http = http
        self.settings = settings
        self.logger = logger
    }

    /// Call this on the channel's event loop.
    func addHandlers(_ gate: ConnectionGate) throws {
        let limits = HTTP2Limits(streams: settings.maximumCallsPerConnection)
        let handler = HTTP2ConnectionHandler(gate, limit: limits.streams, settings: settings)
        let bound = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        let multiplexer = limits.makeMultiplexer(on: channel) { [client = gate.client] stream in
            stream.eventLoop.makeCompletedFuture { try begin(stream, of: client, bound) }
        }
        let inlet = HTTP2Inlet()
        handler.resume = inlet.resume
        try channel.pipeline.syncOperations.addHandlers([
            inlet, limits.makeHandler(telling: handler), handler, multiplexer,
        ])
    }

    /// Returns when the connection and the handlers of its requests have ended.
    func run() async {
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
            await requests.waitForAll()
        } onCancel: {
            requests.cancelAll()
            channel.close(promise: nil)
        }
    }

    /// Begins to handle the request of a new stream.
    private func begin(
        _ stream: any Channel, of client: String, _ handler: NIOLoopBound<HTTP2ConnectionHandler>
    ) throws {
        guard let place = handler.value.admit() else {
            // The client may send the request again.
            return stream.writeAndFlush(HTTP2Frame.FramePayload.rstStream(.refusedStream), promise: nil)
        }
        let bound = NIOLoopBound(place, eventLoop: stream.eventLoop)
        try stream.pipeline.syncOperations.addHandlers([
            DeliveryDeadline(of: client, allowed: settings.answerDelivery, logger: settings.logger),
            HTTP2FramePayloadToHTTPServerCodec(), IdleStateHandler(readTimeout: TimeAmount(settings.idle)),
            HTTP2StreamHandler(handler.value, place),
        ])
        let request = try HTTP1Channel.Value(wrappingChannelSynchronously: stream)
        _ = requests.start(limit: .max) {
            await http.handle(value: request, logger: logger)
            stream.eventLoop.execute { bound.value.free() }
        }
    }
}

/// Stands below NIO's handler of HTTP/2, which stops at the first frame that it finds wrong, and goes on when more is
/// received. That frame may be one that does no harm.
private final class HTTP2Inlet: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Lets the handler go on soon with what it has received.
    func resume() {
        context?.eventLoop.assumeIsolated().execute {
            guard let context = self.context else { return }
            context.fireChannelRead(self.wrapInboundOut(ByteBuffer()))
            context.fireChannelReadComplete()
        }
    }
}
#endif
