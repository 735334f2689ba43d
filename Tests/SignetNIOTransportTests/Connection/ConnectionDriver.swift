import HTTPTypes
import NIOCore
import NIOHTTP1
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// Carries out the actions of a connection's state as its handler does, without a channel, and writes them down.
struct ConnectionDriver: ~Copyable {
    enum Request { case small, large, stream, judged }

    /// What happens; times are seconds of the call.
    enum Event: Sendable {
        case start(at: Int64)
        case write(isEnd: Bool)
        case wrote(at: Int64)
        case head(Int, HTTPHeaders = [:], at: Int64)
        case bytes([UInt8], at: Int64)
        case end(at: Int64)
        /// Bytes have come that belong to no answer.
        case surplus
        case readCompleted
        /// The channel asks to read.
        case read
        case collect(at: Int64)
        case demand(at: Int64)
        case rest(at: Int64)
        /// From now on it is known after how many seconds the server closes an idle connection.
        case serversLimit(Int64)
        case cancel
        case lose(TransportError.Code)
        case timer(at: Int64)
        case cancelTimer
        /// The pool lends an idle connection.
        case lend
        case giveBack

        static func body(_ text: String, at time: Int64) -> Self { .bytes(Array(text.utf8), at: time) }
        static func zeros(_ count: Int, at time: Int64) -> Self { .bytes(.init(repeating: 0, count: count), at: time) }
    }

    /// What is done about it.
    enum Deed: Equatable, Sendable {
        case send(ConnectionState.Sending)
        /// No exchange can begin.
        case refuse
        case mayWrite(Bool)
        case takeContent, read, undecodable, expire, expireAtServersLimit, close
        case judge(UInt)
        case hand(Int)
        case timer(Int64)
        case complete(UInt, bytes: Int64, isReusable: Bool)
        /// No code where the caller gave up.
        case fail(TransportError.Code?)
    }

    private struct GivenUp: Error {}

    private var state = ConnectionState(host: "service.example", acceptsCompression: true, idleTimeout: .seconds(30))
    private let request: OutgoingRequest
    private let isJudged: Bool
    private let deadline: CallDeadline
    private var hasSurplus = false
    private var isLent = false
    private var limit: TimeAmount?
    private var second: Int64 = 0
    private var deeds: [Deed] = []

    init(_ kind: Request) throws {
        let body: HTTPBody =
            switch kind {
            case .small, .judged: HTTPBody(Array("small".utf8))
            case .large: HTTPBody(.init(repeating: 0, count: ConnectionState.smallSize))
            case .stream: HTTPBody(length: nil, isReplayable: false) { _ in }
            }
        var request = ClientRequest(try Endpoint("http://service.example/"), method: .post, body: body)
        request.maximumResponseBytes = 8
        request.maximumStreamedBytes = 300_000
        request.deadlines.read = .seconds(10)
        request.deadlines.total = .seconds(60)
        self.request = try OutgoingRequest(request, acceptsCompression: true)
        deadline = CallDeadline(request.deadlines)
        isJudged = kind == .judged
    }

    /// The date of an event.
    private mutating func date(_ second: Int64) -> NIODeadline {
        self.second = second
        return beginning + .seconds(second)
    }

    private var beginning: NIODeadline { deadline.total - .seconds(60) }

    /// - Returns: what was done.
    mutating func apply(_ event: Event) throws -> [Deed] {
        deeds = []
        switch event {
        case .start(let time): try start(at: date(time))
        case .write(let isEnd): deeds.append(.mayWrite(state.mayWrite(isEnd: isEnd)))
        case .wrote(let time): perform(state.wrote(at: date(time)))
        case .head(let status, let fields, let time):
            let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: fields)
            perform(state.received(.head(head), at: date(time)))
        case .bytes(let bytes, let time):
            perform(state.received(.body(ByteBuffer(bytes: bytes)), at: date(time)))
        case .end(let time): perform(state.received(.end(nil), at: date(time)))
        case .surplus: hasSurplus = true
        case .readCompleted: perform(state.readCompleted())
        case .read: if state.mayRead() { deeds.append(.read) }
        case .collect(let time): perform(state.collect(at: date(time)))
        case .demand(let time): perform(state.demand(at: date(time)))
        case .rest(let time): perform(state.rest(at: date(time), limit: limit))
        case .serversLimit(let seconds): limit = .seconds(seconds)
        case .cancel: perform(state.fail(GivenUp(), isOfConnection: false))
        case .lose(let code): perform(state.lose(TransportError(code, "The channel is lost.")))
        case .timer(let time): perform(state.timerFired(at: date(time)))
        case .cancelTimer: state.timerCancelled()
        case .lend: isLent = true
        case .giveBack: isLent = false
        }
        return deeds
    }

    private mutating func start(at now: NIODeadline) throws {
        guard state.isIdle, let sending = state.start(request, deadline: deadline, isJudged: isJudged) else {
            return deeds.append(.refuse)
        }
        deeds.append(.send(sending))
        perform(state.sent(at: now))
    }

    private mutating func perform(_ first: ConnectionState.Action) {
        var following: ConnectionState.Action? = first
        while let action = following { following = carryOut(action) }
    }

    private mutating func carryOut(_ action: ConnectionState.Action) -> ConnectionState.Action? {
        switch action {
        case .nothing: return nil
        case .takeContent:
            deeds.append(.takeContent)
            return nil
        case .judge(let head):
            deeds.append(.judge(head.status.code))
            return state.judged(mayTake: true)
        case .hand(let piece): deeds.append(.hand(piece.count))
        case .read: deeds.append(.read)
        case .startTimer(let date): deeds.append(.timer((date - beginning).nanoseconds / 1_000_000_000))
        case .complete(let answer): return complete(answer)
        case .fail(let error, let isOfConnection):
            #expect(isOfConnection != error is GivenUp)
            deeds.append(.fail((error as? TransportError)?.code))
        case .failAsLost: return state.fail(TransportError(.connectionClosed, "The channel is lost."))
        case .failAsUndecodable(let error):
            deeds.append(.undecodable)
            return state.fail(TransportError(.malformedResponse, "It cannot be read.", cause: error))
        case .expire(let atServersLimit):
            deeds.append(atServersLimit ? .expireAtServersLimit : .expire)
            if isLent { return state.stay(at: date(second), limit: limit) }
            deeds.append(.close)
        case .close: deeds.append(.close)
        }
        return state.next()
    }

    private mutating func complete(_ answer: ReceivedResponse) -> ConnectionState.Action {
        let answer = state.finish(answer, isActive: true, hasSurplus: hasSurplus)
        deeds.append(
            .complete(
                answer.head.status.code, bytes: answer.taken ?? Int64(answer.body.count), isReusable: answer.isReusable)
        )
        if answer.isReusable { return state.rest(at: date(second), limit: limit) }
        deeds.append(.close)
        return state.next()
    }
}
