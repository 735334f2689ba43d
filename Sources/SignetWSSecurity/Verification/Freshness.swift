/// Decides whether a message was made too long ago, or seems to come from the future (SOAP Message Security 1.1 §10).
public struct Freshness: Sendable, Hashable {
    /// The greatest age of a message.
    public var maximumAge: Duration
    /// How far the sender's clock may be ahead of the local clock.
    public var maximumClockLead: Duration

    /// Allows five minutes of age and one minute of lead unless given.
    public init(maximumAge: Duration = .seconds(300), maximumClockLead: Duration = .seconds(60)) {
        self.maximumAge = maximumAge
        self.maximumClockLead = maximumClockLead
    }

    /// - Parameters:
    ///   - created: the time at which the message or token was made; `now` is the current time. Both are since 1970.
    func check(_ what: String, created: Duration, now: Duration) throws(SecurityDefect) {
        let age = now - created
        if age > maximumAge { throw SecurityDefect(.messageExpired, "\(what) is \(age.wholeSeconds) s old") }
        if age < .zero - maximumClockLead {
            throw SecurityDefect(.messageExpired, "\(what) is \(-age.wholeSeconds) s in the future")
        }
    }
}
