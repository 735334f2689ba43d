import Synchronization

/// What belongs to requests that were sent and not answered yet, by the number of the attempt.
final class PendingValues<Value: Sendable>: Sendable {
    /// Of attempts without an answer, the oldest are forgotten.
    private let maximumCount = 10_000
    private let values = Mutex<[UInt64: Value]>([:])

    func add(_ value: Value, of attempt: UInt64) {
        values.withLock { values in
            if values.count >= maximumCount {
                let newest = values.keys.sorted().suffix(maximumCount / 2)
                values = values.filter { $0.key >= (newest.first ?? 0) }
            }
            values[attempt] = value
        }
    }

    subscript(attempt: UInt64) -> Value? { values.withLock { $0[attempt] } }

    @discardableResult func remove(_ attempt: UInt64) -> Value? { values.withLock { $0.removeValue(forKey: attempt) } }
}
