import Synchronization

/// Repeats calls that failed for a temporary reason. Only clients with this middleware repeat calls.
///
/// ```swift
/// var settings = RetryMiddleware.Settings()
/// settings.idempotentOperations = ["LogEntryQuery"]
/// service.middlewares.append(try RetryMiddleware(settings))
/// ```
///
/// | failure | repeated |
/// |---|---|
/// | no server, no connection, no answer in time: `mayHaveBeenProcessed` of the `TransportError` is false | always |
/// | the same, and it is true | ``Settings/idempotentOperations`` |
/// | status 429, or 503 with `Retry-After`, without a fault | always, after `Retry-After` where the answer has it |
/// | status 502, 503 or 504 without a fault | ``Settings/idempotentOperations`` |
/// | anything else: faults, trust, identities, authentication, answers that cannot be read, cancellation | never |
///
/// It does not repeat a call whose attachments were read and cannot be read again (`HTTPBody/isReplayable`), or whose
/// elements were handed over (``ServiceCall/canBeRepeated``). A failed call throws the error of its last attempt. A
/// `TransportError` states that the request may have been processed when that is true of any attempt; an error of
/// another type, such as a fault or a ``ServiceError``, says nothing about the attempts before.
///
/// `Deadlines/total` applies to each attempt, ``Settings/total`` to all attempts with the waits between them.
/// Middlewares before this one see one call; middlewares after it, and header providers, see every attempt, so that
/// nonces and message identifiers are new each time. All copies of the value share one budget of retries, so that a
/// service that is down does not get several times as many requests.
public struct RetryMiddleware: CallMiddleware {
    /// When calls are repeated, and how often.
    public struct Settings: Sendable {
        /// The greatest number of attempts, the first one included; 1 or more, where 1 means no repetition.
        public var maximumAttempts = 3
        /// The longest wait before the second attempt. Each wait is random, from zero up to its longest (full jitter).
        public var interval: Duration = .milliseconds(200)
        /// The limit up to which the longest wait grows; ``interval`` or more.
        public var maximumInterval: Duration = .seconds(10)
        /// The factor by which the longest wait grows from one attempt to the next; 1 or more.
        public var factor = 2.0
        /// The longest time that a service may ask the client to wait, with the field `Retry-After` in seconds or as a
        /// date beside a field `Date`. The client waits for that time and then for the usual wait; it does not repeat a
        /// call that would have to wait longer.
        public var maximumRetryAfter: Duration = .seconds(30)
        /// How long after the start of a call its last attempt may begin. An attempt under way ends by its own
        /// deadlines, so that a call takes at most this time plus `Deadlines/total`.
        public var total: Duration = .seconds(60)
        /// The names in the WSDL of operations that do no harm when the service performs them twice.
        public var idempotentOperations: Set<String> = []
        /// How many retries each call adds to the budget, from 0.001 to 1: at 0.2 one call in five may be repeated in
        /// the long run.
        public var retriesEarnedPerCall = 0.2
        /// How many retries the budget holds at most, and at the start; from 1 to 1,000,000.
        public var maximumSavedRetries = 10
        /// The clock that measures the waits and ``total``.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// Returns a number from 0 to 1 for each wait.
        var random: @Sendable () -> Double = { .random(in: 0...1) }

        /// Makes the usual settings: three attempts, the last of which begins within a minute. No operation counts as
        /// idempotent.
        public init() {}
    }

    /// A setting that is out of its range.
    public struct SettingError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The property of ``Settings``.
        public let setting: String
        /// What is wrong, and what to do about it.
        public let message: String
        public var description: String { message }
    }

    private let settings: Settings
    private let budget: RetryBudget

    /// - Throws: ``SettingError`` for the first setting that is out of its bounds.
    public init(_ settings: Settings = Settings()) throws(SettingError) {
        try settings.check()
        self.settings = settings
        budget = RetryBudget(share: settings.retriesEarnedPerCall, reserve: settings.maximumSavedRetries)
    }

    public func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> { try await attempt(call, by: settings.clock, next) }

    private func attempt<Input, Output>(
        _ call: ServiceCall<Input>, by clock: some Clock<Duration>,
        _ next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        budget.earn()
        let start = clock.now
        var course = RetryProgress(settings, call.operation)
        while true {
            do { return try await next(call) } catch {
                let error = course.told(error)
                guard !Task.isCancelled, call.canBeRepeated,
                    let wait = course.wait(after: error, elapsed: start.duration(to: clock.now)), budget.spend()
                else { throw error }
                do { try await clock.sleep(for: wait) } catch { throw course.told(TransportError.cancelled()) }
            }
        }
    }
}

