import NIOCore
import Testing

@testable import SignetNIOTransport

@Suite struct WarmPlanTests {
    private let start = NIODeadline.now()

    @Test func itBeginsWithACallAndEndsAWhileAfterTheLast() {
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

    @Test func pausesGrowToAMinute() {
        var plan = WarmPlan(count: 1, duration: .seconds(60))
        let pauses = (0..<9).map { _ in plan.failed().nanoseconds / 1_000_000_000 }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        plan.succeeded()
        let afterSuccess = plan.failed()
        plan.used(at: start)
        let afterUse = plan.failed()
        #expect([afterSuccess, afterUse] == [.seconds(1), .seconds(1)])
    }
}
