import SignetCredentials
public import SignetTLS
import Synchronization

#if Server
public import ServiceLifecycle
#endif

/// Renews an identity in the background before it expires, and obtains the first one.
///
/// ```swift
/// let manager = IdentityManager(of: enrollment)
/// async let events: Void = log(manager.events())
/// try await manager.run()  // until the task is cancelled
/// ```
///
/// Connections that take their identity from the store (`IdentitySource.stored`) show the new one from then on; those that are
/// open end as they would have. A new identity that the service does not accept is not used (``IdentityReplacement``).
///
/// Several managers may share a store of a folder or of SQLite, also in different processes: one of them renews, and the others
/// find the new identity.
public final class IdentityManager: Sendable {
    /// When an identity is renewed, and how soon a failed attempt is repeated.
    public struct Schedule: Sendable, Hashable {
        /// After which part of its life an identity is renewed, from 0 to 1; the default is two thirds.
        public var share = 2.0 / 3
        /// By which part of its life it may be renewed earlier, so that not all devices come at once; the default is a
        /// twentieth. How much it is depends on the certificate, and does not change.
        public var jitter = 0.05
        /// How long after the first failed attempt the next one begins; it doubles with each further one.
        public var retry = Duration.seconds(60)
        /// The longest time between two attempts.
        public var maximumRetry = Duration.seconds(6 * 3600)
        /// How often the manager looks whether another process has renewed the identity, or the clock was changed.
        public var interval = Duration.seconds(3600)

        /// The defaults.
        public init() {}
    }

