import SignetHTTP

/// When a call must be over.
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

    /// Waits for something of the program's, and no longer than there is time.
    func race<Value: Sendable>(
        late: @escaping @Sendable (Value) -> Void = { _ in }, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await SignetHTTP.race(until: end, exceeded: exceeded(), late: late, work)
    }
}
