import NIOCore

/// Decides when connections are opened in advance. A value without I/O; the time is a parameter.
struct WarmPlan: Sendable {
    private static let longestPause = TimeAmount.seconds(60)

    let count: Int
    private let duration: TimeAmount
    private var lastUse: NIODeadline?
    /// When connections were opened: as many entries as connections are wanted, the earliest first.
    private var openings: [NIODeadline] = []
    private var failures: Int64 = 0
    private var hasFailed = false
    /// Whether the app is suspended, so that its connections would not survive.
    var isSuspended = false

    init(count: Int, duration: TimeAmount) {
        self.count = count
        self.duration = duration
    }

    /// Whether connections are kept open now.
    func isActive(at now: NIODeadline) -> Bool {
        guard !isSuspended, let lastUse else { return false }
        return now - lastUse < duration
    }

    /// A call has got a connection.
    mutating func used(at now: NIODeadline) {
        lastUse = now
        // A call reached the server, so opening is worth another try.
        (openings, failures, hasFailed) = ([], 0, false)
    }

    /// The last opening has failed.
    mutating func failed() { hasFailed = true }

    /// A connection must be opened. Pauses grow while openings fail, and while connections close as soon as they are
    /// open, since a server may refuse a client after the handshake.
    ///
    /// - Returns: how long to wait before opening it.
    mutating func pauseBeforeOpening(at now: NIODeadline) -> TimeAmount {
        let isFrequent =
            openings.count >= count && openings.first.map { now - $0 < .seconds(1) + pause + pause } == true
        failures = hasFailed || isFrequent ? failures + 1 : 0
        hasFailed = false
        openings.append(now + pause)
        if openings.count > count { openings.removeFirst() }
        return pause
    }

    private var pause: TimeAmount {
        failures == 0 ? .zero : min(.seconds(1 << min(failures - 1, 6)), Self.longestPause)
    }
}
