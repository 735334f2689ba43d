import NIOCore
import NIOHTTP1
import SignetHTTP

/// All that a connection remembers while it carries one exchange after the other; a value without I/O.
///
/// ``ConnectionHandler`` tells it what happened and carries out the action that it gets back. Then it asks ``next()``
/// for more, until that is ``Action/nothing``. Time is passed in.
struct ConnectionState: ~Copyable {
    enum Action {
        case nothing
        /// Let the caller write the content of its request: the server waits for it.
        case takeContent
        /// Ask the caller whether it may take the content itself; then call ``judged(mayTake:)``.
        case judge(HTTPResponseHead)
        /// Give the caller the piece that it demanded.
        case hand([UInt8])
        /// Read from the channel.
        case read
        /// Start a timer for this moment, in place of the one that runs; then call ``timerFired(at:)``.
        case startTimer(NIODeadline)
        /// The answer is whole: call ``finish(_:isActive:hasSurplus:)``, and give the caller what that returns.
        case complete(Answer)
        /// Tell the caller of this failure, and close the channel.
        ///
        /// `isOfConnection` is false where the caller gave up, whose error may look like that of a connection.
        case fail(any Error, isOfConnection: Bool)
        /// The channel was lost before the answer was complete: call ``fail(_:isOfConnection:)`` with the reason.
        case failAsLost
        /// The content is not compressed as it says: call ``fail(_:isOfConnection:)`` with a description of this error.
        case failAsUndecodable(any Error)
        /// The connection has been idle for long: close it, or call ``stay(at:)`` if the pool still needs it.
        ///
        /// `atServersLimit` is true where the server would close it before long.
        case expire(atServersLimit: Bool)
        /// Close the channel; no caller waits for it.
        case close
    }

    /// What of a request is written at once.
    enum Sending: Equatable {
        /// All of it. Where `isReported`, call ``wrote(at:)`` when it is out.
        case whole(isReported: Bool)
        /// The head. The caller writes the content: now, or when the server asks for it.
        case head(waitsForServer: Bool)
    }

    /// A request of less than this is taken to be out when it has been given to the channel.
    static let smallSize = 32 << 10
    /// How long a server has to say that it wants the content.
    static let patience = TimeAmount.seconds(1)

    let host: String
    /// Whether the caller gets content that comes compressed as it was before.
    let acceptsCompression: Bool

    /// How far the answer has come.
    var phase = ExchangeState.idle
    /// The exchange that goes on.
    ///
    /// Change a property of it that holds references by a method of its type only: in a type that is not copyable,
    /// Swift 6.3 never frees the old value where an assignment such as `exchange?.held = nil` replaces it.
    var exchange: OngoingExchange?
    /// What came before the caller decided to have the content kept in memory.
    var collecting: HeldContent?
    /// Whether the channel asked to read while enough was held.
    private var holdsReading = false
    /// Whether the channel was lost behind an answer that is not taken to its end yet.
    private(set) var isLost = false
    /// What the pipeline said before the channel closed.
    private(set) var firstError: (any Error)?
    /// Whether the TLS handshake has ended for the client.
    var isSecured = false
    /// Whether an answer has come over this connection.
    private(set) var isProven = false
    /// Whether the connection has been idle, when a server may close it at any moment.
    private(set) var wasIdle = false

    /// The moment at which the silence becomes too long, and the one to which the timer is set, which may be earlier:
    /// most deadlines are never reached, so that moving a date is all that an exchange costs.
    var silenceEnds = NIODeadline.distantFuture
    private var timer: NIODeadline?
    private var idleDeadline = TimeAmount.zero
    /// Since when the connection is idle, and when the server would close it, if that is known.
    private var idle: (since: NIODeadline, serversLimit: NIODeadline)?

    init(host: String, acceptsCompression: Bool) {
        self.host = host
        self.acceptsCompression = acceptsCompression
    }

    /// Whether the connection can carry an exchange, as far as this value knows.
    var isIdle: Bool { phase.isIdle && firstError == nil }

    /// How far the connection had come, for the description of an error.
    ///
    /// - Parameter hasAnswer: whether bytes of the answer have come.
    func progress(hasAnswer: Bool) -> ConnectionFailure.Progress {
        .init(isSecured: isSecured, isProven: isProven, hasRequest: exchange != nil, hasAnswer: hasAnswer)
    }

    // MARK: The request

    /// Begins an exchange; nil where there cannot be one.
    mutating func start(_ request: OutgoingRequest, deadline: CallDeadline, isJudged: Bool) -> Sending? {
        guard phase.begin(request.terms(isJudged: isJudged)) else { return nil }
        let isStreamed = request.stream != nil
        // The silence begins when the request is out; of a small one that is at once.
        let isWritten = !isStreamed && request.body.readableBytes < Self.smallSize
        idle = nil
        exchange = OngoingExchange(
            readDeadline: request.readDeadline, idleDeadline: request.idleDeadline, deadline: deadline,
            isCodingOurs: request.isCodingOurs, isWritten: isWritten)
        return isStreamed ? .head(waitsForServer: request.expectsContinue) : .whole(isReported: !isWritten)
    }

