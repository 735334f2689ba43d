import Synchronization

/// Passes elements from the task that makes a call to the task that takes them, one batch at a time: one batch is taken
/// while the next one is read, and no more are kept.
final class ElementHandover<Element: Sendable>: Sendable {
    private struct State {
        var batch: [Element]?
        /// Identifies the answer whose elements are handed over.
        var owner: ObjectIdentifier?
        /// Whether the giver has finished.
        var isFinished = false
        /// Whether the taker has stopped.
        var isClosed = false
        /// The giver, when it waits for room.
        var giver: CheckedContinuation<Void, Never>?
        /// The taker, when it waits for a batch.
        var taker: CheckedContinuation<Void, Never>?

        /// Returns the waiting tasks, to be resumed so that they check the state again.
        mutating func wake() -> [CheckedContinuation<Void, Never>] {
            defer { (giver, taker) = (nil, nil) }
            return [giver, taker].compactMap { $0 }
        }
    }

    private let state = Mutex(State())

    /// Whether elements were given, after which the call must not be made again.
    var hasGiven: Bool { state.withLock { $0.owner != nil } }

    /// Records which answer's elements are handed over; elements of only one answer are.
    ///
    /// - Returns: false when elements of another answer are handed over.
    func claim(by owner: AnyObject) -> Bool {
        state.withLock { state in
            let owner = ObjectIdentifier(owner)
            if state.owner == nil { state.owner = owner }
            return state.owner == owner
        }
    }

    /// Waits until the batch before is taken, and leaves the next one.
    ///
    /// - Throws: `CancellationError`, also when the taker has stopped.
    func give(_ batch: [Element]) async throws {
        while true {
            try Task.checkCancellation()
            let outcome = state.withLock { state in
                if state.isClosed { return Outcome.over }
                if state.batch != nil { return Outcome.wait }
                state.batch = batch
                let taker = state.taker
                state.taker = nil
                return Outcome.done(taker)
            }
            switch outcome {
            case .over: throw CancellationError()
            case .done(let taker):
                taker?.resume()
                return
            case .wait: await room()
            }
        }
    }

    private enum Outcome {
        case over, wait
        case done(CheckedContinuation<Void, Never>?)
    }

    /// Returns when there may be room, or when the task is cancelled.
    private func room() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.batch == nil || state.isClosed || Task.isCancelled { return true }
                    state.giver = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            wake()
        }
    }

    /// Returns the next batch; nil when there are no more.
    nonisolated(nonsending) func next() async -> [Element]? {
        while true {
            let (batch, isOver, giver) = state.withLock { state in
                defer { state.batch = nil }
                let giver = state.batch == nil ? nil : state.giver
                if giver != nil { state.giver = nil }
                return (state.batch, state.isFinished, giver)
            }
            giver?.resume()
            if let batch { return batch }
            if isOver { return nil }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.batch != nil || state.isFinished { return true }
                    state.taker = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    /// Called by the giver when it gives no more.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Called by the taker when it takes no more.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    private func wake() {
        for continuation in state.withLock({ $0.wake() }) { continuation.resume() }
    }
}
