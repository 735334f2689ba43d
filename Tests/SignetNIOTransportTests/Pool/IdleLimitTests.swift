import NIOCore
import Testing

@testable import SignetNIOTransport

@Suite struct IdleLimitTests {
    private let start = NIODeadline.now()

    private func limit(_ closings: [(idle: TimeAmount, at: TimeAmount)]) -> TimeAmount? {
        var limit = IdleLimit()
        for closing in closings { limit.closed(after: closing.idle, at: start + closing.at) }
        return limit.usable(at: start + (closings.last?.at ?? .zero))
    }

    @Test func twoThatIdledForAsLongShowTheLimit() {
        #expect(limit([(.seconds(75), .seconds(100))]) == nil)
        #expect(limit([(.seconds(75), .seconds(100)), (.seconds(80), .seconds(200))]) == .milliseconds(67_500))
        // A margin of a second, and half of what is short.
        #expect(limit([(.milliseconds(5_400), .zero), (.seconds(5), .seconds(9))]) == .seconds(4))
        #expect(limit([(.seconds(1), .zero), (.seconds(1), .seconds(9))]) == .milliseconds(500))
    }

    @Test func irregularClosuresShowNoLimit() {
        // Different times.
        #expect(limit([(.seconds(75), .zero), (.seconds(60), .seconds(99))]) == nil)
        // A server that stops ends all at once.
        #expect(limit([(.seconds(75), .zero), (.seconds(75), .milliseconds(2))]) == nil)
        // A server that fails after each answer.
        #expect(limit([(.milliseconds(20), .zero), (.milliseconds(20), .seconds(9)), (.zero, .seconds(20))]) == nil)
        // Two that agree do not stand one behind the other.
        #expect(limit([(.seconds(75), .zero), (.seconds(5), .seconds(9)), (.seconds(75), .seconds(20))]) == nil)
    }

    @Test func anObservedLimitExpires() {
        var limit = IdleLimit()
        limit.closed(after: .seconds(75), at: start)
        limit.closed(after: .seconds(75), at: start + .seconds(80))
        let learned = start + .seconds(80)
        #expect(limit.usable(at: learned + IdleLimit.memory - .seconds(1)) != nil)
        #expect(limit.usable(at: learned + IdleLimit.memory) == nil)
    }

    @Test(
        arguments: [
            ("timeout=5, max=100", 4), ("max=100,timeout=20", 18), ("Timeout = \"60\"", 54), ("timeout=86400", 77_760),
        ] as [(String, Int64)])
    func anAnnouncedTimeoutReplacesTheObservedLimit(field: String, seconds: Int64) {
        var limit = IdleLimit()
        limit.closed(after: .seconds(75), at: start)
        limit.closed(after: .seconds(75), at: start + .seconds(80))
        limit.announce(field)
        #expect(limit.usable(at: start + .seconds(80)) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "timeout", "timeout=", "timeout=0", "timeout=-1", "timeout=5s", "timeout=86401", "max=5",
        "timeout=99999999999999999999", "=5", ",,", "\u{E9}=5", "timeouts=5",
    ])
    func malformedAndUselessFieldsAnnounceNothing(field: String) {
        var limit = IdleLimit()
        limit.announce(field)
        #expect(limit.usable(at: start) == nil)
    }
}