    /// What ``start(_:deadline:isJudged:)`` said has been given to the channel.
    mutating func sent(at now: NIODeadline) -> Action {
        // The channel may have taken a large request at once, and have said so before.
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

    /// The request is out.
    mutating func wrote(at now: NIODeadline) -> Action {
        exchange?.isWritten = true
        guard isServerExpected else { return .nothing }
        waitForServer(from: now)
        return arm() ?? .nothing
    }

    // MARK: The channel

    /// Whether the channel may be read now. If not, ``Action/read`` follows.
    mutating func mayRead() -> Bool {
        holdsReading = exchange?.held?.isFull == true || holdsReading
        return exchange?.held?.isFull != true
    }

    mutating func resumeReading() -> Action {
        guard holdsReading, exchange?.held?.isFull != true else { return .nothing }
        holdsReading = false
        return .read
    }

    /// Something went wrong in the pipeline. The first error counts.
    mutating func note(_ error: any Error) {
        if firstError == nil { firstError = error }
    }

    /// The channel is of no use any more. An answer that has come to its end can be taken all the same.
    mutating func lose(_ error: any Error) -> Action {
        guard exchange?.held?.hasEnd == true else { return fail(error) }
        isLost = true
        return .close
    }

    // MARK: Endings

    /// Ends the exchange, if one goes on, and the connection.
    mutating func fail(_ error: any Error, isOfConnection: Bool = true) -> Action {
        close()
        exchange = nil
        collecting = nil
        return .fail(error, isOfConnection: isOfConnection)
    }

    /// No exchange follows.
    mutating func close() { phase.close() }

    /// Ends an exchange whose answer is whole. Where it is reusable, call ``rest(for:at:)``.
    mutating func finish(_ answer: Answer, isActive: Bool, hasSurplus: Bool) -> Answer {
        guard let finished = exchange else { return answer }
        exchange = nil
        isProven = true
        idleDeadline = finished.idleDeadline
        var answer = answer
        answer.isDecoded = finished.decoder != nil
        // No content behind the end may become an answer to a later request.
        let isAtEnd = finished.held?.isEmpty ?? true
        // An answer before the request was written out leaves a rest of it on the wire.
        answer.isReusable =
            answer.isReusable && finished.isWritten && isAtEnd && !isLost && !hasSurplus && isActive
        if !answer.isReusable { close() }
        return answer
    }

    // MARK: Time

    /// Keeps the connection for other calls, but not for ever.
    ///
    /// - Parameters:
    ///   - deadline: the last request's, if nil.
    ///   - limit: how long the server keeps idle connections, if that is known.
    mutating func rest(for deadline: TimeAmount? = nil, at now: NIODeadline, limit: TimeAmount?) -> Action {
        wasIdle = true
        idleDeadline = deadline ?? idleDeadline
        // A call that was cancelled before it sent anything has not changed since when the server waits.
        let since = idle?.since ?? now
        let serversLimit = limit.map { since + $0 } ?? .distantFuture
        idle = (since, serversLimit)
        silenceEnds = min(now + idleDeadline, serversLimit)
        return arm() ?? next()
    }

    /// The pool keeps a connection that it has just lent, that is on its way back, or that is to be kept warm: look again later.
    mutating func stay(at now: NIODeadline, limit: TimeAmount?) -> Action {
        if let idle, let limit { self.idle?.serversLimit = idle.since + limit }
        let next = min(now + idleDeadline, idle?.serversLimit ?? .distantFuture)
        silenceEnds = max(next, now + .seconds(1))
        return arm() ?? .nothing
    }

    /// How long no call has used the connection, which neither side was ending; nil where that cannot be said.
    func idleTime(at now: NIODeadline) -> TimeAmount? {
        guard isIdle, exchange == nil, let idle else { return nil }
        return now - idle.since
    }

    mutating func timerCancelled() { timer = nil }

    mutating func timerFired(at now: NIODeadline) -> Action {
        timer = nil
        // The channel may take a while to close, and no deadline counts meanwhile.
        guard !phase.isClosed else { return .nothing }
        guard nextDeadline <= now else { return arm() ?? .nothing }
        guard let exchange else {
            return phase.isIdle ? .expire(atServersLimit: (idle?.serversLimit ?? .distantFuture) <= now) : .close
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

    /// Whether it is the server's turn: the request is out, and the caller takes what comes.
    var isServerExpected: Bool {
        exchange?.isWritten == true && (exchange?.held == nil || exchange?.isDemanded == true)
    }

    /// The server may be silent for so long from now on; without limit while the request is not out.
    mutating func waitForServer(from now: NIODeadline) {
        silenceEnds = exchange?.isWritten == true ? now + (exchange?.readDeadline ?? .zero) : .distantFuture
    }

    private var nextDeadline: NIODeadline { min(silenceEnds, exchange?.deadline.total ?? .distantFuture) }

    /// Starts a timer, unless one runs that fires early enough.
    mutating func arm() -> Action? {
        let next = nextDeadline
        if let timer, timer <= next { return nil }
        guard next < .distantFuture else { return nil }
        timer = next
        return .startTimer(next)
    }
}
