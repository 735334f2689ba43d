package import NIOCore
import SignetHTTP

/// The moment by which a call must end, whatever it is doing.
struct CallDeadline: Sendable {
    let total: NIODeadline
    private let allowed: Duration

    init(_ deadlines: Deadlines) {
        allowed = deadlines.total
        total = .now() + TimeAmount(limited: deadlines.total)
    }

    var hasPassed: Bool { total <= .now() }

    func exceeded(while doing: String, mayHaveBeenProcessed: Bool = false) -> TransportError {
        .init(
            .deadlineExceeded, "The call took longer than the \(allowed) it may, while \(doing).",
            mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    /// Waits for other work, but not beyond the deadline.
    ///
    /// - Parameter late: Gets a result that came too late.
    func race<Value: Sendable>(
        while doing: String, late: @escaping @Sendable (Value) -> Void = { _ in },
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await SignetHTTP.race(
            until: .now + .nanoseconds((total - .now()).nanoseconds), exceeded: exceeded(while: doing), late: late, work
        )
    }
}

extension TimeAmount {
    /// A duration from outside, limited so that adding it to a date cannot overflow.
    package init(limited duration: Duration) { self.init(max(.zero, min(duration, .seconds(1_000_000_000)))) }
}
