import SignetHTTP

/// The moment by which a call must end.
struct SessionDeadline: Sendable {
    let end: ContinuousClock.Instant
    private let total: Duration

    init(total: Duration, since start: ContinuousClock.Instant) {
        self.total = total
        end = start + total
    }

    func exceeded(mayHaveBeenProcessed: Bool = false) -> TransportError {
        .init(
            .deadlineExceeded, "The call took longer than the \(total) it may.",
            mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    /// Waits for the program's own code, but not beyond the deadline.
    func race<Value: Sendable>(
        late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await SignetHTTP.race(until: end, exceeded: exceeded(), late: late, work)
    }
}
