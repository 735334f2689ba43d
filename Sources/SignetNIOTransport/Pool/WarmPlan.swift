import NIOCore

/// Decides when connections are opened ahead of need. A value without I/O; time is passed in.
struct WarmPlan: Sendable {
    private static let longestPause = TimeAmount.seconds(60)

    let count: Int
    private let duration: TimeAmount
    private var lastUse: NIODeadline?
    private var failures: Int64 = 0
    /// Whether the app rests, whose connections would not live.
    var isSuspended = false

    init(count: Int, duration: TimeAmount) {
        self.count = count
        self.duration = duration
    }

    /// Whether connections are kept up now.
    func isActive(at now: NIODeadline) -> Bool {
        guard !isSuspended, let lastUse else { return false }
        return now - lastUse < duration
    }

    /// A call has got a connection.
    mutating func used(at now: NIODeadline) {
        lastUse = now
        // What a call can reach is worth another try.
        succeeded()
    }

    mutating func succeeded() { failures = 0 }

    /// - Returns: how long to wait before the next try.
    mutating func failed() -> TimeAmount {
        failures += 1
        return min(.seconds(1 << min(failures - 1, 6)), Self.longestPause)
    }
}
