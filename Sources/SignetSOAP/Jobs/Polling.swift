/// Waits for a job that a service performs: it polls again and again, with growing waits, until the job is done, has
/// failed, or the time is up.
///
/// ```swift
/// let answer = try await Polling(every: .seconds(2), upTo: .seconds(30), deadline: .seconds(600)).run {
///     try await omniture.reportGetReport(.init(reportID: id)).return
/// } state: { report in
///     switch report?.status {
///     case "done": .done
///     case "failed": .failed(ReportFailure(report?.statusMsg))
///     default: .pending()
///     }
/// }
/// ```
///
/// A poll must be safe to repeat. A poll that fails for a temporary reason is repeated, up to ``toleratedFailures``
/// times in a row: no connection, no answer in time, or one of the statuses 429, 502, 503 and 504. A failure of trust
/// between client and service, a fault, or an answer that cannot be read ends the polling at once.
public struct Polling: Sendable {
    /// The first wait, and the shortest one before jitter. A millisecond or more.
    public var interval: Duration
    /// The limit up to which waits grow.
    public var maximumInterval: Duration
    /// The factor by which a wait grows from one poll to the next.
    public var factor = 2.0
    /// The share, from 0 to 1, by which a wait may be shorter, so that clients that began together do not poll
    /// together.
    public var jitter = 0.2
    /// The longest wait that a service may impose, with the field `Retry-After` of a refusal or with ``JobState``.
    ///
    /// When a service says how long to wait, this replaces the usual wait, and has no jitter. A shorter time than
    /// ``interval`` is raised to that, and a longer one than `longestRetryAfter` is cut to that: unlike
    /// ``RetryMiddleware``, the polling does not give up.
    public var longestRetryAfter: Duration = .seconds(300)
    /// The time after the start at which the polling gives up; a year at most.
    public var deadline: Duration
    /// The number of consecutive polls that may fail for a temporary reason.
    public var toleratedFailures = 3
    /// The clock that measures the waits and the deadline.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Returns a number from 0 to 1 for each jitter.
    var random: @Sendable () -> Double = { .random(in: 0...1) }

    /// - Parameters:
    ///   - interval: the first wait, and the shortest one before jitter; a millisecond or more.
    ///   - maximumInterval: the limit up to which waits grow.
    ///   - deadline: the time after the start at which the polling gives up; a year at most.
    public init(
        every interval: Duration = .seconds(1), upTo maximumInterval: Duration = .seconds(30),
        deadline: Duration = .seconds(600)
    ) {
        self.interval = interval
        self.maximumInterval = maximumInterval
        self.deadline = deadline
    }

    /// Polls until the job is done: at once, then after each wait. At the deadline, or when the task is cancelled, a
    /// poll under way is cancelled too, and `run` waits for it, which takes no time if the poll reacts to cancellation
    /// as calls do. If it returns a result all the same, that result counts.
    ///
    /// - Parameters:
    ///   - poll: asks the service for the state of the job.
    ///   - state: reads the state of the job from an answer.
    ///   - onProgress: receives every answer that reports a pending job; the next wait begins when it returns.
    /// - Returns: the answer that reports that the job is done.
    /// - Throws: the reason of ``JobState/failed(_:)``; ``PollingError`` when time is up; `TransportError` with
    ///   `cancelled`; the errors of `poll` that are not tolerated or too frequent; the errors of `state`.
    public func run<Answer: Sendable>(
        _ poll: @escaping @Sendable () async throws -> Answer,
        state: @escaping @Sendable (Answer) throws -> JobState,
        onProgress: @escaping @Sendable (Answer) async -> Void = { _ in }
    ) async throws -> Answer {
        try await run(by: clock, Job(poll: poll, state: state, onProgress: onProgress))
    }

    private struct Job<Answer: Sendable>: Sendable {
        let poll: @Sendable () async throws -> Answer
        let state: @Sendable (Answer) throws -> JobState
        let onProgress: @Sendable (Answer) async -> Void
    }

    /// How the polls ended.
    private struct Ending<Answer: Sendable>: Sendable {
        var polls = 0
        var lastAnswer: Answer?
        var lastFailure: (any Error)?
        /// The result; nil when the polls were cut short.
        var result: Result<Answer, any Error>?
    }

    private func run<Answer>(by clock: some Clock<Duration>, _ job: Job<Answer>) async throws -> Answer {
        let start = clock.now
        let end = start.advanced(by: min(deadline, BackOff.longest))
        let ending = await withTaskGroup(of: Ending<Answer>?.self) { group in
            group.addTask { await poll(job, until: end, by: clock) }
            group.addTask {
                try? await clock.sleep(until: end, tolerance: nil)
                return nil
            }
            var ending = Ending<Answer>()
            for await child in group {
                group.cancelAll()
                if let child { ending = child }
            }
            return ending
        }
        if let result = ending.result { return try result.get() }
        if Task.isCancelled { throw TransportError.cancelled() }
        throw PollingError(
            .expired,
            "The job was not done within \(deadline) (polls: \(ending.polls)). It may still be running: ask for it again later, or allow more time.",
            polls: ending.polls, elapsed: start.duration(to: clock.now), lastAnswer: ending.lastAnswer,
            cause: ending.lastFailure)
    }

    private func poll<Answer, Time: Clock<Duration>>(
        _ job: Job<Answer>, until end: Time.Instant, by clock: Time
    ) async -> Ending<Answer> {
        var ending = Ending<Answer>()
        var backOff = backOff
        var failures = 0
        while true {
            ending.polls &+= 1
            let hint: Duration?
            do {
                let answer = try await job.poll()
                failures = 0
                ending.lastAnswer = answer
                ending.lastFailure = nil
                let state: JobState
                do { state = try job.state(answer) } catch { state = .failed(error) }
                switch state {
                case .done: ending.result = .success(answer)
                case .failed(let reason): ending.result = .failure(reason)
                case .pending: await job.onProgress(answer)
                }
                guard case .pending(let retryAfter) = state else { return ending }
                hint = retryAfter
            } catch {
                // The error of a cancelled poll says nothing about the job.
                if Task.isCancelled { return ending }
                failures &+= 1
                guard failures <= toleratedFailures, let failure = TransientFailure(error) else {
                    ending.result = .failure(error)
                    return ending
                }
                ending.lastFailure = error
                hint = failure.retryAfter
            }
            let wait = wait(hint, &backOff)
            // The caller need not wait for a poll that would begin after the deadline.
            guard clock.now.advanced(by: wait) < end else { return ending }
            do { try await clock.sleep(for: wait) } catch { return ending }
        }
    }

    var backOff: BackOff {
        BackOff(every: interval, upTo: maximumInterval, factor: factor, jitter: jitter, random: random)
    }

    /// - Parameter hint: how long the service wants the client to wait.
    func wait(_ hint: Duration?, _ backOff: inout BackOff) -> Duration {
        let usual = backOff.wait()
        return hint.map { max(BackOff.shortest, interval, min($0, longestRetryAfter)) } ?? usual
    }
}
