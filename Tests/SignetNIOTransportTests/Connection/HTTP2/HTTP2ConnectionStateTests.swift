import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// What happens to an HTTP/2 connection, and what it does about it: a table.
///
/// Second 0 is the beginning of the calls. A server may be silent for 10 seconds, an idle connection is kept for 30, and
/// a call may take 60, or 5 when it is short. Up to 10 calls may use the connection.
@Suite struct HTTP2ConnectionStateTests {
    @Test(arguments: HTTP2Row.settings) func followsTheServersLimits(row: HTTP2Row) throws { try check(row) }
    @Test(arguments: HTTP2Row.streams) func beginsExchanges(row: HTTP2Row) throws { try check(row) }
    @Test(arguments: HTTP2Row.resets) func endsAStream(row: HTTP2Row) throws { try check(row) }
    @Test(arguments: HTTP2Row.goAways) func drains(row: HTTP2Row) throws { try check(row) }
    @Test(arguments: HTTP2Row.losses) func losesTheConnection(row: HTTP2Row) throws { try check(row) }
    @Test(arguments: HTTP2Row.times) func watchesTheTime(row: HTTP2Row) throws { try check(row) }

    private func check(_ row: HTTP2Row) throws {
        var driver = try HTTP2ConnectionDriver()
        for (number, step) in row.steps.enumerated() {
            let deeds = driver.apply(step.event)
            #expect(deeds == step.deeds, "\(row.testDescription), step \(number): \(step.event)")
        }
    }

    @Test func theFirstErrorCounts() throws {
        var driver = try HTTP2ConnectionDriver()
        for code in [nil, .malformedResponse, .connectionClosed] as [TransportError.Code?] {
            _ = driver.apply(.fail(code))
        }
        #expect((driver.state.firstError as? TransportError)?.code == .malformedResponse)
    }

    @Test func anAnswerProvesThatTheClientIsAccepted() throws {
        var driver = try HTTP2ConnectionDriver()
        for event in [.settings(nil), .begin(.a, at: 0), .created(.a, stream: 1)] as [HTTP2Row.Event] {
            _ = driver.apply(event)
        }
        _ = driver.apply(.head(stream: 1, isInterim: true))
        #expect(!driver.state.isProven)
        _ = driver.apply(.head(stream: 1))
        #expect(driver.state.isProven)
    }
}

/// One row of the table.
struct HTTP2Row: CustomTestStringConvertible {
    typealias Event = HTTP2ConnectionDriver.Event
    typealias Deed = HTTP2ConnectionDriver.Deed
    typealias Step = (event: Event, deeds: [Deed])

    let testDescription: String
    let steps: [Step]

    init(_ description: String, _ steps: [(Event, [Deed])]) {
        testDescription = description
        self.steps = steps.map { (event: $0.0, deeds: $0.1) }
    }

    /// The connection is open, for two streams.
    static let settled: (Event, [Deed]) = (.settings(2), [.ready(2)])
    /// An exchange is on stream 1.
    static let asked: [(Event, [Deed])] = [settled, (.begin(.a, at: 0), [.open(.a)]), (.created(.a, stream: 1), [])]
    /// Exchanges are on streams 1 and 3, and a third one waits.
    static let full: [(Event, [Deed])] =
        asked + [
            (.begin(.b, at: 0), [.open(.b)]), (.created(.b, stream: 3), []), (.begin(.c, at: 0), [.timer(60)]),
        ]
    /// How a connection fails on which nothing has come.
    static func lost(
        isProven: Bool = false, hasRequest: Bool = true, hasAnswer: Bool = false
    ) -> StreamEnd {
        .lost(.init(isSecured: true, isProven: isProven, hasRequest: hasRequest, hasAnswer: hasAnswer))
    }

    static let settings = [
        HTTP2Row("the server sets no limit", [(.settings(nil), [.ready(10)]), (.settings(nil), [])]),
        HTTP2Row(
            "the server changes its limit",
            [
                (.settings(3), [.ready(3)]), (.settings(nil), []), (.settings(3), []), (.settings(4), [.resize(4)]),
                // The client has a limit of its own.
                (.settings(1_000), [.resize(10)]), (.settings(2_000), []), (.settings(0), [.resize(0)]),
            ]),
        HTTP2Row(
            "calls that come before the limit is known",
            [
                (.begin(.a, at: 0), [.timer(60)]), (.begin(.b, at: 0), []), (.begin(.c, at: 0), []),
                (.settings(2), [.ready(2), .open(.a), .open(.b)]),
            ]),
        HTTP2Row(
            "a higher limit lets calls begin that wait",
            full + [(.begin(.d, at: 1), []), (.settings(4), [.resize(4), .open(.c), .open(.d)])]),
        HTTP2Row(
            "a lower limit stops no call that has begun",
            full + [
                (.settings(1), [.resize(1)]), (.ended(.a, at: 1), []), (.ended(.b, at: 2), [.open(.c)]),
            ]),
        HTTP2Row(
            "a server that allows no stream at all",
            [
                (.settings(0), [.ready(0)]), (.begin(.a, at: 0, total: .short), [.timer(5)]),
                (.timer(at: 5), [.end(.a, .late), .timer(35)]),
            ]),
    ]

