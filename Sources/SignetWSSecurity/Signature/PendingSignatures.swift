import Synchronization

/// The values of the signatures of requests that were sent and not answered yet, by the number of the attempt.
final class PendingSignatures: Sendable {
    /// Of attempts without an answer, the oldest are forgotten.
    private static let maximumCount = 10_000
    private let values = Mutex<[UInt64: [UInt8]]>([:])

    func add(_ value: [UInt8], of attempt: UInt64) {
        values.withLock { values in
            if values.count >= Self.maximumCount {
                let newest = values.keys.sorted().suffix(Self.maximumCount / 2)
                values = values.filter { $0.key >= (newest.first ?? 0) }
            }
            values[attempt] = value
        }
    }

    func remove(_ attempt: UInt64) -> [UInt8]? { values.withLock { $0.removeValue(forKey: attempt) } }
}
