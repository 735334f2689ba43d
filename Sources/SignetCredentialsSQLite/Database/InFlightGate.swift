#if SQLite
import Synchronization

/// Counts the calls that use a store, since SQLite must not be used after it was closed.
final class InFlightGate: Sendable {
    private struct State {
        var count = 0
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// - Returns: false when the store is closed; otherwise the caller must call ``end()``.
    func begin() -> Bool {
        state.withLock { state in
            if !state.isClosed { state.count += 1 }
            return !state.isClosed
        }
    }

    func end() {
        let waiting = state.withLock { state in
            state.count -= 1
            if state.count > 0 { return [] as [CheckedContinuation<Void, Never>] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Prevents new calls, and waits for the running ones.
    func close() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
#endif
