import SignetCredentials
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetEnrollment

/// Renewal in the background, in a time of the tests' own.
@Suite struct IdentityManagerTests {
    /// Goes on when a manager sleeps, and ends its run at a time.
    private final class Clock: Sendable {
        private let time: Mutex<Int64>
        private let slept = Mutex<[Duration]>([])
        let end: Int64

        init(from begin: Int64 = 1_800_000_000, until days: Int64) {
            time = Mutex(begin)
            end = begin + days * 86_400
        }

        var now: Int64 { time.withLock { $0 } }
        var pauses: [Duration] { slept.withLock { $0 } }

        func sleep(_ pause: Duration) throws {
            slept.withLock { $0.append(pause) }
            let now = time.withLock { time in
                // What is shorter than a second is one.
                time += max(1, pause.components.seconds)
                return time
            }
            if now >= end { throw CancellationError() }
        }
    }

    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(commonName: "Bank root") }

    private static func profile(_ clock: Clock, days: Int64) -> CertificateProfile {
        var profile = CertificateProfile.client
        profile.notBefore = clock.now
        profile.notAfter = clock.now + days * 86_400
        return profile
    }

    private func enrollment(
        _ enroller: any Enroller, _ store: any IdentityStore, _ clock: Clock, provedBy proof: IdentityProof = .none
    ) throws -> Enrollment {
        var replacement = IdentityReplacement(of: "device", in: store, provedBy: proof)
        replacement.now = { clock.now }
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7"), into: replacement)
        enrollment.patience = .zero
        return enrollment
    }

    /// Runs a manager until the clock ends it; what happened.
    private func events(
        of enrollment: Enrollment, _ clock: Clock, _ schedule: IdentityManager.Schedule = .init(),
        hook: @escaping @Sendable (Identity) async throws -> Void = { _ in }
    ) async -> [IdentityManager.Event] {
        let manager = IdentityManager(enrollment, schedule, hook) { try clock.sleep($0) }
        let stream = manager.events()
        await #expect(throws: CancellationError.self) { try await manager.run() }
        return await stream.reduce(into: []) { $0.append($1) }
    }

    @Test func anIdentityIsObtainedAndRenewedInTime() async throws {
        let clock = Clock(until: 100)
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority, Self.profile(clock, days: 30))
        let hooked = Mutex<[Identity]>([])
        let ends = Mutex<[Int64]>([])
        var schedule = IdentityManager.Schedule()
        schedule.interval = .seconds(86_400)
        _ = await events(of: try enrollment(enroller, store, clock), clock, schedule) { identity in
            hooked.withLock { $0.append(identity) }
            ends.withLock { $0.append(clock.now) }
        }
        // At two thirds of thirty days, and up to one and a half days before.
        let times = ends.withLock { $0 }
        #expect(times.count == 6 && enroller.requests.count == times.count, "\(times)")
        for (one, next) in zip(times, times.dropFirst()) {
            #expect((18 * 86_400...20 * 86_400).contains(next - one), "\(next - one)")
        }
        #expect(await store.identity(label: "device") == hooked.withLock { $0.last })
        #expect(enroller.requests.map(\.isRenewal) == [false] + .init(repeating: true, count: times.count - 1))
    }

    /// The attempts become rarer, and before the end more frequent again. What was in use stays.
    @Test func failedAttemptsAreRepeated() async throws {
        struct Refusing: Enroller {
            func demands(_ identity: Identity?) async throws -> EnrollmentDemands { .init() }
            func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
                throw EnrollmentError(.refused, "no")
            }
        }
        let clock = Clock(until: 30)
        let old = try authority.issueClient(commonName: "device 7", Self.profile(clock, days: 30))
        let store = MemoryIdentityStore(["device": old])
        let events = await events(of: try enrollment(Refusing(), store, clock), clock)
        #expect(await store.identity(label: "device") == old)
        let pauses = events.compactMap { event in
            if case .failed(let error, let pause) = event, (error as? EnrollmentError)?.code == .refused {
                pause
            } else {
                nil
            }
        }
        // The stream has the last 64 events.
        #expect(pauses.count >= 40, "\(pauses.count)")
        #expect(pauses.max() == .seconds(6 * 3600) || pauses.allSatisfy { $0 < .seconds(6 * 3600) })
        let last = try #require(pauses.last)
        #expect(last <= .seconds(60))
        #expect(clock.pauses.contains(.seconds(60)) && clock.pauses.contains(.seconds(120)))
        #expect(clock.pauses.contains(.seconds(6 * 3600)))
    }

    /// An authority whose certificates are to be renewed at once is not asked without end.
    @Test func shortCertificatesAreNotRenewedWithoutEnd() async throws {
        let clock = Clock(until: 10)
        let enroller = TestAuthority(authority, Self.short(clock))
        let store = MemoryIdentityStore()
        _ = await events(of: try enrollment(enroller, store, clock), clock)
        #expect((1...1200).contains(enroller.requests.count), "\(enroller.requests.count)")
    }

    /// Valid for two hours more, after a life of a hundred days.
    private static func short(_ clock: Clock) -> CertificateProfile {
        var profile = CertificateProfile.client
        profile.notBefore = clock.now - 100 * 86_400
        profile.notAfter = clock.now + 7_200
        return profile
    }

    /// Another process has renewed the identity.
    @Test func anIdentityOfAnotherProcessIsTaken() async throws {
        let clock = Clock(until: 28)
        let old = try authority.issueClient(commonName: "device 7", Self.profile(clock, days: 30))
        let new = try authority.issueClient(commonName: "device 7", Self.profile(clock, days: 90))
        let store = MemoryIdentityStore(["device": old])
        let enroller = TestAuthority(authority)
        let manager = IdentityManager(try enrollment(enroller, store, clock), .init(), { _ in }) { pause in
            if clock.now > 1_800_000_000 + 10 * 86_400 { await store.store(new, label: "device") }
            try clock.sleep(pause)
        }
        let stream = manager.events()
        await #expect(throws: CancellationError.self) { try await manager.run() }
        #expect(enroller.requests.isEmpty)
        var last: Identity?
        for await case .waiting(let identity, _) in stream { last = identity }
        #expect(last == new)
    }

    @Test func aHookThatFailsIsTold() async throws {
        struct Broken: Error {}
        let clock = Clock(until: 1)
        let enroller = TestAuthority(authority, Self.profile(clock, days: 30))
        let events = await events(of: try enrollment(enroller, MemoryIdentityStore(), clock), clock) { _ in
            throw Broken()
        }
        #expect(events.contains { if case .hookFailed(let error) = $0 { error is Broken } else { false } })
        #expect(enroller.requests.count == 1)
    }

    @Test func aHookThatFailedIsCalledAgain() async throws {
        struct Broken: Error {}
        let clock = Clock(until: 2)
        let enroller = TestAuthority(authority, Self.profile(clock, days: 30))
        let calls = Mutex(0)
        let events = await events(of: try enrollment(enroller, MemoryIdentityStore(), clock), clock) { _ in
            let number = calls.withLock { count in
                count += 1
                return count
            }
            if number < 3 { throw Broken() }
        }
        #expect(events.count { if case .hookFailed = $0 { true } else { false } } == 2)
        #expect(events.count { if case .renewed = $0 { true } else { false } } == 1)
        #expect(calls.withLock { $0 } == 3 && enroller.requests.count == 1)
    }

    @Test func cancellationEndsIt() async throws {
        let clock = Clock(until: 1)
        let enroller = TestAuthority(authority)
        let manager = IdentityManager(of: try enrollment(enroller, MemoryIdentityStore(), clock))
        let task = Task { try await manager.run() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
