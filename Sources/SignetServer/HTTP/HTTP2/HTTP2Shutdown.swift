#if Server
import NIOCore

/// Decides when a connection of HTTP/2 ends that has not failed (RFC 9113 §6.8); a value without I/O.
///
/// NIO has a handler for this. It waits without a limit for a client that does not acknowledge its PING, and closes the
/// connection although the client has not received its last answer.
struct HTTP2Shutdown {
    enum Action: Equatable {
        /// Start a timer, in place of the running one; then call ``timerFired()``.
        case startTimer(TimeAmount)
        case stopTimer
        /// Tell the client that no stream after this one is processed, and send it a PING.
        case sayGoodbye(last: Int)
        /// Send nothing more, and close the connection when the client has been silent for a time: it may still take
        /// what was sent to it.
        case close(silence: TimeAmount)
    }

    private enum Phase {
        case open
        case leaving(Answer)
        case closed
    }

    /// What the client says to the PING.
    private enum Answer { case awaited, missing, received }

    /// How long a client may take to acknowledge the PING. Until then it may begin requests, which are lost when the
    /// connection is closed.
    private static let patience = TimeAmount.seconds(1)
    /// How long a client that takes its last answer may be silent.
    private static let silence = TimeAmount.seconds(5)

    private let idle: TimeAmount
    private var phase = Phase.open
    private var streams: Set<Int> = []
    /// The writes that have not left: a client may take long to receive one.
    private var writes = 0
    /// The last stream that the client has begun.
    private var last = 0
    /// Whether an answer was sent after the PING.
    private var hasNews = false

    /// - Parameter idle: how long the client may have no request in progress, once it had one.
    init(idle: TimeAmount) { self.idle = idle }

    var isLeaving: Bool { if case .leaving = phase { true } else { false } }
    var hasStreams: Bool { !streams.isEmpty }

    /// The client has begun a stream.
    mutating func opened(stream: Int) -> [Action] {
        last = max(last, stream)
        streams.insert(stream)
        return work()
    }

    /// A stream has ended, which need not have been opened: NIO ends those with a wrong head too.
    mutating func closed(stream: Int) -> [Action] {
        guard streams.remove(stream) != nil else { return [] }
        hasNews = isLeaving
        return rest()
    }

    /// The server writes something for which the connection is needed.
    mutating func beganWrite() -> [Action] {
        writes += 1
        return work()
    }

    mutating func endedWrite() -> [Action] {
        writes -= 1
        return rest()
    }

    /// The server shuts down.
    mutating func leave() -> [Action] {
        guard case .open = phase else { return [] }
        phase = .leaving(.awaited)
        return [.sayGoodbye(last: last), .startTimer(Self.patience)]
    }

    /// The client knows that the connection ends, and has everything that was sent before.
    mutating func acknowledged() -> [Action] {
        guard case .leaving = phase else { return [] }
        phase = .leaving(.received)
        return rest()
    }

    mutating func timerFired() -> [Action] {
        switch phase {
        case .open: return leave()
        case .leaving(.awaited):
            phase = .leaving(.missing)
            return rest()
        case .leaving, .closed: return []
        }
    }

    private func work() -> [Action] {
        guard case .open = phase, streams.count + writes == 1 else { return [] }
        return [.stopTimer]
    }

    private mutating func rest() -> [Action] {
        guard streams.isEmpty, writes == 0 else { return [] }
        switch phase {
        case .open: return [.startTimer(idle)]
        case .leaving(let answer) where answer != .awaited:
            phase = .closed
            let silence = answer == .received ? TimeAmount.zero : Self.patience
            return [.stopTimer, .close(silence: hasNews ? Self.silence : silence)]
        case .leaving, .closed: return []
        }
    }
}
#endif
