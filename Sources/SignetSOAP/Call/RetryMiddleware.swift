import Synchronization

/// Repeats calls that failed for a reason that may pass. Calls are repeated only by clients that have it.
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
/// Nor is a call repeated whose attachments were read and cannot be read again (`HTTPBody/isReplayable`), or of which
/// elements were handed over (``ServiceCall/canBeRepeated``). What ends a call is the error of its last attempt. A
/// `TransportError` says that the request may have been processed when that holds for any attempt; an error of another
/// type, such as a fault or a ``ServiceError``, says nothing of the attempts before.
///
/// `Deadlines/total` holds for each attempt, ``Settings/total`` for all of them with the waits between. Middlewares
/// before this one see one call, those behind it see every attempt, as do header providers: nonces and message
/// identifiers are new each time. All copies of the value share one budget of retries, so that a service that is down
/// for many calls is not asked several times as often.
public struct RetryMiddleware: CallMiddleware {
    /// When a call is repeated, and how often.
    public struct Settings: Sendable {
        /// How often a call is made at most, the first time included; 1 at least, which repeats nothing.
        public var maximumAttempts = 3
        /// The longest wait before the second attempt. Each wait is a random time up to its longest (full jitter).
        public var interval: Duration = .milliseconds(200)
        /// What the longest wait grows to; ``interval`` at least.
        public var maximumInterval: Duration = .seconds(10)
        /// By what the longest wait grows from one attempt to the next; 1 at least.
        public var factor = 2.0
        /// The longest time after which a service may ask to be called again, by the field `Retry-After` in seconds or
        /// as a date beside a field `Date`. That time is waited for before the usual wait; a call that would have to
        /// wait longer is not repeated.
        public var maximumRetryAfter: Duration = .seconds(30)
        /// How long after the start of a call its last attempt may begin. An attempt that is under way ends by its own
        /// deadlines, so that a call takes this and `Deadlines/total` at most.
        public var total: Duration = .seconds(60)
        /// The names, as in the WSDL, of operations that do no harm when the service acts on them twice.
        public var idempotentOperations: Set<String> = []
        /// How many retries each call adds to the budget, from 0.001 to 1: at 0.2 one call in five may be repeated in
        /// the long run.
        public var budgetShare = 0.2
        /// How many retries the budget holds at most, and at the start; from 1 to 1,000,000.
        public var budgetReserve = 10
        /// What measures the waits and ``total``.
        public var clock: any Clock<Duration> = ContinuousClock()
        /// A number from 0 to 1 for each wait.
        var random: @Sendable () -> Double = { .random(in: 0...1) }

        /// The usual settings: three attempts, of which the last begins within a minute. No operation counts as
        /// idempotent.
        public init() {}
    }

    /// A setting with which a call could not be repeated as it says.
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
        budget = RetryBudget(share: settings.budgetShare, reserve: settings.budgetReserve)
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
        var course = RetryCourse(settings, call.operation)
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
            ("budgetShare", (0.001...1).contains(budgetShare), "from 0.001 to 1"),
            ("budgetReserve", (1...1_000_000).contains(budgetReserve), "from 1 to 1,000,000"),
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

/// Decides about the attempts of one call, and makes none itself.
struct RetryCourse {
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

    /// How long to wait for the next attempt after one that failed; nil when the call is not to be repeated.
    mutating func wait(after error: any Error, elapsed: Duration) -> Duration? {
        guard let failure = PassingFailure(error) else { return nil }
        mayHaveBeenProcessed = mayHaveBeenProcessed || failure.mayHaveBeenProcessed
        let hint = failure.retryAfter ?? .zero
        guard attempts < settings.maximumAttempts, isIdempotent || !failure.mayHaveBeenProcessed,
            hint <= settings.maximumRetryAfter
        else { return nil }
        attempts += 1
        let wait = hint + backOff.wait()
        return wait < settings.total - elapsed ? wait : nil
    }

    /// An error with what the attempts before say about it.
    func told(_ error: any Error) -> any Error {
        guard mayHaveBeenProcessed, var error = error as? TransportError else { return error }
        error.mayHaveBeenProcessed = true
        return error
    }
}

/// How many retries are left, in thousandths.
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

    /// Takes a retry out; false when there is not a whole one.
    func spend() -> Bool {
        left.withLock { left in
            guard left >= Self.retry else { return false }
            left -= Self.retry
            return true
        }
    }
}
