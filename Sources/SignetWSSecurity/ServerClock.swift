import HTTPTypes
public import SignetSOAP
import Synchronization

/// How far a server's clock is from ours, for servers that refuse a message because their own clock is wrong. Shared by all that hold
/// it.
///
/// Whoever can change answers can put such a clock ahead, and so get tokens that the true server takes later: learn from answers only
/// over TLS, or where nothing better is to be had.
public final class ServerClock: Sendable {
    /// Where the time is learned from, by itself.
    public struct Sources: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The field `Date` of every answer, also of one that refuses a call (RFC 9110 §6.6.1).
        public static let dateField = Sources(rawValue: 1)
        /// The Timestamp in the Security header block of an answer (SOAP Message Security 1.1 §10).
        public static let timestamp = Sources(rawValue: 2)
    }

    /// What the clock learns from by itself; nothing unless given.
    public let sources: Sources
    /// A time that is further away than this is not learned by itself.
    public let maximumOffset: Duration
    private let learned = Mutex(Duration.zero)
    private let systemTime: @Sendable () -> Duration

    /// - Parameters:
    ///   - sources: none, so that the clocks are taken to agree until ``learn(_:)`` says something else.
    ///   - maximumOffset: for what is learned by itself; a day unless given.
    public convenience init(learningFrom sources: Sources = [], maximumOffset: Duration = .seconds(86_400)) {
        self.init(learningFrom: sources, maximumOffset: maximumOffset) { .systemTime }
    }

    init(learningFrom sources: Sources, maximumOffset: Duration, systemTime: @escaping @Sendable () -> Duration) {
        self.sources = sources
        self.maximumOffset = maximumOffset
        self.systemTime = systemTime
    }

    /// How far the server is ahead of us; negative when it is behind.
    public var offset: Duration { learned.withLock { $0 } }

    /// Takes what the server has just said its time is, as in the answer to ONVIF's `GetSystemDateAndTime`, however far it is away.
    ///
    /// - Returns: false when the time is before 1970 or after 9999; nothing is learned then.
    @discardableResult public func learn(_ time: XSDDateTime) -> Bool {
        guard (1970...9999).contains(time.date.year) else { return false }
        learned.withLock { $0 = time.moment - systemTime() }
        return true
    }

    /// What the server's clock shows, since 1970.
    var now: Duration { systemTime() + offset }

    /// Learns from an answer, as far as ``sources`` allow.
    func learn(from answer: AnswerHead, timestamp: ReceivedTimestamp?) {
        // The field has no fractions: we then stay up to a second behind, where nobody takes us for being ahead.
        let date = answer.fields[.date].flatMap(CookieDate.seconds).flatMap { XSDDateTime(secondsSinceEpoch: $0) }
        let told = sources.contains(.timestamp) ? timestamp?.created : nil
        guard let time = told ?? (sources.contains(.dateField) ? date : nil) else { return }
        let distance = time.moment - systemTime()
        if distance <= maximumOffset, distance >= .zero - maximumOffset { learn(time) }
    }
}

extension ServerClock: CustomStringConvertible {
    public var description: String { "a clock \(offset) ahead of ours" }
}
