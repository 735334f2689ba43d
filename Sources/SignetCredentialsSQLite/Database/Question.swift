#if SQLite
import Foundation
import Synchronization

/// Sees to it that of many who want to know one thing only one asks.
final class Question: Sendable {
    private struct State {
        var isAsked = false
        var waiting: [UUID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// How many wait for the answer that another one gets; for tests.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Returns: whether the caller is to ask, and to call ``end(_:)`` then; otherwise somebody else has asked meanwhile.
    /// - Throws: what the one who asked passed on, or `CancellationError`.
    func begin() async throws -> Bool {
        let isOurs = state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked
        }
        if isOurs { return true }
        let id = UUID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOver = state.withLock { state in
                    // The end of it may have come since, and would never be told again.
                    guard state.isAsked, !Task.isCancelled else { return true }
                    state.waiting[id] = continuation
                    return false
                }
                if isOver {
                    continuation.resume(with: Task.isCancelled ? .failure(CancellationError()) : .success(()))
                }
            }
        } onCancel: {
            let waiting = state.withLock { $0.waiting.removeValue(forKey: id) }
            waiting?.resume(throwing: CancellationError())
        }
        return false
    }

    /// - Parameter error: what those get that wait; without one they look for themselves.
    func end(_ error: (any Error)? = nil) {
        let waiting = state.withLock { state in
            defer { state = State() }
            return state.waiting
        }
        for continuation in waiting.values {
            continuation.resume(with: error.map { .failure($0) } ?? .success(()))
        }
    }
}
#endif
