import NIOCore
import SignetHTTP

@testable import SignetNIOTransport

/// Carries out the actions of an HTTP/2 connection's state as its handler does, without a channel, and writes them down.
struct HTTP2ConnectionDriver {
    /// The name of an exchange in a table.
    enum Name: Int, CaseIterable { case a, b, c, d }

    /// What happens; times are seconds of the calls.
    enum Event: Sendable {
        /// - Parameter total: how many seconds the call may take.
        case begin(Name, at: Int64, total: Total = .long)
        /// The channel of a stream exists.
        case mayStart(Name)
        case created(Name, stream: Int, at: Int64 = 0)
        case settings(Int?, at: Int64 = 0)
        /// A head, and the end of the answer with it or not.
        case head(stream: Int, isInterim: Bool = false, isEnd: Bool = false, at: Int64 = 0)
        case reset(stream: Int, HTTP2Code)
        case goAway(last: Int, HTTP2Code)
        case otherFrame(at: Int64)
        /// NIO reports that a stream is closed.
        case closed(stream: Int, HTTP2Code?)
        case writable(Bool)
        case ended(Name, isLate: Bool = false, at: Int64)
        /// - Parameter code: nil when the channel is closed without an error.
        case fail(TransportError.Code? = nil)
        case rest(at: Int64)
        case timer(at: Int64)
        /// From now on it is known after how many seconds the server closes an idle connection.
        case serversLimit(Int64)
        /// The pool lends an idle connection.
        case lend
        case giveBack
        case idleTime(at: Int64)
    }

    enum Total { case long, short }

    /// What is done about it.
    enum Deed: Equatable, Sendable {
        case ready(Int)
        case resize(Int)
        case open(Name)
        case mayStart(Bool)
        case end(Name, StreamEnd)
        case timer(Int64)
        case retire, fallBack, expire, expireAtServersLimit, close
        case idleTime(Int64?)
    }

    private(set) var state = HTTP2ConnectionState(maximumCalls: 10, idleTimeout: .seconds(30))
    private let legs: [Leg]
    private let request: OutgoingRequest
    private let short: CallDeadline
    private let long: CallDeadline
    private var isLent = false
    private var limit: TimeAmount?
    private var second: Int64 = 0
    private var deeds: [Deed] = []

    init() throws {
        var request = ClientRequest(try Endpoint("https://service.example/"), method: .post, body: HTTPBody([1]))
        request.deadlines.read = .seconds(10)
        request.deadlines.total = .seconds(5)
        short = CallDeadline(request.deadlines)
        request.deadlines.total = .seconds(60)
        long = CallDeadline(request.deadlines)
        self.request = try OutgoingRequest(request, acceptsCompression: true)
        legs = Name.allCases.map { [long] _ in Leg(deadline: long) }
    }

    private func identifier(_ name: Name) -> ObjectIdentifier { ObjectIdentifier(legs[name.rawValue]) }

    private func name(_ identifier: ObjectIdentifier) -> Name? {
        legs.firstIndex { ObjectIdentifier($0) == identifier }.flatMap(Name.init)
    }

    /// The date of an event.
    private mutating func date(_ second: Int64) -> NIODeadline {
        self.second = second
        return beginning + .seconds(second)
    }

    private var beginning: NIODeadline { long.total - .seconds(60) }

    /// - Returns: what was done.
    mutating func apply(_ event: Event) -> [Deed] {
        deeds = []
        switch event {
        case .begin(let name, let time, let total):
            let deadline = total == .short ? short : long
            perform(state.begin(identifier(name), request, deadline: deadline, at: date(time)))
        case .mayStart(let name): deeds.append(.mayStart(state.mayStart(identifier(name))))
        case .created(let name, let stream, let time):
            perform(state.created(identifier(name), stream: stream, at: date(time)))
        case .settings(let maximum, let time): receive(.settings(maximumStreams: maximum), at: time)
        case .head(let stream, let isInterim, let isEnd, let time):
            receive(.answer(stream: stream, isInterim: isInterim, isEnd: isEnd), at: time)
        case .reset(let stream, let code): receive(.reset(stream: stream, code), at: second)
        case .goAway(let last, let code): receive(.goAway(last: last, code), at: second)
        case .otherFrame(let time): receive(.other, at: time)
        case .closed(let stream, let code): perform(state.closed(stream: stream, code: code))
        case .writable(let isWritable): perform(state.writabilityChanged(to: isWritable))
        case .ended(let name, let isLate, let time):
            perform(state.ended(identifier(name), isLate: isLate, at: date(time), limit: limit))
        case .fail(let code): perform(state.fail(code.map { TransportError($0, "The channel is lost.") }))
        case .rest(let time): perform(state.rest(at: date(time), limit: limit))
        case .timer(let time): perform(state.timerFired(at: date(time)))
        case .serversLimit(let seconds): limit = .seconds(seconds)
        case .lend: isLent = true
        case .giveBack: isLent = false
        case .idleTime(let time): deeds.append(.idleTime(state.idleTime(at: date(time)).map(Self.seconds)))
        }
        return deeds
    }

    private mutating func receive(_ frame: HTTP2ConnectionState.Frame, at time: Int64) {
        perform(state.received(frame, at: date(time)))
    }

    private mutating func perform(_ actions: [HTTP2ConnectionState.Action]) {
        for action in actions { carryOut(action) }
    }

    private mutating func carryOut(_ action: HTTP2ConnectionState.Action) {
        switch action {
        case .ready(let capacity): deeds.append(.ready(capacity))
        case .resize(let capacity): deeds.append(.resize(capacity))
        case .open(let leg): if let name = name(leg) { deeds.append(.open(name)) }
        case .end(let leg, let end):
            if let name = name(leg) { deeds.append(.end(name, end)) }
            perform(state.ended(leg, at: date(second), limit: limit))
        case .retire: deeds.append(.retire)
        case .fallBack: deeds.append(.fallBack)
        case .startTimer(let date): deeds.append(.timer(Self.seconds(date - beginning)))
        case .expire(let atServersLimit):
            deeds.append(atServersLimit ? .expireAtServersLimit : .expire)
            perform(isLent ? state.stay(at: date(second), limit: limit) : state.fail())
        case .close: deeds.append(.close)
        }
    }

    /// The two kinds of calls do not begin at exactly the same moment.
    private static func seconds(_ time: TimeAmount) -> Int64 { (time + .milliseconds(500)).nanoseconds / 1_000_000_000 }
}