    static let streams = [
        HTTP2Row("one after the other", asked + [(.ended(.a, at: 1), [.timer(31)]), (.begin(.b, at: 2), [.open(.b)])]),
        HTTP2Row(
            "the third waits for a stream",
            full + [
                (.begin(.d, at: 0), []), (.ended(.b, at: 1), [.open(.c)]), (.ended(.a, at: 1), [.open(.d)]),
                (.ended(.d, at: 1), []), (.ended(.c, at: 1), [.timer(31)]),
            ]),
        HTTP2Row(
            "a call that gives up while it waits",
            full + [(.begin(.d, at: 0), []), (.ended(.c, at: 1), []), (.ended(.a, at: 1), [.open(.d)])]),
        HTTP2Row(
            "a call that gives up before its stream exists",
            [
                settled, (.begin(.a, at: 0), [.open(.a)]), (.ended(.a, at: 0), [.timer(30)]),
                (.mayStart(.a), [.mayStart(false)]), (.ended(.a, at: 0), []),
            ]),
        HTTP2Row(
            "nothing begins while the channel is full",
            [
                settled, (.writable(false), []), (.begin(.a, at: 0), [.timer(60)]), (.writable(true), [.open(.a)]),
                (.mayStart(.a), [.mayStart(true)]),
            ]),
        HTTP2Row(
            "the numbers of streams are used up",
            full + [
                (.ended(.a, at: 1), [.open(.c)]), (.begin(.d, at: 1), []),
                (.created(.c, stream: 2_000_000_001), [.retire, .end(.d, .stale)]),
                (.begin(.a, at: 2), [.end(.a, .stale)]),
                (.ended(.b, at: 3), []), (.ended(.c, at: 3), [.close]), (.fail(), []),
            ]),
    ]

    static let resets = [
        HTTP2Row(
            "a refused stream makes room for another",
            full + [
                (.reset(stream: 3, .refusedStream), [.end(.b, .refused(.refusedStream, atMost: 5)), .open(.c)]),
                (.closed(stream: 3, .refusedStream), []), (.ended(.b, at: 1), []),
            ]),
        HTTP2Row(
            "a refusal behind an interim head",
            asked + [
                (.head(stream: 1, isInterim: true), []),
                (.reset(stream: 1, .refusedStream), [.end(.a, .reset(.refusedStream)), .timer(30)]),
            ]),
        HTTP2Row(
            "a reset in the middle of the answer",
            asked + [(.head(stream: 1), []), (.reset(stream: 1, .noError), [.end(.a, .reset(.noError)), .timer(30)])]),
        HTTP2Row(
            "a reset behind the whole answer stops the rest of the request only",
            asked + [
                (.head(stream: 1), []), (.head(stream: 1, isEnd: true), []), (.reset(stream: 1, .noError), []),
                (.closed(stream: 1, .noError), []), (.ended(.a, at: 1), [.timer(31)]),
            ]),
        HTTP2Row(
            "the server wants HTTP/1.1",
            asked + [
                (
                    .reset(stream: 1, .http11Required),
                    [.fallBack, .end(.a, .refused(.http11Required, atMost: 1)), .timer(30)]
                )
            ]),
        HTTP2Row(
            "a stream of no exchange", asked + [(.reset(stream: 7, .noError), []), (.closed(stream: 7, .noError), [])]),
        HTTP2Row(
            "an earlier stream of the same caller",
            asked + [
                (.ended(.a, at: 1), [.timer(31)]), (.begin(.a, at: 2), [.open(.a)]), (.reset(stream: 1, .cancel), []),
            ]),
        HTTP2Row("a stream that both sides have ended", asked + [(.closed(stream: 1, nil), [])]),
        HTTP2Row(
            "the client finds the answer malformed",
            full + [
                (.head(stream: 1), []),
                (.closed(stream: 1, .protocolError), [.end(.a, .malformed(.protocolError)), .open(.c)]),
            ]),
    ]

