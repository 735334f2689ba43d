import Synchronization

/// How many messages this process may still store before it counts them again, and when it removes again what has expired.
///
/// Counting takes long in a large table: each count allows for half of the room that is left, until the next sweep. A full table is
/// counted once a second.
final class CapacityCheck: Sendable {
    enum Place {
        case open
        /// This call must count the messages first.
        case uncounted
        case full
    }

    /// What a sweep has done.
    struct Sweep {
        var hasRemoved: Bool
        var isFinished: Bool
    }

    private struct State {
        var left: Int64 = 0
        var isCounting = false
        /// Until when no count is needed to know that the table is full.
        var full: ContinuousClock.Instant?
        var nextSweep = Int64.min
        var isSweeping = false
    }

    private let state = Mutex(State())

    func take() -> Place {
        state.withLock { state in
            if let full = state.full, .now < full { return .full }
            // While another call counts, a few more do not matter.
            if state.left <= 0, state.isCounting { return .open }
            guard state.left > 0 else {
                state.isCounting = true
                return .uncounted
            }
            state.left -= 1
            return .open
        }
    }

    /// - Parameter free: how many messages the table can take.
    /// - Returns: false when it can take no message.
    func refill(_ free: Int64) -> Bool {
        state.withLock { state in
            guard free > 0 else {
                state.full = .now + .seconds(1)
                return false
            }
            state.full = nil
            state.left = free - free / 2 - 1
            return true
        }
    }

    func endCount() { state.withLock { $0.isCounting = false } }

    /// - Returns: whether this call is to remove what has expired.
    func beginsSweep(_ time: Int64, every interval: Int64) -> Bool {
        state.withLock { state in
            // The clock may have been ahead before.
            guard !state.isSweeping, time >= state.nextSweep || state.nextSweep - time > interval else { return false }
            state.isSweeping = true
            state.nextSweep = time + interval
            return true
        }
    }

    /// - Parameter sweep: nil when it failed; one that is not finished goes on with the next message.
    func endSweep(_ time: Int64, _ sweep: Sweep?) {
        state.withLock { state in
            state.isSweeping = false
            // Other servers have stored messages meanwhile.
            state.left = 0
            if sweep?.hasRemoved == true { state.full = nil }
            if sweep?.isFinished == false { state.nextSweep = time }
        }
    }
}
