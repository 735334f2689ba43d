import NIOCore
import Testing

@testable import SignetNIOTransport

/// How long a connection is kept between calls. Times are seconds.
@Suite struct IdleTimeTests {
    private static let beginning = NIODeadline.uptimeNanoseconds(1_000_000_000_000)

    private static func at(_ second: Int64) -> NIODeadline { beginning + .seconds(second) }

    private static func idle(since second: Int64, for timeout: Int64 = 30, limit: Int64? = nil) -> IdleTime {
        var idle = IdleTime(timeout: .seconds(timeout))
        idle.begin(at: at(second), limit: limit.map { .seconds($0) })
        return idle
    }

    @Test func aConnectionThatWasNeverIdle() {
        var idle = IdleTime(timeout: .seconds(30))
        #expect(idle.ends == .distantFuture && !idle.hasBegun)
        #expect(idle.duration(at: Self.at(0)) == nil && !idle.isAtServersLimit(at: Self.at(0)))
        idle.end()
        #expect(!idle.hasBegun)
    }

    @Test(arguments: [(30, nil, 30, false), (30, 40, 30, false), (30, 20, 20, true), (20, 20, 20, true)])
    func theEarlierLimitCounts(_ timeout: Int64, _ limit: Int64?, _ end: Int64, isServers: Bool) {
        let idle = Self.idle(since: 0, for: timeout, limit: limit)
        #expect(idle.ends == Self.at(end))
        #expect(idle.isAtServersLimit(at: Self.at(end)) == isServers)
        #expect(!idle.isAtServersLimit(at: Self.at(end - 1)))
    }

    @Test func theServerCountsFromTheFirstMoment() {
        var idle = Self.idle(since: 0, limit: 20)
        idle.begin(at: Self.at(5), limit: .seconds(20))
        #expect(idle.ends == Self.at(20) && idle.duration(at: Self.at(6)) == .seconds(6))
        // The client counts anew.
        idle.begin(at: Self.at(5), limit: nil)
        #expect(idle.ends == Self.at(35))
    }

    @Test func aCallBreaksIt() {
        var idle = Self.idle(since: 0)
        idle.end()
        #expect(idle.hasBegun && idle.duration(at: Self.at(1)) == nil)
        idle.begin(at: Self.at(2), limit: nil)
        #expect(idle.duration(at: Self.at(3)) == .seconds(1) && idle.ends == Self.at(32))
    }

    /// The pool keeps a connection: the timer checks again after the timeout, at the server's limit, or a second later.
    @Test(arguments: [(nil, 60), (45, 45), (30, 31), (10, 31)])
    func thePoolKeepsIt(_ limit: Int64?, _ end: Int64) {
        var idle = Self.idle(since: 0)
        idle.extend(at: Self.at(30), limit: limit.map { .seconds($0) })
        #expect(idle.ends == Self.at(end))
        #expect(idle.duration(at: Self.at(31)) == .seconds(31))
    }

    /// A timeout that is over at once is checked again a second later.
    @Test func thePoolKeepsItForever() {
        var idle = Self.idle(since: 0, for: 0)
        idle.extend(at: Self.at(0), limit: nil)
        #expect(idle.ends == Self.at(1))
    }
}
