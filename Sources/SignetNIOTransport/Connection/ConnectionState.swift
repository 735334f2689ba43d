import NIOCore
import NIOHTTP1
import SignetHTTP

/// The state of a connection that carries one exchange after the other; a value without I/O.
///
/// ``ConnectionHandler`` reports events to it and carries out the returned action. Then it calls ``next()`` for more
/// actions, until that returns ``Action/nothing``. The time is a parameter.
struct ConnectionState: ~Copyable {
    enum Action {
        case nothing
        /// Let the caller write the content of its request: the server is ready for it.
        case takeContent
        /// Ask the caller whether it wants to take the content itself; then call ``judged(mayTake:)``.
        case judge(HTTPResponseHead)
        /// Give the caller the piece that it asked for.
        case hand([UInt8])
        /// Read from the channel.
        case read
        /// Start a timer for this moment, in place of the running one; then call ``timerFired(at:)``.
        case startTimer(NIODeadline)
        /// The answer is complete: call ``finish(_:isActive:hasSurplus:)``, and give the caller its result.
        case complete(ReceivedResponse)
        /// Report this failure to the caller, and close the channel.
        ///
        /// `isOfConnection` is false when the caller gave up; its error may look like one of the connection.
        case fail(any Error, isOfConnection: Bool)
        /// The channel was lost before the answer was complete: call ``fail(_:isOfConnection:)`` with the reason.
        case failAsLost
        /// The content is not compressed as its fields say: call ``fail(_:isOfConnection:)`` with a description of this
        /// error.
        case failAsUndecodable(any Error)
        /// The connection has been idle for long: close it, or call ``stay(at:)`` if the pool still needs it.
        ///
        /// `atServersLimit` is true when the server would soon close it.
        case expire(atServersLimit: Bool)
        /// Close the channel; no caller waits for it.
        case close
    }

    /// The part of a request that is written at once.
    enum Sending: Equatable {
        /// The whole request. When `isReported`, call ``wrote(at:)`` after it has been written.
        case whole(isReported: Bool)
        /// The head. The caller writes the content: now, or when the server asks for it.
        case head(waitsForServer: Bool)
    }

    /// A request below this size counts as written as soon as the channel has it.
    static let smallSize = 32 << 10
    /// How long the client waits for a server to ask for the content before it sends it anyway.
    static let patience = TimeAmount.seconds(1)

    let host: String
    /// Whether compressed content is decompressed for the caller.
    let acceptsCompression: Bool

    /// How much of the answer has arrived.
    var phase = ExchangeState.idle
    /// The current exchange.
    ///
    /// Change a property of it that holds references only through a method of its type: in a type that is not copyable,
    /// Swift 6.3 never frees the old value when an assignment such as `exchange?.held = nil` replaces it.
    var exchange: OngoingExchange?
    /// The content that arrived before the caller decided to keep the content in memory.
    var collecting: ResponseBuffer?
    /// Whether the channel asked to read while enough content was held.
    private var holdsReading = false
    /// Whether the channel was lost after the end of an answer that the caller has not fully taken.
    private(set) var isLost = false
    /// The first error that the pipeline reported before the channel closed.
    private(set) var firstError: (any Error)?
    /// Whether the client's TLS handshake has ended.
    var isSecured = false
    /// Whether an answer has come over this connection.
    private(set) var isProven = false

    /// The moment at which the silence within an exchange is too long.
    var silenceEnds = NIODeadline.distantFuture
    private var timer = RunningTimer()
    private var idle: IdleTime

    /// - Parameter idleTimeout: for how long the client keeps the connection when no call uses it.
    init(host: String, acceptsCompression: Bool, idleTimeout: TimeAmount) {
        idle = IdleTime(timeout: idleTimeout)
        self.host = host
        self.acceptsCompression = acceptsCompression
    }

    /// Whether the connection can carry an exchange, as far as this value knows.
    var isIdle: Bool { phase.isIdle && firstError == nil }

    /// Whether the connection has ever been idle.
    var wasIdle: Bool { idle.hasBegun }

    /// How far the connection had come, for the description of an error.
    ///
    /// - Parameter hasAnswer: whether bytes of the answer have arrived.
    func progress(hasAnswer: Bool) -> ConnectionFailure.Progress {
        .init(isSecured: isSecured, isProven: isProven, hasRequest: exchange != nil, hasAnswer: hasAnswer)
    }

    // MARK: The request

    /// Begins an exchange; nil when the connection cannot carry one.
    mutating func start(_ request: OutgoingRequest, deadline: CallDeadline, isJudged: Bool) -> Sending? {
        guard phase.begin(request.terms(isJudged: isJudged)) else { return nil }
        let isStreamed = request.stream != nil
        // The silence begins when the request has been written, which is at once for a small one.
        let isWritten = !isStreamed && request.body.readableBytes < Self.smallSize
        idle.end()
        exchange = OngoingExchange(
            readDeadline: request.readDeadline, deadline: deadline,
            transportChoseCoding: request.transportChoseCoding, isWritten: isWritten)
        return isStreamed ? .head(waitsForServer: request.expectsContinue) : .whole(isReported: !isWritten)
    }

