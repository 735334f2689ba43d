import NIOCore
import NIOHTTP1
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// What happens to a connection, and what it does about it: a table.
///
/// Second 0 is the beginning of the call. The server may be silent for 10 seconds, an idle connection is kept for 30,
/// and the call may take 60. Up to 8 bytes of an answer are kept in memory, and 300,000 are handed on.
@Suite struct ConnectionStateTests {
    @Test(arguments: Row.requests) func writesARequest(row: Row) throws { try check(row) }
    @Test(arguments: Row.answers) func takesAnAnswer(row: Row) throws { try check(row) }
    @Test(arguments: Row.limits) func limitsAnAnswer(row: Row) throws { try check(row) }
    @Test(arguments: Row.receivers) func handsContentOn(row: Row) throws { try check(row) }
    @Test(arguments: Row.endings) func ends(row: Row) throws { try check(row) }
    @Test(arguments: Row.times) func watchesTheTime(row: Row) throws { try check(row) }

    private func check(_ row: Row) throws {
        var driver = try ConnectionDriver(row.request)
        for (number, step) in row.steps.enumerated() {
            let deeds = try driver.apply(step.event)
            #expect(deeds == step.deeds, "\(row.testDescription), step \(number): \(step.event)")
        }
    }

    @Test func anErrorOfThePipelineEndsAnIdleConnection() {
        var state = ConnectionState(host: "service.example", acceptsCompression: true, idleTimeout: .seconds(30))
        let wasIdle = state.isIdle
        state.note(TransportError(.malformedResponse, "The first error."))
        state.note(TransportError(.connectionClosed, "A later one."))
        let (isIdle, error) = (state.isIdle, state.firstError as? TransportError)
        #expect(wasIdle && !isIdle)
        #expect(error?.code == .malformedResponse)
    }
}

/// One row of the table.
struct Row: CustomTestStringConvertible {
    typealias Event = ConnectionDriver.Event
    typealias Deed = ConnectionDriver.Deed

    let testDescription: String
    let request: ConnectionDriver.Request
    let steps: [(event: Event, deeds: [Deed])]

    init(_ description: String, _ request: ConnectionDriver.Request, _ steps: [(Event, [Deed])]) {
        testDescription = description
        self.request = request
        self.steps = steps.map { (event: $0.0, deeds: $0.1) }
    }

    /// A small request is out.
    static let asked: (Event, [Deed]) = (.start(at: 0), [.send(.whole(isReported: false)), .timer(10)])

    static let requests = [
        Row("a small request is out at once", .small, [asked]),
        Row(
            "the silence begins when a large request is out", .large,
            [(.start(at: 0), [.send(.whole(isReported: true)), .timer(60)]), (.wrote(at: 4), [.timer(14)])]),
        Row(
            "an answer while a large request is written", .large,
            [
                (.start(at: 0), [.send(.whole(isReported: true)), .timer(60)]), (.head(200, at: 1), []),
                (.end(at: 2), [.complete(200, bytes: 0, isReusable: false), .close]), (.wrote(at: 3), []),
            ]),
        Row(
            "the server wants the content, after which it answers", .stream,
            [
                (.start(at: 0), [.send(.head(waitsForServer: true)), .timer(60)]),
                (.head(100, at: 1), [.takeContent]), (.write(isEnd: false), [.mayWrite(true)]),
                (.write(isEnd: true), [.mayWrite(true)]), (.write(isEnd: false), [.mayWrite(false)]),
                (.wrote(at: 2), [.timer(12)]), (.head(200, at: 3), []),
                (.end(at: 3), [.complete(200, bytes: 0, isReusable: true)]),
            ]),
        Row(
            "an answer while content is written", .stream,
            [
                (.start(at: 0), [.send(.head(waitsForServer: true)), .timer(60)]),
                (.write(isEnd: false), [.mayWrite(true)]), (.head(413, at: 3), []),
                (.end(at: 3), [.complete(413, bytes: 0, isReusable: false), .close]),
                (.write(isEnd: false), [.mayWrite(false)]),
            ]),
    ]

