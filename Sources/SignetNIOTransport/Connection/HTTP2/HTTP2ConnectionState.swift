import NIOCore

/// The state of a connection that carries many exchanges at once, each over a stream of its own (RFC 9113); a value
/// without I/O.
///
/// A handler reports events to it and carries out the returned actions in order. The time is a parameter.
///
/// The state has a queue for exchanges that may not begin yet. NIO has one too, but it sends the request of a stream
/// that was closed while it waited there, and tells no waiting stream of a GOAWAY.
struct HTTP2ConnectionState {
    /// An exchange. The handler keeps the ``Leg`` as long as it reports events of it.
    typealias LegID = ObjectIdentifier

    /// The parts of a received frame that affect the state.
    enum Frame: Sendable {
        /// Not an acknowledgement.
        ///
        /// - Parameter maximumStreams: the last SETTINGS_MAX_CONCURRENT_STREAMS in the frame; nil when the frame has no such setting.
        case settings(maximumStreams: Int?)
        /// Fields or content.
        ///
        /// - Parameter isInterim: whether it is an interim head (RFC 9110 §15.2).
        case answer(stream: Int, isInterim: Bool, isEnd: Bool)
        case reset(stream: Int, HTTP2Code)
        /// - Parameter last: the last stream that the server processes.
        case goAway(last: Int, HTTP2Code)
        case other
    }

    enum Action: Sendable {
        /// The connection can be used, by so many calls at once.
        case ready(capacity: Int)
        /// So many calls can use the connection from now on.
        case resize(capacity: Int)
        /// Create a stream's channel. When it exists, ask ``mayStart(_:)``.
        case open(LegID)
        /// End the exchange, and its stream if there is one. Call ``ended(_:isLate:at:limit:)`` before the next action.
        case end(LegID, StreamEnd)
        /// Lend the connection to no further call. It comes before calls are told to use another connection.
        case retire
        /// Use HTTP/1.1 with this server from now on. It comes before calls are told to try again.
        case fallBack
        /// Start a timer for this moment, in place of the running one; then call ``timerFired(at:)``.
        case startTimer(NIODeadline)
        /// The connection has been idle for long: call ``fail(_:)``, or ``stay(at:limit:)`` if the pool still needs it.
        ///
        /// - Parameter atServersLimit: whether the server would soon close it.
        case expire(atServersLimit: Bool)
        /// Close the channel.
        case close
    }

    private enum Phase {
        /// The server's SETTINGS have not arrived: its limits are not known.
        case settling
        case open
        /// No exchange begins any more; those that have begun go on.
        case draining
        case closed
    }

    private struct Exchange {
        /// Grows with every exchange.
        let number: Int
        let deadline: CallDeadline
        let readDeadline: TimeAmount
        /// Since when the server could answer, as far as that is known.
        var since: NIODeadline
        var isWaiting = true
        /// Whether the handler writes its request, of which bytes may be on the way before the stream has its number.
        var hasBegun = false
        /// Its stream; nil until the request's head has been written.
        var stream: Int?
        /// Whether a head, or an interim head, has arrived.
        var hasHead = false
        /// Whether the whole answer has arrived. The caller can take it, whatever happens to the stream.
        var hasEnd = false
    }

    /// The last stream of a connection. The numbers of streams end at 2³¹ − 1 (RFC 9113 §5.1.1), and NIO does not
    /// check that.
    static let lastStream = 2_000_000_000

    private let maximumCalls: Int
    private var phase = Phase.settling
    /// How many streams the server allows at once. 100 is what servers should allow (RFC 9113 §6.5.2).
    private var limit = 100
    private var isWritable = true
    private var exchanges: [LegID: Exchange] = [:]
    private var lastNumber = 0
    /// The exchanges that wait for a stream, in order.
    private var queue: [LegID] = []
    /// How many exchanges have a stream, or will have one on the next tick.
    private var running = 0
    /// The exchanges that have a stream.
    private var legs: [Int: LegID] = [:]
    private var hadStreams = false
    /// Why the server ends the connection.
    private var goAway: HTTP2Code?
    private var lastReceived = NIODeadline.uptimeNanoseconds(0)
    private var idle: IdleTime
    private var timer = RunningTimer()
    /// The first error of the pipeline.
    private(set) var firstError: (any Error)?
    /// Whether the head of an answer has come over this connection: the server has accepted the client.
    private(set) var isProven = false

    /// - Parameters:
    ///   - maximumCalls: how many calls may use the connection at once, if the server allows more.
    ///   - idleTimeout: for how long the client keeps the connection when no call uses it.
    init(maximumCalls: Int, idleTimeout: TimeAmount) {
        self.maximumCalls = maximumCalls
        idle = IdleTime(timeout: idleTimeout)
    }