    /// What has happened.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Event: Sendable {
        /// The identity is valid; the next attempt begins then, in seconds since 1970 in UTC. This is said again after each
        /// ``Schedule/interval``.
        case waiting(Identity, until: Int64)
        /// Another identity is in use now.
        case renewed(Identity)
        /// An attempt failed; the next one begins after this time. What was in use is in use still. The code of an
        /// ``EnrollmentError`` is `pending` when the authority has not decided yet.
        case failed(any Error, retryAfter: Duration)
        /// The hook threw an error. The manager calls it again within ``Schedule/interval``.
        case hookFailed(any Error)
    }

    private let enrollment: Enrollment
    private let schedule: Schedule
    private let hook: @Sendable (Identity) async throws -> Void
    private let subscribers = Mutex<[Int: AsyncStream<Event>.Continuation]>([:])
    /// For which identity the hook was called last with success; before that, the one that was in use at the beginning.
    private let hooked = Mutex<Hooked>(.nothing)

    private enum Hooked: Equatable {
        case nothing
        /// Nil after a call that failed.
        case identity(EncodedCertificate?)
    }
    /// Waits; tests do it faster.
    private let sleep: @Sendable (Duration) async throws -> Void

    /// - Parameters:
    ///   - enrollment: obtains the identities.
    ///   - schedule: when it does.
    ///   - hook: called after each renewal, with the identity that is in use now, such as to restart a program that reads
    ///     it from a file. Renewals wait for it.
    public convenience init(
        of enrollment: Enrollment, schedule: Schedule = Schedule(),
        afterRenewal hook: @escaping @Sendable (Identity) async throws -> Void = { _ in }
    ) {
        self.init(enrollment, schedule, hook) { try await Task.sleep(for: $0) }
    }

    init(
        _ enrollment: Enrollment, _ schedule: Schedule,
        _ hook: @escaping @Sendable (Identity) async throws -> Void,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.enrollment = enrollment
        self.schedule = schedule
        self.hook = hook
        self.sleep = sleep
    }

    /// What happens from now on, until the stream's task ends. A reader that is too slow misses old events.
    public func events() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(64))
        let number = subscribers.withLock { all in
            let number = (all.keys.max() ?? 0) + 1
            all[number] = continuation
            return number
        }
        continuation.onTermination = { [weak self] _ in
            self?.subscribers.withLock { all in
                all[number] = nil
            }
        }
        return stream
    }

    private func tell(_ event: Event) {
        for continuation in subscribers.withLock({ Array($0.values) }) { continuation.yield(event) }
    }

    /// Keeps the identity valid until the task is cancelled, or a `ServiceGroup` that runs the manager triggers graceful
    /// shutdown. A failed attempt does not end it.
    ///
    /// - Throws: `CancellationError`; ``EnrollmentError`` with `reservedLabel`; the store's error when the identity cannot be
    ///   read at the beginning.
    public func run() async throws {
        #if Server
        do { try await cancelWhenGracefulShutdown { try await self.manage() } } catch let error as CancellationError {
            // Graceful shutdown is no error.
            guard Task.isShuttingDownGracefully else { throw error }
        }
        #else
        try await manage()
        #endif
    }

    private func manage() async throws {
        defer { for continuation in subscribers.withLock({ Array($0.values) }) { continuation.finish() } }
        let replacement = enrollment.replacement
        try replacement.checkLabels()
        var current = try await replacement.store.identity(label: replacement.label)
        var failures = 0
        hooked.withLock { [leaf = current?.leaf] in if $0 == .nothing { $0 = .identity(leaf) } }
        while true {
            try Task.checkCancellation()
            // Another process may have renewed it.
            if let found = try? await replacement.store.identity(label: replacement.label), found != current {
                tell(.renewed(found))
                current = found
            }
            if let current, isHookDue(for: current) { await callHook(for: current) }
            if let current, let due = renewal(of: current), due > replacement.now() {
                failures = 0
                tell(.waiting(current, until: due))
                let left = due.subtractingReportingOverflow(replacement.now()).partialValue
                try await sleep(min(schedule.interval, .seconds(left)))
                continue
            }
            var pause = pause(after: failures, current)
            if let current, isHookDue(for: current) { pause = min(pause, schedule.interval) }
            failures = min(failures + 1, 30)
            do {
                // A second more, for at the end of that time the identity is to be renewed.
                let rest = current.flatMap(rest).map { $0 + .seconds(1) }
                let identity = try await enrollment.run(unlessValidFor: rest)
                if identity != current { tell(.renewed(identity)) }
                current = identity
                // Of an authority that certifies for a short time only, not one certificate after the other.
                if (renewal(of: identity) ?? .min) > replacement.now() { continue }
                if isHookDue(for: identity) { await callHook(for: identity) }
                tell(.waiting(identity, until: replacement.now() + pause.components.seconds))
            } catch {
                try Task.checkCancellation()
                tell(.failed(error, retryAfter: pause))
            }
            try await sleep(pause)
        }
    }

    private func isHookDue(for identity: Identity) -> Bool { hooked.withLock { $0 != .identity(identity.leaf) } }

    /// Has the hook called for the identity that is in use when ``run()`` begins, too.
    package func requestHook() { hooked.withLock { $0 = .identity(nil) } }

    private func callHook(for identity: Identity) async {
        do {
            try await hook(identity)
            hooked.withLock { $0 = .identity(identity.leaf) }
        } catch {
            hooked.withLock { $0 = .identity(nil) }
            tell(.hookFailed(error))
        }
    }

    // MARK: Times

    /// When an identity is to be renewed, in seconds since 1970 in UTC; nil when its certificate has no readable validity.
    private func renewal(of identity: Identity) -> Int64? {
        guard let end = identity.leaf.notAfter, let rest = rest(of: identity) else { return nil }
        return end.subtractingReportingOverflow(rest.components.seconds).partialValue
    }

    /// How long an identity is valid when it is to be renewed.
    private func rest(of identity: Identity) -> Duration? {
        guard let begin = identity.leaf.notBefore, let end = identity.leaf.notAfter else { return nil }
        let (life, overflow) = end.subtractingReportingOverflow(begin)
        guard !overflow, life > 0 else { return nil }
        // Not at random: a new number at each look would always end at the earliest time.
        let fraction = Double(identity.leaf.sha256.first ?? 0) / 255
        let share = min(1, max(0, 1 - schedule.share + schedule.jitter * fraction))
        return .seconds(Int64(Double(min(life, 1 << 40)) * share))
    }

    /// Longer after each failure, but eight attempts are made in what is left of the identity's life.
    private func pause(after failures: Int, _ identity: Identity?) -> Duration {
        let pause = min(schedule.maximumRetry, schedule.retry * (1 << failures))
        guard let end = identity?.leaf.notAfter else { return pause }
        let (left, overflow) = end.subtractingReportingOverflow(enrollment.replacement.now())
        guard !overflow, left > 0 else { return pause }
        return max(min(schedule.retry, .seconds(1)), min(pause, .seconds(left) / 8))
    }
}

#if Server
/// With the trait `Server`, a manager is a service of swift-service-lifecycle.
extension IdentityManager: Service {}
#endif
