import Synchronization

/// Hands elements from the task that makes a call to the one that takes them, a batch at a time: one is taken while the
/// next one is read, and no more are kept.
final class ElementHandover<Element: Sendable>: Sendable {
    private struct State {
        var batch: [Element]?
        /// The answer whose elements are handed over.
        var owner: ObjectIdentifier?
        /// No more are given.
        var isFinished = false
        /// No more are taken.
        var isClosed = false
        /// Waits for room.
        var giver: CheckedContinuation<Void, Never>?
        /// Waits for a batch.
        var taker: CheckedContinuation<Void, Never>?

        /// Those that wait look again.
        mutating func wake() -> [CheckedContinuation<Void, Never>] {
            defer { (giver, taker) = (nil, nil) }
            return [giver, taker].compactMap { $0 }
        }
    }

    private let state = Mutex(State())

    /// Whether elements were given, after which the call must not be made again.
    var hasGiven: Bool { state.withLock { $0.owner != nil } }

    /// Says whose elements are handed over: those of one answer only.
    ///
    /// - Returns: false where they are those of another.
    func claim(by owner: AnyObject) -> Bool {
        state.withLock { state in
            let owner = ObjectIdentifier(owner)
            if state.owner == nil { state.owner = owner }
            return state.owner == owner
        }
    }

    /// Waits until the batch before is being taken, and leaves another one.
    ///
    /// - Throws: `CancellationError`, also when no more are taken.
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

    /// Returns when there may be room, or the task is cancelled.
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

    /// The next batch; nil when there are no more.
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

    /// Says that no more are given.
    func finish() {
        state.withLock { $0.isFinished = true }
        wake()
    }

    /// Says that no more are taken.
    func close() {
        state.withLock { $0.isClosed = true }
        wake()
    }

    private func wake() {
        for continuation in state.withLock({ $0.wake() }) { continuation.resume() }
    }
}
