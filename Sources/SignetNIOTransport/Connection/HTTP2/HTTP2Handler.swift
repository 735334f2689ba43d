import NIOCore
import NIOHTTP1
import NIOHTTP2
import SignetHTTP
import SignetNIOTLS

/// Carries many exchanges at once over a connection of HTTP/2, on the channel's event loop.
///
/// It stands between NIO's handlers: it sees the frames that the first has found correct, before the second gives them
/// to the channels of streams. ``HTTP2ConnectionState`` makes the decisions; a ``ConnectionHandler`` on the channel of
/// each stream carries out the exchange.
final class HTTP2Handler: ChannelInboundHandler, NIOHTTP2FrameDelegate, ExchangeCarrier {
    typealias InboundIn = HTTP2Frame
    typealias InboundOut = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    private struct Exchange {
        let request: OutgoingRequest
        let leg: Leg
        /// Nil until the channel of its stream exists.
        var handler: ConnectionHandler?
    }

    let tls: ClientTLS?
    private let host: String
    private let limits: HTTP2Limits
    private let acceptsCompression: Bool
    private let multiplexer: HTTP2StreamMultiplexer
    /// Called once, when the connection can be used or has failed.
    private var ready: ((Result<Void, any Error>) -> Void)?
    var owner: Connector.Owner? { didSet { if needsHTTP1 { owner?.fallBack() } } }
    private(set) var capacity: Int?
    /// Whether the server wants HTTP/1.1, which it may say before the connection has an owner.
    private var needsHTTP1 = false

    private var state: HTTP2ConnectionState
    private var exchanges: [HTTP2ConnectionState.LegID: Exchange] = [:]
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    /// Whether NIO has just told the server of an error of the connection; it then reports that error.
    private var isConnectionError = false
    private var settings = HTTP2PeerSettings()

    init(
        tls: ClientTLS?, host: String, limits: HTTP2Limits, acceptsCompression: Bool, idleTimeout: TimeAmount,
        multiplexer: HTTP2StreamMultiplexer
    ) {
        self.tls = tls
        self.host = host
        self.limits = limits
        self.acceptsCompression = acceptsCompression
        self.multiplexer = multiplexer
        state = HTTP2ConnectionState(maximumCalls: limits.calls, idleTimeout: idleTimeout)
    }

    // MARK: From the transport

    /// Calls `ready` when the connection can be used or has failed. Call it before the handler is added.
    func whenReady(_ ready: @escaping (Result<Void, any Error>) -> Void) { self.ready = ready }

    func start(_ request: OutgoingRequest, _ leg: Leg) {
        guard !leg.isCancelled else {
            rest()
            return leg.end(.failure(UntouchedConnection()))
        }
        let identifier = ObjectIdentifier(leg)
        exchanges[identifier] = Exchange(request: request, leg: leg)
        perform(state.begin(identifier, request, deadline: leg.deadline, at: .now()))
    }

    func write(_ part: HTTPClientRequestPart, of leg: Leg, on loop: any EventLoop) -> EventLoopFuture<Void> {
        handler(of: leg)?.write(part, of: leg, on: loop) ?? loop.makeFailedFuture(UnwantedContent())
    }

    func collect(_ leg: Leg) { handler(of: leg)?.collect(leg) }

    func demand(_ leg: Leg, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        handler(of: leg)?.demand(leg, on: loop) ?? loop.makeFailedFuture(UnwantedContent())
    }

    /// Ends an exchange, and its stream. The connection and the other exchanges go on.
    func abandon(_ leg: Leg, _ error: any Error) {
        guard let exchange = exchanges[ObjectIdentifier(leg)] else { return }
        if let handler = exchange.handler { return handler.abandon(leg, error) }
        ended(leg, isLate: false)
        // Nothing of it was sent.
        leg.end(.failure(leg.isCancelled ? UntouchedConnection() : error))
    }

    func rest() { perform(state.rest(at: .now(), limit: idleLimit)) }

    func close(_ error: TransportError) { perform(state.fail(error)) }

    private func handler(of leg: Leg) -> ConnectionHandler? { exchanges[ObjectIdentifier(leg)]?.handler }