    // MARK: Exchanges

    /// Begins an exchange, now or when a stream is free.
    mutating func begin(
        _ leg: LegID, _ request: OutgoingRequest, deadline: CallDeadline, at now: NIODeadline
    ) -> [Action] {
        guard beginsExchanges else { return [.end(leg, unsentEnd)] }
        idle.end()
        lastNumber += 1
        exchanges[leg] = Exchange(
            number: lastNumber, deadline: deadline, readDeadline: request.readDeadline,
            since: now)
        queue.append(leg)
        let opening = openWaiting()
        return opening.isEmpty ? arm() : opening
    }

    /// Whether the exchange still wants the stream whose channel now exists. If so, write the request; if not, close the
    /// channel.
    mutating func mayStart(_ leg: LegID) -> Bool {
        exchanges[leg]?.hasBegun = true
        return exchanges[leg] != nil
    }

    /// The head of the request has been written.
    mutating func created(_ leg: LegID, stream: Int, at now: NIODeadline) -> [Action] {
        hadStreams = true
        if exchanges[leg] != nil { legs[stream] = leg }
        exchanges[leg]?.stream = stream
        exchanges[leg]?.since = now
        return stream >= Self.lastStream ? retire(ending: .stale) : []
    }

    /// The exchange has ended, in whatever way.
    ///
    /// - Parameters:
    ///   - isLate: whether a deadline passed.
    ///   - limit: how long the server keeps idle connections, if that is known.
    mutating func ended(
        _ leg: LegID, isLate: Bool = false, at now: NIODeadline, limit: TimeAmount?
    ) -> [Action] {
        guard let exchange = exchanges.removeValue(forKey: leg) else { return [] }
        if let stream = exchange.stream { legs[stream] = nil }
        if exchange.isWaiting { queue.removeAll { $0 == leg } } else { running -= 1 }
        // When nothing at all arrived for so long, the connection is lost, although no side has noticed it.
        let isLost = isLate && lastReceived <= max(exchange.since, now - exchange.readDeadline)
        let retiring = isLost ? retire(ending: .stale) : []
        guard exchanges.isEmpty else { return retiring + openWaiting() }
        if phase == .draining {
            phase = .closed
            return retiring + [.close]
        }
        return retiring + rest(at: now, limit: limit)
    }

    private var beginsExchanges: Bool { phase == .settling || phase == .open }

    /// How an exchange ends of which nothing was sent.
    private var unsentEnd: StreamEnd {
        // A new connection that broke before its first request had a reason to break, and a further one would break
        // too.
        if hadStreams || idle.hasBegun { return .stale }
        if let goAway { return StreamEnd(goAway, of: .connection, hasHead: false) }
        return .lost(.init(isSecured: true))
    }

    private mutating func openWaiting() -> [Action] {
        guard phase == .open, isWritable, running < limit, !queue.isEmpty else { return [] }
        let next = queue.prefix(limit - running)
        queue.removeFirst(next.count)
        running += next.count
        for leg in next { exchanges[leg]?.isWaiting = false }
        return next.map(Action.open)
    }

    /// Begins no further exchange.
    ///
    /// - Parameter end: how those end that wait.
    private mutating func retire(ending end: StreamEnd) -> [Action] {
        guard beginsExchanges else { return [] }
        phase = .draining
        return [.retire] + queue.map { .end($0, end) }
    }

    private var exchangesInOrder: [(leg: LegID, exchange: Exchange)] {
        exchanges.map { (leg: $0.key, exchange: $0.value) }.sorted { $0.exchange.number < $1.exchange.number }
    }

    // MARK: The channel

    /// A frame has arrived, which NIO has found correct.
    mutating func received(_ frame: Frame, at now: NIODeadline) -> [Action] {
        lastReceived = now
        switch frame {
        case .settings(let maximum): return settings(maximum)
        case .answer(let stream, let isInterim, let isEnd):
            isProven = isProven || !isInterim
            if let leg = legs[stream] {
                exchanges[leg]?.hasHead = true
                exchanges[leg]?.hasEnd = isEnd
            }
            return []
        case .reset(let stream, let code): return reset(stream, code)
        case .goAway(let last, let code): return goAway(last: last, code)
        case .other: return []
        }
    }

    private mutating func settings(_ maximum: Int?) -> [Action] {
        let before = capacity
        limit = maximum ?? limit
        switch phase {
        case .settling:
            phase = .open
            return [.ready(capacity: capacity)] + openWaiting()
        case .open: return (capacity == before ? [] : [.resize(capacity: capacity)]) + openWaiting()
        case .draining, .closed: return []
        }
    }

