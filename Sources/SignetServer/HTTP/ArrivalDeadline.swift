#if Server
import NIOCore
import Synchronization

/// Closes a connection whose client is too slow to send the content of a request: it has a while for it, and longer the more has
/// come. Only the time counts in which the client is waited for.
final class ArrivalDeadline: Sendable {
    private struct State {
        /// What is left of the time.
        var left: TimeAmount
        /// When the waiting began; nil while nobody waits.
        var since: NIODeadline?
        var timer: Scheduled<Void>?
        var isOver = false
    }

    private let channel: any Channel
    private let rate: Int
    private let state: Mutex<State>

    /// - Parameter rate: so many bytes give a second more.
    init(_ channel: any Channel, allowed: Duration, rate: Int) {
        self.channel = channel
        self.rate = max(1, rate)
        state = Mutex(State(left: TimeAmount(min(allowed, .seconds(1_000_000_000)))))
    }

    /// The client is waited for.
    func resume() {
        state.withLock { state in
            state.since = .now()
            if state.timer == nil { schedule(&state) }
        }
    }

    /// Something has come; how long it is dealt with is not the client's matter.
    func pause(received count: Int) {
        state.withLock { state in
            if let since = state.since { state.left = state.left - (.now() - since) }
            state.since = nil
            state.left = state.left + .nanoseconds(Int64(count) * 1_000_000_000 / Int64(rate))
        }
    }

    func end() {
        state.withLock { state in
            state.isOver = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// The timer is not moved when more comes: most are never needed.
    private func schedule(_ state: inout State) {
        let wait = state.since.map { state.left - (.now() - $0) } ?? state.left
        state.timer = channel.eventLoop.scheduleTask(in: max(wait, .milliseconds(1))) { self.look() }
    }

    private func look() {
        let isLate = state.withLock { state in
            state.timer = nil
            // While nobody waits for the client, there is nothing to look for.
            guard !state.isOver, let since = state.since else { return false }
            if .now() - since >= state.left { return true }
            schedule(&state)
            return false
        }
        if isLate { channel.close(promise: nil) }
    }
}
#endif