    private var idleLimit: TimeAmount? { owner?.idleLimit.usable(at: .now()) }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        if let problem = settings.problem(in: frame, hasStreams: !exchanges.isEmpty) { fail(problem) }
        if case .goAway = frame.payload { noteIdleEnd() }
        perform(state.received(.init(frame), at: .now()))
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        perform(state.writabilityChanged(to: context.channel.isWritable))
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let closed = event as? StreamClosedEvent {
            let code = closed.reason.map { HTTP2Code(number: $0.networkCode) }
            perform(state.closed(stream: Int(closed.streamID), code: code))
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// NIO reports errors of a stream like those of the connection, but only for the latter it writes GOAWAY.
    func wroteFrame(_ frame: HTTP2Frame) {
        if case .goAway(_, let code, _) = frame.payload, code != .noError { isConnectionError = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is any NIOHTTP2Error where !isConnectionError, is NIOHTTP2Errors.StreamError:
            // The stream is closed, which is reported too.
            context.fireErrorCaught(error)
        default: fail(error)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        noteIdleEnd()
        fail(nil)
        timer?.cancel()
        timer = nil
        owner?.closed()
        owner = nil
        context.fireChannelInactive()
    }

    private func fail(_ error: (any Error)?) {
        if error != nil { noteIdleEnd() }
        perform(state.fail(error))
    }

    /// Records how long the connection was idle when the server ends it, which may show the server's limit.
    private func noteIdleEnd() {
        let now = NIODeadline.now()
        if let idle = state.idleTime(at: now) { owner?.idleLimit.closed(after: idle, at: now) }
    }

    // MARK: Actions

    private func perform(_ actions: [HTTP2ConnectionState.Action]) {
        for action in actions { carryOut(action) }
    }

    private func carryOut(_ action: HTTP2ConnectionState.Action) {
        switch action {
        case .ready(let capacity):
            self.capacity = capacity
            becomeReady(.success(()))
        case .resize(let capacity):
            self.capacity = capacity
            owner?.resize(capacity)
        case .open(let leg): open(leg)
        case .end(let leg, let end): endExchange(leg, end)
        case .retire:
            capacity = nil
            owner?.retire()
        case .fallBack:
            needsHTTP1 = true
            owner?.fallBack()
        case .startTimer(let date): startTimer(date)
        case .expire(let atServersLimit):
            let mayExpire = owner?.mayExpire(atServersLimit) != false
            perform(mayExpire ? state.fail() : state.stay(at: .now(), limit: idleLimit))
        case .close: closeChannel()
        }
    }

    /// Creates the channel of a stream, and begins the exchange on it if that still wants it.
    private func open(_ identifier: HTTP2ConnectionState.LegID) {
        guard let context else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let created = context.eventLoop.makePromise(of: (any Channel).self)
        multiplexer.createStreamChannel(promise: created) { channel in
            channel.eventLoop.makeCompletedFuture { try bound.value.install(on: channel, for: identifier) }
        }
        created.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): self.begin(identifier, on: channel)
            case .failure(let error): self.fail(error)
            }
        }
    }

    private func install(on channel: any Channel, for identifier: HTTP2ConnectionState.LegID) throws {
        let place = StreamPlace(maximumFieldBytes: limits.fieldBytes) { [weak self] leg, isLate in
            self?.ended(leg, isLate: isLate)
        }
        let handler = ConnectionHandler(
            tls: tls, host: host, arrival: nil, acceptsCompression: acceptsCompression, stream: place)
        try channel.pipeline.syncOperations.addHandlers([
            HTTP2FramePayloadToHTTP1ClientCodec(httpProtocol: .https), handler,
        ])
        exchanges[identifier]?.handler = handler
    }

    private func begin(_ identifier: HTTP2ConnectionState.LegID, on channel: any Channel) {
        guard state.mayStart(identifier), let exchange = exchanges[identifier], let handler = exchange.handler else {
            return channel.close(promise: nil)
        }
        handler.start(exchange.request, exchange.leg)
        guard let stream = try? channel.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) else { return }
        perform(state.created(identifier, stream: Int(stream), at: .now()))
    }

    private func endExchange(_ identifier: HTTP2ConnectionState.LegID, _ end: StreamEnd) {
        if let exchange = exchanges.removeValue(forKey: identifier) {
            let leg = exchange.leg
            let error = end.error(from: host, deadline: leg.deadline, reasonOfLoss: reasonOfLoss)
            if let handler = exchange.handler { handler.abandon(leg, error) }
            // It has no effect on a leg that the handler has ended.
            leg.end(.failure(error))
        }
        perform(state.ended(identifier, at: .now(), limit: idleLimit))
    }

    /// An exchange has ended by itself.
    private func ended(_ leg: Leg, isLate: Bool) {
        guard exchanges.removeValue(forKey: ObjectIdentifier(leg)) != nil else { return }
        perform(state.ended(ObjectIdentifier(leg), isLate: isLate, at: .now(), limit: idleLimit))
    }

    private func becomeReady(_ result: Result<Void, any Error>) {
        let ready = self.ready
        self.ready = nil
        ready?(result)
    }

    private func startTimer(_ date: NIODeadline) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(deadline: date) {
            self.timer = nil
            self.perform(self.state.timerFired(at: .now()))
        }
    }

    private func closeChannel() {
        if ready != nil {
            becomeReady(.failure(needsHTTP1 ? HTTP1Required() : reasonOfLoss(.init(isSecured: true))))
        }
        guard let context, context.channel.isActive else { return }
        // RFC 9113 §6.8: the server then knows that nothing was lost. It has begun no streams.
        let goAway = HTTP2Frame.FramePayload.goAway(lastStreamID: .rootStream, errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: goAway)), promise: nil)
        context.close(promise: nil)
    }

    /// Why the connection ended.
    private func reasonOfLoss(_ progress: ConnectionFailure.Progress) -> any Error {
        guard let error = state.firstError else {
            return ConnectionFailure.closedEarly(by: host, tls: tls, progress: progress)
        }
        return ConnectionFailure.describe(error, host: host, tls: tls, progress: progress)
    }
}

extension HTTP2ConnectionState.Frame {
    fileprivate init(_ frame: HTTP2Frame) {
        let stream = Int(frame.streamID)
        switch frame.payload {
        case .settings(.settings(let settings)):
            self = .settings(maximumStreams: settings.last { $0.parameter == .maxConcurrentStreams }?.value)
        case .settings(.ack): self = .other
        case .headers(let headers):
            let isInterim = headers.headers.first { $0.name == ":status" }?.value.first == "1"
            self = .answer(stream: stream, isInterim: isInterim, isEnd: headers.endStream)
        case .data(let data): self = .answer(stream: stream, isInterim: false, isEnd: data.endStream)
        case .rstStream(let code): self = .reset(stream: stream, HTTP2Code(number: code.networkCode))
        case .goAway(let last, let code, _): self = .goAway(last: Int(last), HTTP2Code(number: code.networkCode))
        case .priority, .pushPromise, .ping, .windowUpdate, .alternativeService, .origin: self = .other
        }
    }
}
