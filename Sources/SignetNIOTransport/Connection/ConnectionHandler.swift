import NIOCore
import NIOHTTP1
import NIOTLS
import SignetHTTP
import SignetNIOTLS

/// Carries one exchange after the other over a channel; everything happens on its event loop.
///
/// ``ConnectionState`` decides: this handler tells it what happened and carries out its actions.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    let tls: ClientTLS?
    private let host: String
    private let arrival: ArrivalObserver
    /// Asked before an idle connection closes itself, and told when it has closed.
    var owner: Connector.Owner?
    /// What speaks HTTP on the channel, this handler included.
    var codec: [any RemovableChannelHandler] = []
    /// Called once, when the connection can be used or never will.
    var ready: ((Result<Void, any Error>) -> Void)?

    private var state: ConnectionState
    /// The request that goes on, and the caller who waits for its answer.
    private var leg: Leg?
    /// The caller who takes the content of the answer waits for more of it.
    private var demand: EventLoopPromise<[UInt8]?>?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    /// - Parameters:
    ///   - arrival: stands before the HTTP decoder.
    ///   - acceptsCompression: whether the caller gets content that comes compressed as it was before.
    init(tls: ClientTLS?, host: String, arrival: ArrivalObserver, acceptsCompression: Bool) {
        self.tls = tls
        self.host = host
        self.arrival = arrival
        state = ConnectionState(host: host, acceptsCompression: acceptsCompression)
    }

    var isUsable: Bool { state.isIdle && context?.channel.isActive == true && !arrival.hasSurplus }

    // MARK: From the transport

    func start(_ request: OutgoingRequest, _ leg: Leg) {
        guard !leg.isCancelled else {
            rest(for: request.idleDeadline)
            return leg.end(.failure(UntouchedConnection()))
        }
        guard let context, isUsable,
            let sending = state.start(request, deadline: leg.deadline, isJudged: leg.isJudged)
        else {
            // A new connection that fell before its first request fell for a reason, and so would the next.
            return leg.end(.failure(state.wasIdle ? StaleConnection() : reasonOfLoss))
        }
        arrival.begin()
        self.leg = leg
        switch sending {
        case .whole(let isReported): send(request, of: leg, isReported: isReported, context)
        case .head: context.writeAndFlush(wrapOutboundOut(.head(request.head)), promise: nil)
        }
        perform(state.sent(at: .now()))
        guard case .head(let waitsForServer) = sending else { return }
        if waitsForServer {
            // Many servers never say that they go on (RFC 9110 §10.1.1).
            context.eventLoop.scheduleTask(in: ConnectionState.patience) { leg.takeContent() }
        } else {
            leg.takeContent()
        }
    }

    /// - Parameter isReported: whether ``state`` is told when the request is out.
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

    /// Writes some content, or its end; done when it is out.
    func write(_ part: HTTPClientRequestPart, of leg: Leg, on loop: any EventLoop) -> EventLoopFuture<Void> {
        let isEnd = if case .end = part { true } else { false }
        guard self.leg === leg, let context, context.channel.isActive, state.mayWrite(isEnd: isEnd) else {
            return loop.makeFailedFuture(UnwantedContent())
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(part), promise: written)
        if isEnd { written.futureResult.assumeIsolated().whenSuccess { self.wrote(leg) } }
        // The connection's own end says what has happened to it.
        return written.futureResult.flatMapErrorThrowing { _ in throw UnwantedContent() }
    }

    private func wrote(_ leg: Leg) {
        guard self.leg === leg else { return }
        perform(state.wrote(at: .now()))
    }

    /// Keeps the content in memory of an answer that was judged.
    func collect(_ leg: Leg) {
        guard self.leg === leg else { return }
        perform(state.collect(at: .now()))
    }

    /// Some more of the content of an answer that was judged; nil behind its end.
    func demand(_ leg: Leg, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        guard self.leg === leg, demand == nil else { return loop.makeFailedFuture(UnwantedContent()) }
        let demand = loop.makePromise(of: [UInt8]?.self)
        self.demand = demand
        perform(state.demand(at: .now()))
        return demand.futureResult
    }

    /// Keeps the connection for other calls, but not for ever.
    func rest(for idle: TimeAmount) { perform(state.rest(for: idle, at: .now(), limit: idleLimit)) }

    private var idleLimit: TimeAmount? { owner?.idleLimit.usable(at: .now()) }

    /// Ends an exchange before its answer is there; the connection cannot be used afterwards.
    func abandon(_ leg: Leg, _ error: any Error) {
        guard self.leg === leg else { return }
        perform(state.fail(error, isOfConnection: false))
    }

    /// Ends everything.
    func close(_ error: TransportError) { perform(state.fail(error)) }

    /// Takes HTTP off the channel, which a proxy has turned into a tunnel.
    func leave(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard let context, isUsable else { return loop.makeFailedFuture(reasonOfLoss) }
        state.close()
        cancelTimer()
        let pipeline = context.pipeline.syncOperations
        let removals = codec.map { pipeline.removeHandler($0) }
        codec = []
        return EventLoopFuture.andAllSucceed(removals, on: context.eventLoop)
    }

    /// Tells when the connection stands. Without TLS a connected channel is all that is needed.
    func whenReady(_ ready: @escaping (Result<Void, any Error>) -> Void) {
        if let error = state.firstError {
            ready(.failure(error))
        } else if context?.channel.isActive != true {
            ready(.failure(reasonOfLoss))
        } else if tls == nil || state.isSecured {
            ready(.success(()))
        } else {
            self.ready = ready
        }
    }

    // MARK: From the channel

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        ready = nil
        owner = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent {
            state.isSecured = true
            becomeReady(.success(()))
        }
        context.fireUserInboundEventTriggered(event)
    }

    func read(context: ChannelHandlerContext) {
        if state.mayRead() { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        switch part {
        case .head(let head) where head.isInterim:
            // It would be taken for the head of the answer. It counts as undecoded, so that there is an end to such heads.
            if head.status == .continue { perform(state.received(part, at: .now())) }
            return
        case .end: arrival.end()
        case .head, .body: break
        }
        arrival.decoded()
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

    /// The peer may be ending a connection that no call uses, which shows how long it keeps one.
    private func noteIdleEnd() {
        let now = NIODeadline.now()
        if let idle = state.idleTime(at: now) { owner?.idleLimit.closed(after: idle, at: now) }
    }

    // MARK: Actions

    private func perform(_ first: ConnectionState.Action) {
        var following: ConnectionState.Action? = first
        while let action = following { following = carryOut(action) }
    }

    /// - Returns: the action that follows.
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
        case .close: context?.close(promise: nil)
        }
        return state.next()
    }

    private func complete(_ answer: Answer) -> ConnectionState.Action {
        let isActive = context?.channel.isActive == true
        // A server that says how long it keeps connections says so with the first answer.
        if !state.isProven, let field = answer.head.headers.first(name: "keep-alive") {
            owner?.idleLimit.announce(field)
        }
        let answer = state.finish(answer, isActive: isActive, hasSurplus: arrival.hasSurplus)
        let (leg, demand) = (self.leg, self.demand)
        (self.leg, self.demand) = (nil, nil)
        if !answer.isReusable {
            if arrival.hasSurplus, state.firstError == nil { state.note(describe(SurplusBytes())) }
            context?.close(promise: nil)
        }
        leg?.end(.success(answer))
        demand?.succeed(nil)
        return answer.isReusable ? state.rest(at: .now(), limit: idleLimit) : state.next()
    }

    /// - Parameter isOfConnection: false where the caller gave up, whose error may look like that of a connection.
    private func fail(_ error: any Error, isOfConnection: Bool) {
        becomeReady(.failure(error))
        let (leg, demand) = (self.leg, self.demand)
        (self.leg, self.demand) = (nil, nil)
        let unanswered = isOfConnection && !arrival.hasBytes ? UnansweredRequest(error) : nil
        leg?.end(.failure(unanswered ?? error))
        // Its leg tells why.
        demand?.fail(UnwantedContent())
        context?.close(promise: nil)
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

    private func cancelTimer() {
        state.timerCancelled()
        timer?.cancel()
        timer = nil
    }

    // MARK: Errors

    private func describe(_ error: any Error) -> any Error {
        let progress = state.progress(hasAnswer: arrival.hasBytes)
        return ConnectionFailure.describe(error, host: host, tls: tls, progress: progress)
    }

    /// What the pipeline said before the channel closed, or that it closed.
    private var reasonOfLoss: any Error {
        let progress = state.progress(hasAnswer: arrival.hasBytes)
        return state.firstError ?? ConnectionFailure.closedEarly(by: host, tls: tls, progress: progress)
    }
}

extension HTTPResponseHead {
    /// Whether another head follows for the same request (RFC 9110 §15.2).
    fileprivate var isInterim: Bool { (100..<200).contains(status.code) && status != .switchingProtocols }
}
