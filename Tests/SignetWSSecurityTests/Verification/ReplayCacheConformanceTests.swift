import SignetCredentials
import SignetTesting
import SignetWSSecurity
import Synchronization
import Testing

@Suite struct ReplayCacheConformanceTests {
    @Test(arguments: ReplayCacheConformance.checks)
    func memory(_ check: ReplayCacheConformance.Check) async throws {
        try await check.run { MemoryReplayCache(capacity: 100) }
        try await check.run { MemoryReplayCache() }
    }

    @Test(arguments: ReplayCacheConformance.sharedChecks)
    func shared(_ check: ReplayCacheConformance.Check) async throws {
        let cache = MemoryReplayCache(capacity: 100)
        try await check.run { cache }
        await #expect(throws: ReplayCacheConformance.Failure.self) { try await check.run { MemoryReplayCache() } }
    }

    /// Does one thing as no cache may.
    actor Wrong: ReplayCache {
        enum Fault: String, CaseIterable {
            case forgetsAll, readsOneByte, asksBeforeItRemembers, forgetsEarly, forgetsAtWill, neverHasPlaceAgain
        }

        let fault: Fault
        var expiries: [[UInt8]: Int64] = [:]

        init(_ fault: Fault) { self.fault = fault }

        func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding {
            let key = fault == .readsOneByte ? Array(key.suffix(1)) : key
            if fault == .forgetsAll { return .new }
            if fault != .neverHasPlaceAgain {
                expiries = expiries.filter { fault == .forgetsEarly ? $0.value > now : $0.value >= now }
            }
            if expiries[key] != nil { return .replayed }
            // Long enough for the others to ask, however the tasks are scheduled.
            if fault == .asksBeforeItRemembers { try await Task.sleep(for: .milliseconds(20)) }
            if expiries.count >= 100 {
                if fault == .forgetsAtWill { expiries = [:] } else { return .full }
            }
            expiries[key] = expiry
            return .new
        }
    }

    @Test(arguments: Wrong.Fault.allCases) func faultyCachesFailTheChecks(_ fault: Wrong.Fault) async throws {
        var failures: [String] = []
        for check in ReplayCacheConformance.checks {
            do { try await check.run { Wrong(fault) } } catch { failures.append(check.description) }
        }
        // All of them take a clock that was put back for the right time.
        #expect(failures.count > 1 || failures.first?.contains("full") == true, "\(failures)")
    }
}
