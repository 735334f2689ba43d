import NIOCore

/// How long a connection is idle and how long it may be: the part of its state between the calls; a value without I/O.
struct IdleTime {
    /// For how long the client keeps the connection.
    private let timeout: TimeAmount
    /// The moment at which the connection has been idle for long.
    private(set) var ends = NIODeadline.distantFuture
    /// Whether the connection has ever been idle. A server may close an idle connection at any moment.
    private(set) var hasBegun = false
    /// Since when the connection is idle, and when the server would close it, if that is known.
    private var current: (since: NIODeadline, serversLimit: NIODeadline)?

    /// - Parameter timeout: for how long the client keeps the connection.
    init(timeout: TimeAmount) { self.timeout = timeout }

    /// The connection is idle from now on, unless it is so already.
    ///
    /// - Parameter limit: how long the server keeps idle connections, if that is known.
    mutating func begin(at now: NIODeadline, limit: TimeAmount?) {
        hasBegun = true
        // A call that was cancelled before it sent anything does not change the start of the server's idle time.
        let since = current?.since ?? now
        let serversLimit = limit.map { since + $0 } ?? .distantFuture
        current = (since, serversLimit)
        ends = min(now + timeout, serversLimit)
    }

    /// The pool keeps a connection whose idle time has ended.
    mutating func extend(at now: NIODeadline, limit: TimeAmount?) {
        if let current, let limit { self.current?.serversLimit = current.since + limit }
        ends = max(min(now + timeout, current?.serversLimit ?? .distantFuture), now + .seconds(1))
    }

    /// A call uses the connection.
    mutating func end() { current = nil }

    /// How long the connection has been idle; nil when it is not idle.
    func duration(at now: NIODeadline) -> TimeAmount? { current.map { now - $0.since } }

    /// Whether the server would soon close the connection.
    func isAtServersLimit(at now: NIODeadline) -> Bool { (current?.serversLimit ?? .distantFuture) <= now }
}
