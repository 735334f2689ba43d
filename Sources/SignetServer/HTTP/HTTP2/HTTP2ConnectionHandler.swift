#if Server
import Logging
import NIOCore
import NIOHTTP2
import SignetNIOTransport

/// Watches over a connection of HTTP/2, and ends it. It stands between NIO's handlers, of which one checks the frames and
/// the other gives them to the channels of their streams. ``HTTP2Shutdown`` decides about the end of a connection that
/// has not failed.
final class HTTP2ConnectionHandler: ChannelDuplexHandler, NIOHTTP2FrameDelegate {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// How long a client that broke the protocol may take to receive the reason; the server reads nothing in this time.
    private static let lingering = TimeAmount.seconds(1)
    private static let pingData = HTTP2PingData(withInteger: 1)

    private let gate: ConnectionGate
    private let logger: Logger
    private let limit: Int
    private let delivery: TimeAmount
    private var shutdown: HTTP2Shutdown
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Makes NIO go on with the frames that it has received; it stops at an error of the connection.
    var resume: (() -> Void)?
    /// The number of handlers that run, also for requests that the client has given up.
    private var running = 0
    /// Whether NIO has just told the client of an error of the connection; it then reports that error.
    private var isConnectionError = false
    private var hasFailed = false
    private var settings = HTTP2PeerSettings()

    /// - Parameter limit: how many handlers of requests may run at a time.
    init(_ gate: ConnectionGate, limit: Int, settings: SOAPServer.Settings) {
        self.gate = gate
        self.limit = limit
        logger = settings.logger
        delivery = TimeAmount(settings.answerDelivery)
        shutdown = HTTP2Shutdown(idle: TimeAmount(settings.idle))
    }

    // MARK: Requests

    /// The place of a request among those that are handled at the same time.
    final class Place {
        private var connection: HTTP2ConnectionHandler?

        fileprivate init(_ connection: HTTP2ConnectionHandler) { self.connection = connection }

        /// Frees the place, once: the request is answered, or its handler has ended.
        func free() {
            connection?.running -= 1
            connection = nil
        }
    }

    /// Takes a place for a new request; nil when no place is free. A client that resets its streams does not get more
    /// places by that.
    func admit() -> Place? {
        gate.open()
        guard running < limit else { return nil }
        running += 1
        return Place(self)
    }

    /// The connection is needed until the end of something, such as the delivery of an answer.
    func stayOpen(until end: EventLoopFuture<Void>) {
        perform(shutdown.beganWrite())
        end.assumeIsolated().whenComplete { _ in self.perform(self.shutdown.endedWrite()) }
    }

    // MARK: The channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        self.context = nil
        resume = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if let problem = settings.problem(in: frame, hasStreams: shutdown.hasStreams) {
            return refuse(problem, context)
        }
        if case .ping(Self.pingData, ack: true) = frame.payload { perform(shutdown.acknowledged()) }
        context.fireChannelRead(data)
    }

    /// A client that broke the protocol is not listened to any more.
    func read(context: ChannelHandlerContext) { if !hasFailed { context.read() } }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        // NIO's other handler would tell the streams, which end by themselves.
        case is ChannelShouldQuiesceEvent: return perform(shutdown.leave())
        case let created as NIOHTTP2StreamCreatedEvent: perform(shutdown.opened(stream: Int(created.streamID)))
        case let closed as StreamClosedEvent: perform(shutdown.closed(stream: Int(closed.streamID)))
        // TLS has ended from the client's side; the socket stays open for the other.
        case ChannelEvent.inputClosed: return gate.close()
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// NIO reports errors of a stream like those of the connection, but only for the latter it writes GOAWAY.
    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { isConnectionError = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        // GOAWAY was sent before.
        case is NIOHTTP2Errors.RaisedGoawayLastStreamID: isConnectionError = true
        // It is the content of a request that the client began before it knew that the connection ends, or makes room for
        // an answer that NIO has passed on to the last byte.
        case is NIOHTTP2Errors.NoSuchStream where shutdown.isLeaving,
            is NIOHTTP2Errors.IOOnClosedConnection where shutdown.isLeaving:
            isConnectionError = false
            resume?()
        case is NIOHTTP2Errors.StreamError: context.fireErrorCaught(error)
        case is any NIOHTTP2Error where isConnectionError: fail(error, context)
        // The channel of the stream deals with it.
        case is any NIOHTTP2Error: context.fireErrorCaught(error)
        default: gate.close()
        }
    }

    // MARK: The end

    /// Ends all streams at once, before NIO writes to them again.
    private func refuse(_ problem: HTTP2PeerSettings.Problem, _ context: ChannelHandlerContext) {
        let goAway = HTTP2Frame.FramePayload.goAway(
            lastStreamID: .rootStream, errorCode: .enhanceYourCalm, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goAway)), promise: nil)
        fail(problem, context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        guard !hasFailed else { return }
        hasFailed = true
        logger.debug(
            "a client broke the rules of HTTP/2",
            metadata: [
                "peer": "\(gate.client)",
                "reason": "\(type(of: error))",
            ])
        context.close(mode: .output, promise: nil)
        startTimer(in: Self.lingering) { self.gate.close() }
    }

    private func perform(_ actions: [HTTP2Shutdown.Action]) {
        guard !hasFailed else { return }
        for action in actions {
            switch action {
            case .startTimer(let time): startTimer(in: time) { self.perform(self.shutdown.timerFired()) }
            case .stopTimer:
                timer?.cancel()
                timer = nil
            case .sayGoodbye(let last): sayGoodbye(last)
            case .close(let silence):
                // TLS sends its close alert, and does not wait for the alert of the client.
                context?.close(mode: .output, promise: nil)
                gate.linger(silence: silence, atMost: delivery)
            }
        }
    }

    private func sayGoodbye(_ last: Int) {
        guard let context else { return }
        let goAway = HTTP2Frame.FramePayload.goAway(
            lastStreamID: HTTP2StreamID(last), errorCode: .noError, opaqueData: nil)
        let ping = HTTP2Frame.FramePayload.ping(Self.pingData, ack: false)
        let written = context.eventLoop.makePromise(of: Void.self)
        stayOpen(until: written.futureResult)
        context.write(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goAway)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: ping)), promise: written)
    }

    private func startTimer(in time: TimeAmount, _ action: @escaping () -> Void) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.timer = nil
            action()
        }
    }
}
#endif
