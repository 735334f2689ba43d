import NIOCore
import NIOHTTP1
import SignetHTTP
import SignetNIOTLS

/// Carries exchanges over a channel, one after the other, on the channel's event loop. The channel is a connection of
/// HTTP/1.1, or a stream of an HTTP/2 connection, which carries one exchange.
///
/// ``ConnectionState`` makes the decisions: this handler reports events to it and carries out its actions.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler, ExchangeCarrier {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    let tls: ClientTLS?
    private let host: String
    /// Nil on a stream.
    private let arrival: ArrivalObserver?
    /// Nil on a connection of its own.
    private var stream: StreamPlace?
    var owner: Connector.Owner?
    /// The handlers that speak HTTP on the channel, this one included.
    var codec: [any RemovableChannelHandler] = []

    private var state: ConnectionState
    /// The current request, with the caller that waits for its answer.
    private var leg: Leg?
    /// Set while the caller waits for more content of the answer.
    private var demand: EventLoopPromise<[UInt8]?>?
    private var timer: Scheduled<Void>?
    /// When the head of the current answer had arrived.
    private var headArrival: NIODeadline?
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - tls: that of the connection, whose handshake has ended; nil without TLS.
    ///   - arrival: the handler before the HTTP decoder; nil on a stream.
    ///   - acceptsCompression: whether compressed content is decompressed for the caller.
    ///   - idleTimeout: for how long the client keeps the connection when no call uses it; unused on a stream.
    ///   - stream: nil on a connection of its own.
    init(
        tls: ClientTLS?, host: String, arrival: ArrivalObserver?, acceptsCompression: Bool,
        idleTimeout: TimeAmount = .zero, stream: StreamPlace? = nil
    ) {
        self.tls = tls
        self.host = host
        self.arrival = arrival
        self.stream = stream
        state = ConnectionState(host: host, acceptsCompression: acceptsCompression, idleTimeout: idleTimeout)
        state.isSecured = tls != nil
    }

    var isUsable: Bool { state.isIdle && context?.channel.isActive == true && !hasSurplus }

    var capacity: Int? { isUsable || leg != nil ? 1 : nil }

    private var hasSurplus: Bool { arrival?.hasSurplus == true }

    // MARK: From the transport

    func start(_ request: OutgoingRequest, _ leg: Leg) {
        guard !leg.isCancelled else {
            if stream == nil { rest() }
            return refuse(leg, UntouchedConnection())
        }
        guard let context, isUsable,
            let sending = state.start(request, deadline: leg.deadline, isJudged: leg.isJudged)
        else {
            // A new connection that broke before its first request had a reason to break, and a further one would break
            // too.
            return refuse(leg, state.wasIdle ? StaleConnection() : reasonOfLoss)
        }
        arrival?.begin()
        self.leg = leg
        switch sending {
        case .whole(let isReported): send(request, of: leg, isReported: isReported, context)
        case .head: context.writeAndFlush(wrapOutboundOut(.head(request.head)), promise: nil)
        }
        perform(state.sent(at: .now()))
        guard case .head(let waitsForServer) = sending else { return }
        if waitsForServer {
            // Many servers never send 100 (Continue) (RFC 9110 §10.1.1).
            context.eventLoop.scheduleTask(in: ConnectionState.patience) { leg.takeContent() }
        } else {
            leg.takeContent()
        }
    }

    /// Ends a leg of which nothing was sent.
    private func refuse(_ leg: Leg, _ error: any Error) {
        if let stream {
            stream.ended(leg, false)
            closeChannel()
        }
        leg.end(.failure(error))
    }

    /// - Parameter isReported: whether ``state`` is told when the request has been written.
    private func send(_ request: OutgoingRequest, of leg: Leg, isReported: Bool, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        if request.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
        }
        guard isReported else { return context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess { self.wrote(leg) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }

    /// Writes a part of the content, or its end. The future completes when it has been written.
    func write(_ part: HTTPClientRequestPart, of leg: Leg, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let isEnd = if case .end = part { true } else { false }
        guard self.leg === leg, let context, context.channel.isActive, state.mayWrite(isEnd: isEnd) else {
            return loop.makeFailedFuture(UnwantedContent())
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(part), promise: written)
        if isEnd { written.futureResult.assumeIsolated().whenSuccess { self.wrote(leg) } }
        // The failure of the connection itself is the more informative error.
        return written.futureResult.flatMapErrorThrowing { _ in throw UnwantedContent() }
    }

    private func wrote(_ leg: Leg) {
        guard self.leg === leg else { return }
        perform(state.wrote(at: .now()))
    }

    /// Keeps the content of an answer in memory after its head was judged.
    func collect(_ leg: Leg) {
        guard self.leg === leg else { return }
        perform(state.collect(at: .now()))
    }

    /// More content of an answer after its head was judged; nil after its end.
    func demand(_ leg: Leg, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        guard self.leg === leg, demand == nil else { return loop.makeFailedFuture(UnwantedContent()) }
        let demand = loop.makePromise(of: [UInt8]?.self)
        self.demand = demand
        perform(state.demand(at: .now()))
        return demand.futureResult
    }

    /// Keeps the connection for other calls, for a limited time.
    func rest() { perform(state.rest(at: .now(), limit: idleLimit)) }

    private var idleLimit: TimeAmount? { owner?.idleLimit.usable(at: .now()) }

    /// Ends an exchange before its answer is complete. The connection cannot be used afterwards.
    func abandon(_ leg: Leg, _ error: any Error) {
        guard self.leg === leg else { return }
        perform(state.fail(error, isOfConnection: false))
    }

    /// Ends the exchange and the connection.
    func close(_ error: TransportError) {
        var error = error
        error.mayHaveBeenProcessed = leg != nil
        perform(state.fail(error))
    }

    /// Removes the HTTP handlers from the channel after a proxy has made it a tunnel.
    func leave(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard let context, isUsable else { return loop.makeFailedFuture(reasonOfLoss) }
        state.close()
        cancelTimer()
        let pipeline = context.pipeline.syncOperations
        let removals = codec.map { pipeline.removeHandler($0) }
        codec = []
        return EventLoopFuture.andAllSucceed(removals, on: context.eventLoop)
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        owner = nil
    }

    func read(context: ChannelHandlerContext) {
        if state.mayRead() { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .head(let head) = part, stream != nil {
            do { part = .head(try stream?.read(head, from: host) ?? head) } catch { return perform(state.fail(error)) }
        }
        switch part {
        case .head(let head) where head.isInterim:
            // An interim head is not passed on as the head of the answer. Its bytes count as undecoded, which limits
            // the number of such heads.
            if head.status == .continue { perform(state.received(part, at: .now())) }
            return
        case .end: arrival?.end()
        case .head: headArrival = .now()
        case .body: break
        }
        arrival?.decoded()
        perform(state.received(part, at: .now()))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        perform(state.readCompleted())
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        noteIdleEnd()
        let failure = describe(error)
        state.note(failure)
        perform(state.lose(failure))
    }

    func channelInactive(context: ChannelHandlerContext) {
        noteIdleEnd()
        perform(state.lose(reasonOfLoss))
        cancelTimer()
        owner?.closed()
        owner = nil
        context.fireChannelInactive()
    }

    /// Records how long the connection was idle when the peer ends it, which may show the peer's limit.
    private func noteIdleEnd() {
        let now = NIODeadline.now()
        if let idle = state.idleTime(at: now) { owner?.idleLimit.closed(after: idle, at: now) }
    }

    // MARK: Actions

    private func perform(_ first: ConnectionState.Action) {
        var following: ConnectionState.Action? = first
        while let action = following { following = carryOut(action) }
    }

    /// - Returns: the next action.
    private func carryOut(_ action: ConnectionState.Action) -> ConnectionState.Action? {
        switch action {
        case .nothing: return nil
        case .takeContent:
            leg?.takeContent()
            return nil
        case .judge(let head):
            let mayTake = leg?.judge(head) == true
            return state.judged(mayTake: mayTake)
        case .hand(let piece):
            let demand = self.demand
            self.demand = nil
            demand?.succeed(piece)
        case .read: context?.read()
        case .startTimer(let date): startTimer(date)
        case .complete(let answer): return complete(answer)
        case .fail(let error, let isOfConnection): fail(error, isOfConnection: isOfConnection)
        case .failAsLost: return state.fail(reasonOfLoss)
        case .failAsUndecodable(let error): return state.fail(describe(error))
        case .expire(let atServersLimit):
            if owner?.mayExpire(atServersLimit) == false { return state.stay(at: .now(), limit: idleLimit) }
            state.close()
            context?.close(promise: nil)
        case .close: closeChannel()
        }
        return state.next()
    }

    private func complete(_ answer: ReceivedResponse) -> ConnectionState.Action {
        let isActive = context?.channel.isActive == true
        // A server that announces its idle limit does so in its first answer.
        if !state.isProven, let field = answer.head.headers.first(name: "keep-alive") {
            owner?.idleLimit.announce(field)
        }
        var answer = state.finish(answer, isActive: isActive, hasSurplus: hasSurplus)
        answer.headArrival = headArrival
        let (leg, demand) = (self.leg, self.demand)
        (self.leg, self.demand) = (nil, nil)
        // An answered stream may still have content to send for which the server leaves no room (RFC 9113 §8.1).
        if !answer.isReusable || stream != nil {
            if hasSurplus, state.firstError == nil { state.note(describe(SurplusBytes())) }
            closeChannel()
        }
        if let stream, let leg {
            cancelTimer()
            // Other streams can carry other exchanges.
            answer.isReusable = true
            stream.ended(leg, false)
        }
        leg?.end(.success(answer))
        demand?.succeed(nil)
        return answer.isReusable && stream == nil ? state.rest(at: .now(), limit: idleLimit) : state.next()
    }

    /// - Parameter isOfConnection: false when the caller gave up; its error may look like one of the connection.
    private func fail(_ error: any Error, isOfConnection: Bool) {
        let (leg, demand) = (self.leg, self.demand)
        (self.leg, self.demand) = (nil, nil)
        if let stream, let leg {
            cancelTimer()
            let code = (error as? TransportError)?.code
            stream.ended(leg, code == .readTimeout || code == .deadlineExceeded)
        }
        let unanswered = isOfConnection && arrival?.hasBytes == false ? UnansweredRequest(error) : nil
        leg?.end(.failure(unanswered ?? error))
        // The failed leg reports the reason.
        demand?.fail(UnwantedContent())
        closeChannel()
    }

    /// Closing a stream sends RST_STREAM if the stream is open. When the connection's handlers have only begun to
    /// process the frame that closes it, they do not know that yet, so a stream is closed after they have.
    private func closeChannel() {
        guard let context, stream != nil else {
            self.context?.close(promise: nil)
            return
        }
        let channel = context.channel
        context.eventLoop.execute { channel.close(promise: nil) }
    }

    private func startTimer(_ date: NIODeadline) {
        timer?.cancel()
        timer = context?.eventLoop.assumeIsolated().scheduleTask(deadline: date) {
            self.timer = nil
            self.perform(self.state.timerFired(at: .now()))
        }
    }

    private func cancelTimer() {
        state.timerCancelled()
        timer?.cancel()
        timer = nil
    }

    // MARK: Errors

    private func describe(_ error: any Error) -> any Error {
        let progress = state.progress(hasAnswer: arrival?.hasBytes == true)
        return ConnectionFailure.describe(error, host: host, tls: tls, progress: progress)
    }

    /// The error that the pipeline reported before the channel closed, or the close itself.
    private var reasonOfLoss: any Error {
        let progress = state.progress(hasAnswer: arrival?.hasBytes == true)
        return state.firstError ?? ConnectionFailure.closedEarly(by: host, tls: tls, progress: progress)
    }
}

extension HTTPResponseHead {
    /// Whether another head follows for the same request (RFC 9110 §15.2).
    fileprivate var isInterim: Bool { (100..<200).contains(status.code) && status != .switchingProtocols }
}
