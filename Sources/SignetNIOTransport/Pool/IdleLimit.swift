import NIOCore
import Synchronization

/// How long a server keeps an idle connection, as far as it has announced or shown it. A value without I/O.
struct IdleLimit: Sendable {
    /// How long a limit counts that a server has shown, since servers may change it.
    static let memory = TimeAmount.hours(1)
    /// Shorter idle times show nothing.
    static let shortest = TimeAmount.seconds(1)
    /// The client stays below the limit by at least this much, since the server may count from an earlier moment.
    private static let margin = TimeAmount.seconds(1)

    private var announced: TimeAmount?
    private var shown: (limit: TimeAmount, until: NIODeadline)?
    private var last: (idle: TimeAmount, date: NIODeadline)?

    /// Reads a field `Keep-Alive` (RFC 2068 §19.7.1.1), such as `timeout=5, max=100`. A field that cannot be read is
    /// ignored.
    mutating func announce(_ field: String) {
        for parameter in field.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = parameter.split(separator: UInt8(ascii: "="), maxSplits: 1).map { part in
                Substring(part).filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
            }
            guard parts.count == 2, parts[0] == "timeout", let seconds = Int64(parts[1]), (1...86_400).contains(seconds)
            else { continue }
            announced = .seconds(seconds)
        }
    }

    /// The server has closed a connection that was idle for this long.
    ///
    /// A single close may have another reason. Two connections that were idle for about as long show the limit, unless
    /// they ended at the same moment, as all connections do when a server stops.
    mutating func closed(after idle: TimeAmount, at now: NIODeadline) {
        defer { last = (idle, now) }
        guard idle >= Self.shortest, let last, now - last.date >= Self.shortest else { return }
        let (shorter, longer) = (min(idle, last.idle), max(idle, last.idle))
        guard longer - shorter <= max(.milliseconds(500), .nanoseconds(longer.nanoseconds / 10)) else { return }
        shown = (shorter, now + Self.memory)
    }

    /// For how long the client may keep an idle connection; nil when nothing is known.
    func usable(at now: NIODeadline) -> TimeAmount? {
        guard let limit = announced ?? shown.flatMap({ $0.until > now ? $0.limit : nil }) else { return nil }
        let margin = max(Self.margin, .nanoseconds(limit.nanoseconds / 10))
        return max(limit - margin, .nanoseconds(limit.nanoseconds / 2))
    }
}

/// The ``IdleLimit`` of one server, or of a proxy on the way to it, which its connections share.
final class ServerIdleLimit: Sendable {
    private let limit = Mutex(IdleLimit())

    func announce(_ field: String) { limit.withLock { $0.announce(field) } }
    func closed(after idle: TimeAmount, at now: NIODeadline) { limit.withLock { $0.closed(after: idle, at: now) } }
    func usable(at now: NIODeadline) -> TimeAmount? { limit.withLock { $0.usable(at: now) } }
}
