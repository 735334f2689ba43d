import Synchronization

/// A clock that stands still until it is moved.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant(offset: .zero)
        var next = 0
        var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, any Error>)] = [:]
        /// Those that were called off, perhaps before they slept.
        var calledOff: Set<Int> = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let (wakes, watchers) = state.withLock { state in
                    if state.calledOff.contains(number) { return (Wake.calledOff, [Watcher]()) }
                    if deadline <= state.now { return (.late, []) }
                    state.sleepers[number] = (deadline, continuation)
                    let ready = state.watchers.filter { $0.count <= state.sleepers.count }.map(\.continuation)
                    state.watchers.removeAll { $0.count <= state.sleepers.count }
                    return (.later, ready)
                }
                switch wakes {
                case .calledOff: continuation.resume(throwing: CancellationError())
                case .late: continuation.resume()
                case .later: for watcher in watchers { watcher.resume() }
                }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.calledOff.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private enum Wake { case calledOff, late, later }
    private typealias Watcher = CheckedContinuation<Void, Never>

    /// Waits until so many sleep, and says when the first of them wants to be woken.
    func sleepers(_ count: Int) async -> Duration {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        return state.withLock { $0.sleepers.values.map(\.until.offset).min() ?? .zero }
    }

    func move(to offset: Duration) {
        let woken = state.withLock { state in
            state.now.offset = max(state.now.offset, offset)
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }
}