    private var capacity: Int { min(limit, maximumCalls) }

    private func reset(_ stream: Int, _ code: HTTP2Code) -> [Action] {
        let fallingBack: [Action] = code.asksForHTTP1 ? [.fallBack] : []
        // A server may answer without having read the whole request, and then stop its content (RFC 9113 §8.1).
        guard let leg = legs[stream], let exchange = exchanges[leg], !exchange.hasEnd else { return fallingBack }
        return fallingBack + [.end(leg, StreamEnd(code, of: .stream, hasHead: exchange.hasHead))]
    }

    /// A server may send it twice: first for all streams, then with the last one that it has processed (RFC 9113 §6.8).
    private mutating func goAway(last: Int, _ code: HTTP2Code) -> [Action] {
        goAway = code
        var actions: [Action] = code.asksForHTTP1 ? [.fallBack] : []
        actions += retire(ending: StreamEnd(code, of: .connection, hasHead: false))
        for (leg, exchange) in exchangesInOrder
        where !exchange.isWaiting && !exchange.hasEnd && (exchange.stream ?? .max) > last {
            actions.append(.end(leg, StreamEnd(code, of: .connection, hasHead: exchange.hasHead)))
        }
        if exchanges.isEmpty, phase != .closed {
            phase = .closed
            actions.append(.close)
        }
        return actions
    }

    /// A stream is closed.
    ///
    /// - Parameter code: nil when both sides have ended it. Otherwise, if the exchange goes on, the client's own side
    ///   has reset the stream.
    func closed(stream: Int, code: HTTP2Code?) -> [Action] {
        guard let code, let leg = legs[stream], exchanges[leg]?.hasEnd == false else { return [] }
        return [.end(leg, .malformed(code))]
    }

    /// The channel takes requests, or is full.
    mutating func writabilityChanged(to isWritable: Bool) -> [Action] {
        self.isWritable = isWritable
        return openWaiting()
    }

    /// The connection ends. The first error counts.
    ///
    /// - Parameter error: nil when the channel is closed without an error.
    mutating func fail(_ error: (any Error)? = nil) -> [Action] {
        firstError = firstError ?? error
        guard phase != .closed else { return [] }
        let retiring: [Action] = beginsExchanges ? [.retire] : []
        phase = .closed
        let ends: [Action] = exchangesInOrder.compactMap { leg, exchange in
            guard !exchange.hasEnd else { return nil }
            guard exchange.hasBegun || exchange.stream != nil else { return .end(leg, unsentEnd) }
            let progress = ConnectionFailure.Progress(
                isSecured: true, isProven: isProven, hasRequest: true, hasAnswer: exchange.hasHead)
            return .end(leg, .lost(progress))
        }
        return retiring + ends + [.close]
    }

    // MARK: Time

    /// Keeps the connection for other calls, for a limited time, if no call uses it.
    ///
    /// - Parameter limit: how long the server keeps idle connections, if that is known.
    mutating func rest(at now: NIODeadline, limit: TimeAmount?) -> [Action] {
        guard exchanges.isEmpty, phase == .open else { return [] }
        idle.begin(at: now, limit: limit)
        return arm()
    }

    /// The pool keeps a connection that has been idle for long.
    mutating func stay(at now: NIODeadline, limit: TimeAmount?) -> [Action] {
        idle.extend(at: now, limit: limit)
        return arm()
    }

    /// How long no call has used the connection, while neither side was closing it; nil when that is not known.
    func idleTime(at now: NIODeadline) -> TimeAmount? {
        phase == .open && exchanges.isEmpty ? idle.duration(at: now) : nil
    }

    mutating func timerFired(at now: NIODeadline) -> [Action] {
        timer.end()
        guard phase != .closed else { return [] }
        if exchanges.isEmpty, idle.ends <= now { return [.expire(atServersLimit: idle.isAtServersLimit(at: now))] }
        let late = queue.filter { deadline(of: $0) <= now }
        queue.removeAll(where: late.contains)
        return late.map { .end($0, .late) } + arm()
    }

    private func deadline(of leg: LegID) -> NIODeadline { exchanges[leg]?.deadline.total ?? .distantFuture }

    /// Starts a timer, unless a running one fires early enough. Exchanges that have a stream watch their own time.
    private mutating func arm() -> [Action] {
        let next = exchanges.isEmpty ? idle.ends : queue.map(deadline).min() ?? .distantFuture
        return timer.start(for: next).map { [.startTimer($0)] } ?? []
    }
}
