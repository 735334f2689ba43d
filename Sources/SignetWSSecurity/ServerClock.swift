import HTTPTypes
public import SignetSOAP
import Synchronization

/// The offset of a server's clock from the local clock, for servers that refuse a message because their own clock is
/// wrong. All values that hold this object share it.
///
/// An attacker who can change answers can set such a clock ahead, and so obtain tokens that the true server accepts
/// later. Learn from answers only over TLS, or where there is no better source of the time.
public final class ServerClock: Sendable {
    /// The sources from which the clock learns the time automatically.
    public struct Sources: OptionSet, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The field `Date` of every answer, also of one that refuses a call (RFC 9110 §6.6.1).
        public static let dateField = Sources(rawValue: 1)
        /// The Timestamp in the Security header block of an answer (SOAP Message Security 1.1 §10).
        public static let timestamp = Sources(rawValue: 2)
    }

    /// The sources from which this clock learns automatically; empty unless given.
    public let sources: Sources
    /// The clock does not learn a time automatically that is further away than this.
    public let maximumOffset: Duration
    private let learned = Mutex(Duration.zero)
    private let systemTime: @Sendable () -> Duration

    /// - Parameters:
    ///   - sources: empty unless given, so that the offset is zero until ``learn(_:)`` is called.
    ///   - maximumOffset: the limit for times that the clock learns automatically; a day unless given.
    public convenience init(learningFrom sources: Sources = [], maximumOffset: Duration = .seconds(86_400)) {
        self.init(learningFrom: sources, maximumOffset: maximumOffset) { .systemTime }
    }

    init(learningFrom sources: Sources, maximumOffset: Duration, systemTime: @escaping @Sendable () -> Duration) {
        self.sources = sources
        self.maximumOffset = maximumOffset
        self.systemTime = systemTime
    }

    /// How far the server's clock is ahead of the local one; negative when it is behind.
    public var offset: Duration { learned.withLock { $0 } }

    /// Learns the time that the server has just reported, as in the answer to ONVIF's `GetSystemDateAndTime`, however
    /// far away it is.
    ///
    /// - Returns: false when the time is before 1970 or after 9999; the clock then stays as it is.
    @discardableResult public func learn(_ time: XSDDateTime) -> Bool {
        guard (1970...9999).contains(time.date.year) else { return false }
        learned.withLock { $0 = time.moment - systemTime() }
        return true
    }

    /// What the server's clock shows, since 1970.
    var now: Duration { systemTime() + offset }

    /// Learns the time from an answer, if ``sources`` allow it.
    func learn(from answer: AnswerHead, timestamp: ReceivedTimestamp?) {
        // The field has no fractions of seconds. The clock then stays up to a second behind, so that no server finds a
        // message to be from the future.
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
