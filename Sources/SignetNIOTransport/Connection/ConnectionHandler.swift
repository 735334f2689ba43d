import Logging
import NIOCore
import NIOHTTP1
import NIOTLS
import SignetAuthentication
import SignetHTTP
import SignetNIOTLS

/// Carries one exchange after the other over a channel; everything happens on its event loop.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private struct Exchange {
        let leg: Leg
        let readDeadline: TimeAmount
        let idleDeadline: TimeAmount
        var isWritten = false
        /// Whether the end of streamed content is on its way.
        var hasEnded = false
        /// Whether the answer may be compressed only as the transport itself asked for.
        let isCodingOurs: Bool
        /// The head of an answer that is compressed.
        var coded: HTTPResponseHead?
        /// The coding of content that cannot be read.
        var unknownCoding: String?
        var decoder: ContentDecoder?
        /// What waits for a judgement, or for whoever takes the content.
        var held: HeldContent?
        /// Of whoever takes the content: waits for more.
        var demand: EventLoopPromise<[UInt8]?>?
        /// What it gets next.
        var piece: [UInt8] = []
    }

    /// Whoever takes content gets this much at a time, if so much has come.
    private static let pieceSize = 64 << 10

    let tls: ClientTLS?
    private let host: String
    private let arrival: ArrivalObserver
    /// Whether what comes compressed is made what it was.
    private let acceptsCompression: Bool
    /// Asked before an idle connection closes itself, and told when it has closed.
    var owner: Connector.Owner?
    /// What speaks HTTP on the channel, this handler included.
    var codec: [any RemovableChannelHandler] = []
    /// Called once, when the connection can be used or never will.
    var ready: ((Result<Void, any Error>) -> Void)?

    private var state = ExchangeState.idle
    private var exchange: Exchange?
    private var context: ChannelHandlerContext?
    /// What the pipeline said before the channel closed.
    private var firstError: (any Error)?
    private var isSecured = false
    /// Whether an answer has come over this connection.
    private var isProven = false
    /// Whether the connection has been idle, when a server may close it at any moment.
    private var wasIdle = false
    /// Whether nothing is read before somebody has taken what has come.
    private var holdsReading = false
    /// Whether the channel was lost behind an answer that is not taken to its end yet.
    private var isLost = false

    /// The moment at which the silence becomes too long, and the timer, which may be set to an earlier one: most deadlines
    /// are never reached, so that moving a date is all that an exchange costs.
    private var silenceEnds = NIODeadline.distantFuture
    private var idleDeadline = TimeAmount.zero
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter arrival: Stands before the HTTP decoder.
    init(tls: ClientTLS?, host: String, arrival: ArrivalObserver, acceptsCompression: Bool) {
        self.tls = tls
        self.host = host
        self.arrival = arrival
        self.acceptsCompression = acceptsCompression
    }

    var isUsable: Bool {
        state.isIdle && context?.channel.isActive == true && firstError == nil && !arrival.hasSurplus
    }

    // MARK: From the transport

    func start(_ request: OutgoingRequest, _ leg: Leg) {
        guard !leg.isCancelled else {
            rest(for: request.idleDeadline)
            return leg.end(.failure(UntouchedConnection()))
        }
        guard let context, isUsable, state.begin(request.terms(isJudged: leg.isJudged)) else {
            // A new connection that fell before its first request fell for a reason, and so would the next.
            return leg.end(.failure(wasIdle ? StaleConnection() : firstError ?? closedEarly))
        }
        arrival.begin()
        var exchange = Exchange(
            leg: leg, readDeadline: request.readDeadline, idleDeadline: request.idleDeadline,
            isCodingOurs: request.isCodingOurs)
        if request.stream != nil {
            self.exchange = exchange
            return startStream(request, leg, context)
        }
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        // The silence begins when the request is out; of a small one that is now.
        let isSmall = request.body.readableBytes < 32 << 10
        exchange.isWritten = isSmall
        self.exchange = exchange
        if request.body.readableBytes > 0 {
            context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
        }
        if isSmall {
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        } else {
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenSuccess { self.wrote(leg) }
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
        }
        silenceEnds = isSmall ? .now() + request.readDeadline : .distantFuture
        arm()
    }

    /// Sends the head alone, and has the content written when the server wants it.
    private func startStream(_ request: OutgoingRequest, _ leg: Leg, _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.head(request.head)), promise: nil)
        silenceEnds = .distantFuture
        arm()
        if request.expectsContinue {
            // Many servers never say that they go on (RFC 9110 §10.1.1).
            context.eventLoop.scheduleTask(in: Self.patience) { leg.takeContent() }
        } else {
            leg.takeContent()
        }
    }

    /// How long a server has to say that it wants the content.
    private static let patience = TimeAmount.seconds(1)

    /// Writes some content, or its end; done when it is out.
    func write(
        _ part: HTTPClientRequestPart, of leg: Leg, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        guard exchange?.leg === leg, exchange?.hasEnded == false, let context, context.channel.isActive else {
            return loop.makeFailedFuture(UnwantedContent())
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        context.writeAndFlush(wrapOutboundOut(part), promise: written)
        if case .end = part {
            exchange?.hasEnded = true
            written.futureResult.assumeIsolated().whenSuccess { self.wrote(leg) }
        }
        // The connection's own end says what has happened to it.
        return written.futureResult.flatMapErrorThrowing { _ in throw UnwantedContent() }
    }

    private func wrote(_ leg: Leg) {
        guard exchange?.leg === leg, let silence = exchange?.readDeadline else { return }
        exchange?.isWritten = true
        guard exchange?.held == nil || exchange?.demand != nil else { return }
        silenceEnds = .now() + silence
        arm()
    }

    // MARK: Content that is taken while it arrives

    /// Keeps the content in memory of an answer that was judged.
    func collect(_ leg: Leg) {
        guard exchange?.leg === leg, var held = exchange?.held else { return }
        exchange?.held = nil
        silenceEnds = exchange?.isWritten == true ? .now() + (exchange?.readDeadline ?? .zero) : .distantFuture
        arm()
        act(on: state.collect())
        while exchange?.leg === leg || isUsable, let part = held.next(atMost: .max) { process(part) }
        if exchange?.leg === leg, isLost { fail(firstError ?? closedEarly) }
        resumeReading()
    }

    /// Some more of the content of an answer that was judged; nil behind its end.
    func demand(_ leg: Leg, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?> {
        guard exchange?.leg === leg, exchange?.demand == nil else { return loop.makeFailedFuture(UnwantedContent()) }
        let demand = loop.makePromise(of: [UInt8]?.self)
        exchange?.demand = demand
        if !state.isStreaming { act(on: state.stream()) }
        if exchange?.leg === leg, exchange?.isWritten == true {
            silenceEnds = .now() + (exchange?.readDeadline ?? .zero)
            arm()
        }
        serve()
        return demand.futureResult
    }

    /// Gives to whoever takes the content what has come of it.
    private func serve() {
        let step = acceptsCompression && exchange?.coded != nil ? ContentDecoder.step : .max
        while exchange?.demand != nil, exchange?.piece.count ?? 0 < Self.pieceSize {
            if exchange?.held?.isAtEnd == true, exchange?.piece.isEmpty == false { break }
            guard let part = exchange?.held?.next(atMost: step) else { break }
            process(part)
        }
        if let demand = exchange?.demand, let piece = exchange?.piece, !piece.isEmpty {
            exchange?.demand = nil
            exchange?.piece = []
            // How long it takes is not the peer's matter.
            silenceEnds = .distantFuture
            demand.succeed(piece)
        }
        resumeReading()
    }

    func read(context: ChannelHandlerContext) {
        if exchange?.held?.isFull == true { holdsReading = true } else { context.read() }
    }

    private func resumeReading() {
        guard holdsReading, exchange?.held?.isFull != true else { return }
        holdsReading = false
        context?.read()
    }

    // MARK: Endings from the transport

    /// Ends an exchange before its answer is there; the connection cannot be used afterwards.
    func abandon(_ leg: Leg, _ error: any Error) {
        guard exchange?.leg === leg else { return }
        fail(error, isOfConnection: false)
    }

    /// Ends everything.
    func close(_ error: TransportError) {
        fail(error)
    }

    /// Takes HTTP off the channel, which a proxy has turned into a tunnel.
    func leave(on loop: any EventLoop) -> EventLoopFuture<Void> {
        guard let context, isUsable else { return loop.makeFailedFuture(firstError ?? closedEarly) }
        state.close()
        timer?.task.cancel()
        timer = nil
        let pipeline = context.pipeline.syncOperations
        let removals = codec.map { pipeline.removeHandler($0) }
        codec = []
        return EventLoopFuture.andAllSucceed(removals, on: context.eventLoop)
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
            isSecured = true
            becomeReady(.success(()))
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Tells when the connection stands. Without TLS a connected channel is all that is needed.
    func whenReady(_ ready: @escaping (Result<Void, any Error>) -> Void) {
        if let firstError {
            ready(.failure(firstError))
        } else if context?.channel.isActive != true {
            ready(.failure(closedEarly))
        } else if tls == nil || isSecured {
            ready(.success(()))
        } else {
            self.ready = ready
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if let exchange, exchange.isWritten, exchange.held == nil || exchange.demand != nil {
            silenceEnds = .now() + exchange.readDeadline
        }
        switch part {
        case .head(let head) where head.status == .continue:
            // Interim answers count as undecoded, so that there is an end to them.
            exchange?.leg.takeContent()
            return
        case .head(let head):
            if let refusal = ConnectionFailure.refusal(of: head, host: host) { return fail(refusal) }
        case .end: arrival.end()
        case .body: break
        }
        arrival.decoded()
        if exchange?.held == nil { return process(part) }
        exchange?.held?.append(part)
        // What has come besides in one reading goes with it.
        if exchange?.held?.hasEnd == true || exchange?.held?.isFull == true { serve() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if exchange?.held != nil { serve() }
        context.fireChannelReadComplete()
    }

    /// Makes content what it was before it was compressed, if that is to be done, and goes on with it.
    private func process(_ part: HTTPClientResponsePart) {
        guard acceptsCompression, let leg = exchange?.leg else { return act(on: state.received(part)) }
        do {
            switch part {
            case .head(let head):
                switch ContentCoding(head) {
                case .identity: break
                case .read: exchange?.coded = head
                case .unknown(let name): if exchange?.isCodingOurs == true { exchange?.unknownCoding = name }
                }
            case .body(var bytes):
                if let name = exchange?.unknownCoding { return fail(unreadable(coding: name)) }
                // No content at all is none that was compressed: the answer to a HEAD, or one that says more of itself than it has.
                guard let coded = exchange?.coded else { break }
                let decoder = try exchange?.decoder ?? ContentDecoder(coded)
                exchange?.decoder = decoder
                while let step = bytes.readSlice(length: min(bytes.readableBytes, ContentDecoder.step)),
                    step.readableBytes > 0
                {
                    for piece in try decoder.decode(step) where exchange?.leg === leg {
                        act(on: state.received(.body(piece)))
                    }
                    guard exchange?.leg === leg else { return }
                }
                return
            case .end:
                guard let decoder = exchange?.decoder else { break }
                for piece in try decoder.finish() where exchange?.leg === leg {
                    act(on: state.received(.body(piece)))
                }
                guard exchange?.leg === leg else { return }
                if exchange?.piece.isEmpty == false {
                    exchange?.held?.putBack(part)
                    return
                }
            }
            act(on: state.received(part))
        } catch {
            fail(describe(error))
        }
    }

    private func unreadable(coding name: String) -> TransportError {
        .init(
            .malformedResponse,
            "\(host) coded its answer as “\(name.printable)” (Content-Encoding), which was not asked for. gzip and deflate are read.",
            mayHaveBeenProcessed: true)
    }

    private func act(on action: ExchangeState.Action) {
        switch action {
        case .nothing: break
        case .judge(let head):
            guard exchange?.leg.judge(head) == true else { return act(on: state.collect()) }
            exchange?.held = HeldContent()
            silenceEnds = .distantFuture
        case .hand(let bytes): exchange?.piece.append(contentsOf: bytes.readableBytesView)
        case .complete(let answer): complete(answer)
        case .fail(let error): fail(error)
        case .close: context?.close(promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let failure = describe(error)
        if firstError == nil { firstError = failure }
        lose(failure)
    }

    private var progress: ConnectionFailure.Progress {
        .init(isSecured: isSecured, isProven: isProven, hasRequest: exchange != nil, hasAnswer: arrival.hasBytes)
    }

    private func describe(_ error: any Error) -> any Error {
        ConnectionFailure.describe(error, host: host, tls: tls, progress: progress)
    }

    /// The channel is of no use any more. An answer that has come to its end can be taken all the same.
    private func lose(_ error: any Error) {
        guard exchange?.held?.hasEnd == true else { return fail(error) }
        isLost = true
        context?.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        lose(firstError ?? closedEarly)
        timer?.task.cancel()
        timer = nil
        owner?.closed()
        owner = nil
        context.fireChannelInactive()
    }

    // MARK: Endings

    private var closedEarly: TransportError {
        let hint =
            tls?.outcome.clientCertificateRequested == true && tls?.sentCertificate == nil
            ? " It had asked for a client certificate and got none."
            : arrival.hasBytes ? "" : ConnectionFailure.hint(isPlain: tls == nil, progress)
        return .init(
            .connectionClosed, "\(host) closed the connection before the answer was complete.\(hint)",
            mayHaveBeenProcessed: exchange != nil)
    }

    private func complete(_ answer: Answer) {
        guard let finished = exchange else { return }
        var answer = answer
        // No content behind the end may come to be an answer nobody has asked for.
        let isAtEnd = finished.held?.isEmpty ?? true
        answer.isDecoded = finished.decoder != nil
        exchange = nil
        isProven = true
        // An answer before the request was written out leaves a rest of it on the wire.
        let isReusable =
            answer.isReusable && finished.isWritten && isAtEnd && !isLost && !arrival.hasSurplus
            && context?.channel.isActive == true
        if isReusable {
            rest(for: finished.idleDeadline)
        } else {
            if arrival.hasSurplus, firstError == nil { firstError = describe(SurplusBytes()) }
            state.close()
            context?.close(promise: nil)
        }
        answer.isReusable = isReusable
        finished.leg.end(.success(answer))
        finished.demand?.succeed(nil)
    }

    /// Keeps the connection for other calls, but not for ever.
    func rest(for idle: TimeAmount) {
        wasIdle = true
        idleDeadline = idle
        silenceEnds = .now() + idle
        arm()
    }

    /// - Parameter isOfConnection: false where somebody gave up, whose error may look like that of a connection.
    private func fail(_ error: any Error, isOfConnection: Bool = true) {
        state.close()
        becomeReady(.failure(error))
        if let failed = exchange {
            exchange = nil
            if isOfConnection, let lost = error as? TransportError, lost.code == .connectionClosed, !arrival.hasBytes {
                failed.leg.end(.failure(UnansweredRequest(failure: lost)))
            } else {
                failed.leg.end(.failure(error))
            }
            // Its leg tells why.
            failed.demand?.fail(UnwantedContent())
        }
        context?.close(promise: nil)
    }

    private func becomeReady(_ result: Result<Void, any Error>) {
        let ready = self.ready
        self.ready = nil
        ready?(result)
    }

    // MARK: Time

    private var nextDeadline: NIODeadline { min(silenceEnds, exchange?.leg.deadline.total ?? .distantFuture) }

    private func arm() {
        let next = nextDeadline
        if let timer, timer.at <= next { return }
        timer?.task.cancel()
        guard next < .distantFuture, let context else {
            timer = nil
            return
        }
        timer = (context.eventLoop.assumeIsolated().scheduleTask(deadline: next) { self.timerFired() }, next)
    }

    private func timerFired() {
        timer = nil
        let now = NIODeadline.now()
        guard nextDeadline <= now, !state.isClosed else { return arm() }
        guard let exchange else {
            // The pool keeps a connection that it has just lent, or that is on its way back: look again later.
            if state.isIdle, owner?.mayExpire() == false {
                silenceEnds = now + max(idleDeadline, .milliseconds(10))
                arm()
            } else {
                context?.close(promise: nil)
            }
            return
        }
        if exchange.leg.deadline.hasPassed {
            fail(exchange.leg.deadline.exceeded(while: "waiting for the answer of \(host)", mayHaveBeenProcessed: true))
        } else {
            fail(
                TransportError(
                    .readTimeout,
                    "\(host) sent nothing for \(exchange.readDeadline.nanoseconds / 1_000_000) milliseconds.",
                    mayHaveBeenProcessed: true))
        }
    }
}

/// The exchange is over before its content was written, or taken.
struct UnwantedContent: Error {}

/// The call was cancelled before anything of the request was written: others can use the connection.
struct UntouchedConnection: Error {}

/// The connection was lost after the request was written and before anything of an answer came.
struct UnansweredRequest: Error { let failure: TransportError }

/// The connection had been closed before anything of the request was written: it can be sent on another.
struct StaleConnection: Error {}
