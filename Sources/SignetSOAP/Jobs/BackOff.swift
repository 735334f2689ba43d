/// The waits between the polls of one job.
struct BackOff {
    /// What no wait is shorter than, lest a service that says “at once” be asked without a pause.
    static let shortest = Duration.milliseconds(1)

    private let polling: Polling
    private let interval: Duration
    /// The next wait before jitter, in seconds.
    private var next: Double
    private let maximum: Double

    init(_ polling: Polling) {
        self.polling = polling
        interval = max(Self.shortest, polling.interval)
        next = interval.inSeconds
        maximum = max(interval, polling.maximumInterval).inSeconds
    }

    /// - Parameter hint: when the service wants to be asked again.
    mutating func wait(hint: Duration?) -> Duration {
        let wait = next
        next = min(next * max(1, polling.factor), maximum)
        if let hint { return max(interval, min(hint, polling.maximumRetryAfter)) }
        // Only shorter: a longer one would pass the maximum.
        let share = min(max(0, polling.jitter), 1) * polling.random()
        return max(Self.shortest, .seconds(wait * (1 - share)))
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