    static let goAways = [
        HTTP2Row(
            "streams up to the last one go on",
            full + [
                (
                    .goAway(last: 1, .noError),
                    [
                        .retire, .end(.c, .refused(.noError, atMost: 32)), .end(.b, .refused(.noError, atMost: 32)),
                    ]
                ),
                (.closed(stream: 3, .cancel), []), (.begin(.d, at: 1), [.end(.d, .stale)]), (.settings(9), []),
                (.head(stream: 1, isEnd: true), []), (.ended(.a, at: 2), [.close]),
            ]),
        HTTP2Row(
            "a server in good order says it twice",
            full + [
                (.goAway(last: 2_147_483_647, .noError), [.retire, .end(.c, .refused(.noError, atMost: 32))]),
                (.goAway(last: 1, .noError), [.end(.b, .refused(.noError, atMost: 32))]),
                (.goAway(last: 0, .noError), [.end(.a, .refused(.noError, atMost: 32)), .close]),
            ]),
        HTTP2Row(
            "a request that has not been written yet",
            [
                settled, (.begin(.a, at: 0), [.open(.a)]),
                (.goAway(last: 5, .noError), [.retire, .end(.a, .refused(.noError, atMost: 32)), .close]),
                (.mayStart(.a), [.mayStart(false)]),
            ]),
        HTTP2Row(
            "the server has a reason",
            full + [
                (
                    .goAway(last: 1, .enhanceYourCalm),
                    [
                        .retire, .end(.c, .refused(.enhanceYourCalm, atMost: 1)),
                        .end(.b, .refused(.enhanceYourCalm, atMost: 1)),
                    ]
                ),
                // What may have been processed ends with the connection.
                (.fail(), [.end(.a, lost()), .close]),
            ]),
        HTTP2Row(
            "a stream above the last one that has a head",
            full + [
                (.head(stream: 3), []),
                (
                    .goAway(last: 0, .noError),
                    [
                        .retire, .end(.c, .refused(.noError, atMost: 32)), .end(.a, .refused(.noError, atMost: 32)),
                        .end(.b, .reset(.noError)), .close,
                    ]
                ),
            ]),
        HTTP2Row(
            "a stream above the last one whose answer is complete",
            asked + [
                (.head(stream: 1, isEnd: true), []), (.goAway(last: 0, .noError), [.retire]),
                (.closed(stream: 1, .cancel), []), (.ended(.a, at: 1), [.close]),
            ]),
        HTTP2Row(
            "while the request is being written, before its stream has a number",
            [
                settled, (.rest(at: 0), [.timer(30)]), (.begin(.a, at: 1), [.open(.a)]),
                (.mayStart(.a), [.mayStart(true)]),
                (.fail(.connectionClosed), [.retire, .end(.a, lost()), .close]),
            ]),
        HTTP2Row(
            "an idle connection",
            asked + [(.ended(.a, at: 1), [.timer(31)]), (.goAway(last: 1, .noError), [.retire, .close])]
        ),
        HTTP2Row(
            "a new connection before its first request: a further one may say the same",
            [
                settled, (.goAway(last: 0, .enhanceYourCalm), [.retire, .close]),
                (.begin(.a, at: 0), [.end(.a, .refused(.enhanceYourCalm, atMost: 1))]),
            ]),
        HTTP2Row(
            "the server wants HTTP/1.1",
            asked + [
                (.begin(.b, at: 0), [.open(.b)]), (.created(.b, stream: 3), []),
                (
                    .goAway(last: 1, .http11Required),
                    [.fallBack, .retire, .end(.b, .refused(.http11Required, atMost: 1))]
                ),
                (.fail(), [.end(.a, lost()), .close]),
            ]),
        HTTP2Row(
            "the server finds TLS too weak",
            asked + [
                (
                    .goAway(last: 0, .inadequateSecurity),
                    [.fallBack, .retire, .end(.a, .refused(.inadequateSecurity, atMost: 1)), .close]
                )
            ]),
    ]