    static let answers = [
        Row(
            "a plain answer", .small,
            [
                asked, (.head(200, ["content-length": "4"], at: 1), []), (.body("four", at: 2), []),
                (.end(at: 3), [.complete(200, bytes: 4, isReusable: true)]),
                (.start(at: 4), [.send(.whole(isReported: false))]),
            ]),
        Row(
            "a connection that the server closes", .small,
            [
                asked, (.head(200, ["connection": "close"], at: 1), []),
                (.end(at: 2), [.complete(200, bytes: 0, isReusable: false), .close]), (.start(at: 3), [.refuse]),
            ]),
        Row(
            "an answer that is judged and kept in memory", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.body("four", at: 2), []), (.readCompleted, []),
                (.collect(at: 3), []), (.body("more", at: 4), []),
                (.end(at: 5), [.complete(200, bytes: 8, isReusable: true)]),
            ]),
        Row("no content is taken after a head", .small, [asked, (.body("four", at: 1), [.fail(.malformedResponse)])]),
        Row(
            "two heads", .small,
            [asked, (.head(200, at: 1), []), (.head(200, at: 1), [.fail(.malformedResponse)])]),
        Row("another protocol", .small, [asked, (.head(101, at: 1), [.fail(.malformedResponse)])]),
        Row(
            "compressed content", .small,
            [
                asked, (.head(200, ["content-encoding": "deflate"], at: 1), []),
                (.bytes([0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x06, 0x2C, 0x02, 0x15], at: 2), []),
                (.end(at: 3), [.complete(200, bytes: 5, isReusable: true)]),
            ]),
        Row(
            "content that is not compressed as it says", .small,
            [
                asked, (.head(200, ["content-encoding": "gzip"], at: 1), []),
                (.body("this is text, which no decoder reads", at: 2), [.undecodable, .fail(.malformedResponse)]),
            ]),
        Row(
            "a coding that the client did not ask for", .small,
            [
                asked, (.head(200, ["content-encoding": "br"], at: 1), []),
                (.body("four", at: 2), [.fail(.malformedResponse)]),
            ]),
    ]

    static let limits = [
        Row(
            "a head that the decoder finds too large", .small,
            [asked, (.lose(.responseTooLarge), [.fail(.responseTooLarge)])]),
        Row(
            "an answer that is announced too large", .small,
            [asked, (.head(200, ["content-length": "9"], at: 1), [.fail(.responseTooLarge)])]),
        Row(
            "content that is too large", .small,
            [
                asked, (.head(200, at: 1), []), (.body("12345678", at: 2), []),
                (.body("9", at: 3), [.fail(.responseTooLarge)]), (.end(at: 4), [.close]),
            ]),
        Row(
            "content that is announced too large to be handed on", .judged,
            [
                asked, (.head(200, ["content-length": "300001"], at: 1), [.judge(200)]),
                (.demand(at: 2), [.fail(.responseTooLarge)]),
            ]),
        Row(
            "content that is too large to be handed on", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.demand(at: 2), []), (.zeros(200_000, at: 3), []),
                (.readCompleted, [.hand(200_000)]), (.demand(at: 4), []), (.zeros(100_001, at: 5), []),
                (.readCompleted, [.fail(.responseTooLarge)]),
            ]),
        Row(
            "held content that is too large for the memory", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.zeros(9, at: 2), []),
                (.collect(at: 3), [.fail(.responseTooLarge)]),
            ]),
    ]

    static let receivers = [
        Row(
            "a slow caller: nothing is read before it has taken the piece", .judged,
            [
                asked, (.read, [.read]), (.head(200, at: 1), [.judge(200)]), (.read, [.read]),
                (.zeros(262_144, at: 2), []), (.readCompleted, []), (.read, []), (.read, []),
                // The server is not to blame for the silence.
                (.timer(at: 10), [.timer(60)]), (.demand(at: 20), [.timer(30), .hand(262_144), .read]),
                (.read, [.read]), (.timer(at: 30), [.timer(60)]), (.demand(at: 31), [.timer(41)]),
                (.body("four", at: 32), []), (.readCompleted, [.hand(4)]), (.demand(at: 33), []),
                (.end(at: 34), [.complete(200, bytes: 262_148, isReusable: true)]),
            ]),
        Row(
            "what is held when it is full goes to the caller that waits", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.demand(at: 2), []), (.body("four", at: 3), []),
                (.zeros(262_144, at: 4), [.hand(262_148)]), (.readCompleted, []),
            ]),
        Row(
            "a piece of 64 KiB is enough", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.zeros(65_536, at: 2), []), (.zeros(3, at: 2), []),
                (.demand(at: 3), [.hand(65_536)]), (.demand(at: 4), [.hand(3)]), (.end(at: 5), []),
                (.demand(at: 6), [.complete(200, bytes: 65_539, isReusable: true)]),
            ]),
        Row(
            "reading goes on when held content is kept in memory", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.zeros(262_144, at: 2), []), (.read, []),
                (.collect(at: 3), [.fail(.responseTooLarge), .read]),
            ]),
    ]

    static let endings = [
        Row(
            "bytes behind the end", .small,
            [
                asked, (.head(200, at: 1), []), (.surplus, []),
                (.end(at: 2), [.complete(200, bytes: 0, isReusable: false), .close]), (.start(at: 3), [.refuse]),
            ]),
        Row("an answer that follows another", .small, [(.head(200, at: 1), [.close]), (.start(at: 2), [.refuse])]),
        Row(
            "the server closes before the head", .small,
            [asked, (.lose(.connectionClosed), [.fail(.connectionClosed)]), (.start(at: 2), [.refuse])]),
        Row(
            "the server closes in the middle", .small,
            [
                asked, (.head(200, at: 1), []), (.body("four", at: 2), []),
                (.lose(.connectionClosed), [.fail(.connectionClosed)]), (.end(at: 3), [.close]),
            ]),
        Row(
            "the server closes in the middle of what is held", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.body("four", at: 2), []),
                (.lose(.connectionClosed), [.fail(.connectionClosed)]),
            ]),
        Row(
            "the server closes behind the end of what is held", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.body("four", at: 2), []), (.end(at: 3), []),
                (.lose(.connectionClosed), [.close]),
                (.collect(at: 4), [.complete(200, bytes: 4, isReusable: false), .close]),
            ]),
        Row(
            "the server closes behind the end of what is handed on", .judged,
            [
                asked, (.head(200, at: 1), [.judge(200)]), (.body("four", at: 2), []), (.end(at: 3), []),
                (.lose(.connectionClosed), [.close]), (.demand(at: 4), [.hand(4)]),
                (.demand(at: 5), [.complete(200, bytes: 4, isReusable: false), .close]),
            ]),
        Row(
            "the caller gives up before the head", .small,
            [asked, (.cancel, [.fail(nil)]), (.head(200, at: 1), [.close]), (.start(at: 2), [.refuse])]),
        Row(
            "the caller gives up after the head", .small,
            [asked, (.head(200, at: 1), []), (.cancel, [.fail(nil)]), (.body("four", at: 2), [.close])]),
        Row(
            "the caller gives up while it waits for a piece", .judged,
            [asked, (.head(200, at: 1), [.judge(200)]), (.demand(at: 2), []), (.cancel, [.fail(nil)])]),
        Row(
            "the caller gives up while it writes", .stream,
            [
                (.start(at: 0), [.send(.head(waitsForServer: true)), .timer(60)]),
                (.write(isEnd: false), [.mayWrite(true)]), (.cancel, [.fail(nil)]),
                (.write(isEnd: true), [.mayWrite(false)]),
            ]),
    ]

    static let times = [
        Row("a server that says nothing", .small, [asked, (.timer(at: 10), [.fail(.readTimeout)])]),
        Row(
            "the timer is set later by what the server sends", .small,
            [
                asked, (.head(200, at: 5), []), (.timer(at: 10), [.timer(15)]), (.body("four", at: 14), []),
                (.timer(at: 15), [.timer(24)]), (.timer(at: 24), [.fail(.readTimeout)]),
            ]),
        Row(
            "an interim answer breaks the silence", .small,
            [
                asked, (.head(100, at: 5), [.takeContent]), (.timer(at: 10), [.timer(15)]), (.head(200, at: 12), []),
                (.end(at: 12), [.complete(200, bytes: 0, isReusable: true)]),
            ]),
        Row(
            "a call that takes too long", .large,
            [
                (.start(at: 0), [.send(.whole(isReported: true)), .timer(60)]),
                (.timer(at: 60), [.fail(.deadlineExceeded)]),
            ]),
        Row(
            "an idle connection is closed, later if the pool needs it", .small,
            [
                asked, (.head(200, at: 1), []), (.end(at: 1), [.complete(200, bytes: 0, isReusable: true)]),
                (.timer(at: 10), [.timer(31)]), (.lend, []), (.timer(at: 31), [.expire, .timer(61)]),
                (.giveBack, []), (.timer(at: 61), [.expire, .close]),
            ]),
        Row(
            "the server would close an idle connection before its deadline", .small,
            [
                (.serversLimit(20), []), asked, (.head(200, at: 1), []),
                (.end(at: 1), [.complete(200, bytes: 0, isReusable: true)]),
                (.timer(at: 10), [.timer(21)]), (.timer(at: 21), [.expireAtServersLimit, .close]),
            ]),
        Row(
            "it becomes known while the connection is kept when the server closes it", .small,
            [
                (.rest(at: 0), [.timer(30)]), (.lend, []), (.serversLimit(45), []),
                (.timer(at: 30), [.expire, .timer(45)]),
                (.giveBack, []), (.timer(at: 45), [.expireAtServersLimit, .close]),
            ]),
        Row(
            "a timer that was cancelled is started again", .small,
            [(.rest(at: 0), [.timer(30)]), (.rest(at: 1), []), (.cancelTimer, []), (.rest(at: 2), [.timer(32)])]),
    ]
}
