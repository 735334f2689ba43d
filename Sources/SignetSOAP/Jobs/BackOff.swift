/// Waits that grow from one to the next: between the polls of a job, or the attempts of a call.
struct BackOff {
    /// The shortest wait, so that a service is never asked without a pause.
    static let shortest = Duration.milliseconds(1)
    /// The longest wait and the longest deadline.
    static let longest = Duration.seconds(366 * 86_400)

    private let factor: Double
    private let jitter: Double
    private let random: @Sendable () -> Double
    /// The next wait before jitter, in seconds.
    private var next: Double
    private let maximum: Double

    /// - Parameters:
    ///   - interval: the first wait before jitter; at least ``shortest``.
    ///   - maximum: the limit up to which the waits grow; at least the first wait.
    ///   - factor: the factor by which a wait grows; 1 or more.
    ///   - jitter: the share, from 0 to 1, by which a wait may be shorter; it is never longer, because it must not
    ///     exceed the maximum.
    ///   - random: returns a number from 0 to 1 for each wait.
    init(
        every interval: Duration, upTo maximum: Duration, factor: Double, jitter: Double,
        random: @escaping @Sendable () -> Double
    ) {
        let interval = max(Self.shortest, interval)
        next = interval.inSeconds
        self.maximum = max(interval, maximum).inSeconds
        self.factor = max(1, factor)
        self.jitter = min(max(0, jitter), 1)
        self.random = random
    }

    mutating func wait() -> Duration {
        let wait = next
        next = min(next * factor, maximum)
        return max(Self.shortest, .seconds(wait * (1 - jitter * random())))
    }
}

extension Duration {
    fileprivate var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