    static let losses = [
        HTTP2Row(
            "each exchange as far as it has come",
            full + [
                (.head(stream: 3), []),
                (
                    .fail(.connectionClosed),
                    [
                        .retire, .end(.a, lost(isProven: true)), .end(.b, lost(isProven: true, hasAnswer: true)),
                        .end(.c, .stale), .close,
                    ]
                ),
                (.fail(), []), (.begin(.d, at: 1), [.end(.d, .stale)]), (.goAway(last: 0, .noError), []),
                (.timer(at: 60), []),
            ]),
        HTTP2Row(
            "a complete answer stays with its caller",
            asked + [
                (.head(stream: 1, isEnd: true), []), (.fail(.connectionClosed), [.retire, .close]),
                (.ended(.a, at: 1), []),
            ]),
        HTTP2Row(
            "a new connection before its first request: a further one would break too",
            [
                settled, (.begin(.a, at: 0), [.open(.a)]),
                (.fail(.connectionClosed), [.retire, .end(.a, lost(hasRequest: false)), .close]),
                (.mayStart(.a), [.mayStart(false)]), (.begin(.b, at: 0), [.end(.b, lost(hasRequest: false))]),
            ]),
        HTTP2Row(
            "while the request is being written, before its stream has a number",
            [
                settled, (.rest(at: 0), [.timer(30)]), (.begin(.a, at: 1), [.open(.a)]),
                (.mayStart(.a), [.mayStart(true)]),
                (.fail(.connectionClosed), [.retire, .end(.a, lost()), .close]),
            ]),
        HTTP2Row(
            "an idle connection",
            [
                settled, (.rest(at: 0), [.timer(30)]), (.fail(), [.retire, .close]),
                (.begin(.a, at: 1), [.end(.a, .stale)]), (.timer(at: 30), []),
            ]),
        HTTP2Row(
            "before the server's limits are known",
            [(.fail(.connectionClosed), [.retire, .close]), (.settings(1), [])]),
    ]

    static let times = [
        HTTP2Row(
            "an idle connection is closed, later if the pool needs it",
            asked + [
                (.ended(.a, at: 1), [.timer(31)]), (.idleTime(at: 3), [.idleTime(2)]), (.lend, []),
                (.timer(at: 31), [.expire, .timer(61)]), (.giveBack, []),
                (.timer(at: 61), [.expire, .retire, .close]), (.idleTime(at: 62), [.idleTime(nil)]),
            ]),
        HTTP2Row(
            "the server would close an idle connection before its deadline",
            [(.serversLimit(20), [])] + asked + [
                (.ended(.a, at: 1), [.timer(21)]), (.timer(at: 21), [.expireAtServersLimit, .retire, .close]),
            ]),
        HTTP2Row(
            "a connection that is used is not idle",
            [settled, (.rest(at: 0), [.timer(30)]), (.idleTime(at: 1), [.idleTime(1)])] + asked.dropFirst() + [
                (.rest(at: 2), []), (.idleTime(at: 3), [.idleTime(nil)]), (.timer(at: 30), []),
                (.ended(.a, at: 40), [.timer(70)]), (.idleTime(at: 41), [.idleTime(1)]),
            ]),
        HTTP2Row(
            "calls that wait too long",
            full + [
                (.begin(.d, at: 1, total: .short), [.timer(5)]), (.timer(at: 5), [.end(.d, .late), .timer(60)]),
                (.timer(at: 60), [.end(.c, .late)]), (.ended(.a, at: 61), []), (.ended(.b, at: 62), [.timer(92)]),
            ]),
        HTTP2Row(
            "a timer that is no longer needed",
            full + [(.ended(.a, at: 1), [.open(.c)]), (.timer(at: 60), []), (.ended(.c, at: 61), [])]),
        HTTP2Row(
            "a late call on a connection on which nothing arrived",
            [
                settled, (.begin(.a, at: 1), [.open(.a)]), (.created(.a, stream: 1, at: 1), []),
                (.begin(.b, at: 5), [.open(.b)]), (.created(.b, stream: 3, at: 5), []),
                (.begin(.c, at: 6), [.timer(60)]),
                (.ended(.a, isLate: true, at: 11), [.retire, .end(.c, .stale)]),
                (.begin(.d, at: 12), [.end(.d, .stale)]),
                // The other one may still get its answer.
                (.head(stream: 3, isEnd: true, at: 13), []), (.ended(.b, at: 13), [.close]),
            ]),
        HTTP2Row(
            "a late call on a connection that lives",
            asked + [(.otherFrame(at: 5), []), (.ended(.a, isLate: true, at: 10), [.timer(40)])]),
        HTTP2Row(
            "a late call whose request was taken, and then nothing arrived",
            asked + [(.otherFrame(at: 20), []), (.ended(.a, isLate: true, at: 30), [.retire, .close])]),
        HTTP2Row(
            "a late call that had waited for its stream",
            full + [
                (.otherFrame(at: 3), []), (.ended(.a, at: 4), [.open(.c)]), (.created(.c, stream: 5, at: 4), []),
                (.ended(.b, at: 5), []), (.ended(.c, isLate: true, at: 10), [.retire, .close]),
            ]),
        HTTP2Row("a call that gives up in time", asked + [(.ended(.a, at: 20), [.timer(50)])]),
    ]
}

extension HTTP2Code {
    fileprivate static let protocolError = Self(number: 0x1)
    fileprivate static let cancel = Self(number: 0x8)
    fileprivate static let enhanceYourCalm = Self(number: 0xB)
}
