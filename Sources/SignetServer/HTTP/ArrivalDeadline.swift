#if Server
import NIOCore
import Synchronization

/// Closes a connection whose client is too slow to send the content of a request. The client has a fixed time, and more
/// time the more bytes have arrived. Only the time that the server spends waiting for the client counts.
///
/// It serves one request after the other: ``begin(allowed:rate:)`` and ``end()`` take turns.
final class ArrivalDeadline: Sendable {
    private struct State {
        /// The time that the request had at its begin.
        var allowed = TimeAmount.zero
        /// The remaining time.
        var left = TimeAmount.zero
        /// For each this many bytes, the client gets another second.
        var rate = 1
        /// The time at which the server began to wait; nil while it does not wait.
        var since: NIODeadline?
        var timer: Scheduled<Void>?
        var isOver = true
        var isStopped = false
    }

    private let channel: any Channel
    private let keepsTimer: Bool
    private let state = Mutex(State())

    /// - Parameter keepsTimer: whether a timer stays for the next request, so that most requests need none of their own.
    init(_ channel: any Channel, keepsTimer: Bool = false) { (self.channel, self.keepsTimer) = (channel, keepsTimer) }

    /// The head of a request has arrived.
    ///
    /// - Parameter rate: for each this many bytes, the client gets another second.
    func begin(allowed: Duration, rate: Int) {
        state.withLock { state in
            state.allowed = TimeAmount(min(allowed, .seconds(1_000_000_000)))
            state.left = state.allowed
            state.rate = max(1, rate)
            (state.since, state.isOver) = (nil, false)
        }
    }

    /// The server begins to wait for the client.
    func resume() {
        state.withLock { state in
            state.since = .now()
            if state.timer == nil, !state.isStopped { schedule(&state) }
        }
    }

    /// Bytes have arrived. The time that the server takes to process them does not count against the client.
    func pause(received count: Int) {
        state.withLock { state in
            if let since = state.since { state.left = state.left - (.now() - since) }
            state.since = nil
            state.left = state.left + .nanoseconds(Int64(count) * 1_000_000_000 / Int64(state.rate))
        }
    }

    /// The content is there, or is not wanted any more. A timer that is kept stays.
    func end() {
        state.withLock { state in
            (state.since, state.isOver) = (nil, true)
            guard !keepsTimer else { return }
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// The connection has ended: from now on no timer is set.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// The timer is not rescheduled when more bytes arrive, because most timers are never needed. Nor does it wait longer than a request
    /// has at its begin: the next request might have no more.
    private func schedule(_ state: inout State) {
        let wait = state.since.map { state.left - (.now() - $0) } ?? state.left
        let next = min(max(wait, .milliseconds(1)), state.allowed)
        state.timer = channel.eventLoop.scheduleTask(in: next) { self.look() }
    }

    private func look() {
        let isLate = state.withLock { state in
            state.timer = nil
            // While the server does not wait for the client, there is nothing to check.
            guard !state.isOver, let since = state.since else { return false }
            if .now() - since >= state.left { return true }
            schedule(&state)
            return false
        }
        if isLate { channel.close(promise: nil) }
    }
}
#endif