extension RetryMiddleware.Settings {
    fileprivate func check() throws(RetryMiddleware.SettingError) {
        let waits: ClosedRange<Duration> = BackOff.shortest...BackOff.longest
        let rules: [(setting: String, isKept: Bool, rule: String)] = [
            ("maximumAttempts", maximumAttempts >= 1, "1 or more; 1 repeats nothing"),
            ("interval", waits.contains(interval), "from a millisecond to a year"),
            (
                "maximumInterval", maximumInterval >= interval && waits.contains(maximumInterval),
                "from interval to a year"
            ),
            ("factor", factor >= 1 && factor.isFinite, "1 or more"),
            ("maximumRetryAfter", (.zero...BackOff.longest).contains(maximumRetryAfter), "from zero to a year"),
            ("total", waits.contains(total), "from a millisecond to a year"),
            ("retriesEarnedPerCall", (0.001...1).contains(retriesEarnedPerCall), "from 0.001 to 1"),
            ("maximumSavedRetries", (1...1_000_000).contains(maximumSavedRetries), "from 1 to 1,000,000"),
        ]
        if let broken = rules.first(where: { !$0.isKept }) {
            throw RetryMiddleware.SettingError(
                setting: broken.setting,
                message:
                    "The setting \(broken.setting) of a RetryMiddleware is out of its bounds: set it to \(broken.rule)."
            )
        }
    }
}

/// Decides about the attempts of one call. It makes no attempt itself.
struct RetryProgress {
    private let settings: RetryMiddleware.Settings
    private let isIdempotent: Bool
    private var backOff: BackOff
    private var attempts = 1
    /// Whether the service may have acted on an attempt.
    private var mayHaveBeenProcessed = false

    init(_ settings: RetryMiddleware.Settings, _ operation: String) {
        self.settings = settings
        isIdempotent = settings.idempotentOperations.contains(operation)
        backOff = BackOff(
            every: settings.interval, upTo: settings.maximumInterval, factor: settings.factor, jitter: 1,
            random: settings.random)
    }

    /// How long to wait before the next attempt after a failed one; nil when the call is not repeated.
    mutating func wait(after error: any Error, elapsed: Duration) -> Duration? {
        guard let failure = TransientFailure(error) else { return nil }
        mayHaveBeenProcessed = mayHaveBeenProcessed || failure.mayHaveBeenProcessed
        let hint = failure.retryAfter ?? .zero
        guard attempts < settings.maximumAttempts, isIdempotent || !failure.mayHaveBeenProcessed,
            hint <= settings.maximumRetryAfter
        else { return nil }
        attempts += 1
        let wait = hint + backOff.wait()
        return wait < settings.total - elapsed ? wait : nil
    }

    /// An error with the facts of the earlier attempts added.
    func told(_ error: any Error) -> any Error {
        guard mayHaveBeenProcessed, var error = error as? TransportError else { return error }
        error.mayHaveBeenProcessed = true
        return error
    }
}

/// The number of retries left, in thousandths.
private final class RetryBudget: Sendable {
    private static let retry = 1_000
    private let share: Int
    private let reserve: Int
    private let left: Mutex<Int>

    init(share: Double, reserve: Int) {
        self.share = Int((share * Double(Self.retry)).rounded())
        self.reserve = reserve * Self.retry
        left = Mutex(self.reserve)
    }

    /// Adds the share of a call.
    func earn() { left.withLock { $0 = min($0 + share, reserve) } }

    /// Takes a retry out of the budget; false when less than one is left.
    func spend() -> Bool {
        left.withLock { left in
            guard left >= Self.retry else { return false }
            left -= Self.retry
            return true
        }
    }
}
