import NIOCore

/// The moment at which the running timer of a connection fires; a value without I/O.
///
/// The timer may fire too early: most deadlines are never reached, so a deadline that moves to later only has to be
/// looked up again when the timer fires.
struct RunningTimer {
    private var date: NIODeadline?

    /// - Returns: the moment for a timer in place of the running one; nil when none is needed or the running one fires
    ///   early enough.
    mutating func start(for next: NIODeadline) -> NIODeadline? {
        if let date, date <= next { return nil }
        guard next < .distantFuture else { return nil }
        date = next
        return next
    }

    /// The timer has fired or was cancelled.
    mutating func end() { date = nil }
}
