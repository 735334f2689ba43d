import NIOCore
import Testing

@testable import SignetNIOTransport

@Suite struct WarmPlanTests {
    private let start = NIODeadline.now()

    @Test func thePlanIsActiveFromTheFirstCallUntilAfterTheLast() {
        var plan = WarmPlan(count: 2, duration: .seconds(60))
        #expect(!plan.isActive(at: start))
        plan.used(at: start)
        #expect(plan.isActive(at: start + .seconds(59)))
        #expect(!plan.isActive(at: start + .seconds(60)))
        plan.used(at: start + .seconds(50))
        #expect(plan.isActive(at: start + .seconds(100)))
    }

    @Test func nothingIsOpenedWhileTheAppIsSuspended() {
        var plan = WarmPlan(count: 1, duration: .seconds(60))
        plan.used(at: start)
        plan.isSuspended = true
        #expect(!plan.isActive(at: start))
        plan.used(at: start)
        #expect(!plan.isActive(at: start))
        plan.isSuspended = false
        #expect(plan.isActive(at: start))
    }

    @Test func pausesGrowToAMinuteWhileOpeningsFail() {
        var plan = WarmPlan(count: 1, duration: .seconds(600))
        var now = start
        var pauses = [plan.pauseBeforeOpening(at: now)]
        for _ in 0..<9 {
            plan.failed()
            now = now + .seconds(100)
            pauses.append(plan.pauseBeforeOpening(at: now))
        }
        #expect(pauses.map { $0.nanoseconds / 1_000_000_000 } == [0, 1, 2, 4, 8, 16, 32, 60, 60, 60])
        plan.used(at: now)
        let afterUse = plan.pauseBeforeOpening(at: now)
        #expect(afterUse == .zero)
    }

    /// A server may take a connection and close it at once, over and over.
    @Test func pausesGrowWhileConnectionsCloseAtOnce() {
        var plan = WarmPlan(count: 2, duration: .seconds(600))
        var now = start
        var pauses: [Int64] = []
        for _ in 0..<8 {
            let pause = plan.pauseBeforeOpening(at: now)
            pauses.append(pause.nanoseconds / 1_000_000_000)
            now = now + pause + .milliseconds(20)
        }
        #expect(pauses == [0, 0, 1, 2, 4, 8, 16, 32])
    }

    /// Connections that the server keeps for some seconds are replaced without a pause.
    @Test func noPauseForConnectionsThatLive() {
        var plan = WarmPlan(count: 2, duration: .seconds(600))
        var now = start
        for _ in 0..<10 {
            let pauses = [plan.pauseBeforeOpening(at: now), plan.pauseBeforeOpening(at: now)]
            #expect(pauses == [.zero, .zero])
            now = now + .seconds(4)
        }
    }
}