    /// The handler has given the channel what ``start(_:deadline:isJudged:)`` returned.
    mutating func sent(at now: NIODeadline) -> Action {
        // The channel may have written a large request immediately and already reported it.
        guard exchange != nil else { return .nothing }
        waitForServer(from: now)
        return arm() ?? .nothing
    }

    /// Whether the caller may write more of the content, or its end.
    mutating func mayWrite(isEnd: Bool) -> Bool {
        guard exchange?.hasEnded == false else { return false }
        if isEnd { exchange?.hasEnded = true }
        return true
    }

    /// The request has been written.
    mutating func wrote(at now: NIODeadline) -> Action {
        exchange?.isWritten = true
        guard isServerExpected else { return .nothing }
        waitForServer(from: now)
        return arm() ?? .nothing
    }

    // MARK: The channel

    /// Whether the channel may read now. If not, ``Action/read`` follows later.
    mutating func mayRead() -> Bool {
        holdsReading = exchange?.held?.isFull == true || holdsReading
        return exchange?.held?.isFull != true
    }

    mutating func resumeReading() -> Action {
        guard holdsReading, exchange?.held?.isFull != true else { return .nothing }
        holdsReading = false
        return .read
    }

    /// Records an error of the pipeline. The first error counts.
    mutating func note(_ error: any Error) {
        if firstError == nil { firstError = error }
    }

    /// The channel can no longer be used. The caller can still take an answer that has arrived completely.
    mutating func lose(_ error: any Error) -> Action {
        guard exchange?.held?.hasEnd == true else { return fail(error) }
        isLost = true
        return .close
    }

    // MARK: Endings

    /// Ends the exchange, if there is one, and the connection.
    mutating func fail(_ error: any Error, isOfConnection: Bool = true) -> Action {
        close()
        exchange = nil
        collecting = nil
        return .fail(error, isOfConnection: isOfConnection)
    }

    /// Makes further exchanges impossible.
    mutating func close() { phase.close() }

    /// Ends an exchange whose answer is complete. If the answer says that the connection is reusable, call
    /// ``rest(at:limit:)``.
    mutating func finish(_ answer: ReceivedResponse, isActive: Bool, hasSurplus: Bool) -> ReceivedResponse {
        guard let finished = exchange else { return answer }
        exchange = nil
        isProven = true
        var answer = answer
        answer.isDecoded = finished.decoder != nil
        // Content after the end must not become part of the answer to a later request.
        let isAtEnd = finished.held?.isEmpty ?? true
        // If the answer came before the whole request was written, the rest of the request is still to be sent.
        answer.isReusable =
            answer.isReusable && finished.isWritten && isAtEnd && !isLost && !hasSurplus && isActive
        if !answer.isReusable { close() }
        return answer
    }

    // MARK: Time

    /// Keeps the connection for other calls, for a limited time.
    ///
    /// - Parameter limit: how long the server keeps idle connections, if that is known.
    mutating func rest(at now: NIODeadline, limit: TimeAmount?) -> Action {
        idle.begin(at: now, limit: limit)
        return arm() ?? next()
    }

    /// The pool keeps a connection that it has just lent, that is being returned, or that must stay warm: the timer
    /// checks again later.
    mutating func stay(at now: NIODeadline, limit: TimeAmount?) -> Action {
        idle.extend(at: now, limit: limit)
        return arm() ?? .nothing
    }

    /// How long no call has used the connection, while neither side was closing it; nil when that is not known.
    func idleTime(at now: NIODeadline) -> TimeAmount? {
        isIdle && exchange == nil ? idle.duration(at: now) : nil
    }

    mutating func timerCancelled() { timer.end() }

    mutating func timerFired(at now: NIODeadline) -> Action {
        timer.end()
        // Closing the channel may take a while, during which no deadline counts.
        guard !phase.isClosed else { return .nothing }
        guard nextDeadline <= now else { return arm() ?? .nothing }
        guard let exchange else {
            return phase.isIdle ? .expire(atServersLimit: idle.isAtServersLimit(at: now)) : .close
        }
        guard exchange.deadline.total > now else {
            return fail(
                exchange.deadline.exceeded(while: "waiting for the answer of \(host)", mayHaveBeenProcessed: true))
        }
        return fail(
            TransportError(
                .readTimeout,
                "\(host) sent nothing for \(exchange.readDeadline.nanoseconds / 1_000_000) milliseconds.",
                mayHaveBeenProcessed: true))
    }

    /// Whether the server has to act: the request has been written, and the caller takes what arrives.
    var isServerExpected: Bool {
        exchange?.isWritten == true && (exchange?.held == nil || exchange?.isDemanded == true)
    }

    /// Starts the server's time limit for silence; there is no limit while the request is not yet written.
    mutating func waitForServer(from now: NIODeadline) {
        silenceEnds = exchange?.isWritten == true ? now + (exchange?.readDeadline ?? .zero) : .distantFuture
    }

    private var nextDeadline: NIODeadline {
        guard let total = exchange?.deadline.total else { return idle.ends }
        return min(silenceEnds, total)
    }

    /// Starts a timer, unless a running one fires early enough.
    mutating func arm() -> Action? { timer.start(for: nextDeadline).map(Action.startTimer) }
}
