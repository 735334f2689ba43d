#if SQLite
import Foundation
import Synchronization

/// Makes sure that of many tasks with the same question only one asks it.
final class SingleFlight: Sendable {
    private struct State {
        var isAsked = false
        var waiting: [UUID: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    /// How many tasks wait for the answer to another task's question; for tests.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// - Returns: whether the caller must ask, and then call ``end(_:)``; otherwise another task has asked meanwhile.
    /// - Throws: the error that the asking task passed on, or `CancellationError`.
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
                    // The question may have ended in between; nothing would resume a continuation that is added now.
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

    /// - Parameter error: thrown to the tasks that wait; with nil, they check for themselves.
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
