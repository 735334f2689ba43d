/// When a message was made too long ago, or seems to come from the future (SOAP Message Security 1.1 §10).
public struct Freshness: Sendable, Hashable {
    /// How old a message may be.
    public var maximumAge: Duration
    /// How far the clock of a sender may be ahead of ours.
    public var maximumLead: Duration

    /// Five minutes of age and one minute of lead unless given.
    public init(maximumAge: Duration = .seconds(300), maximumLead: Duration = .seconds(60)) {
        self.maximumAge = maximumAge
        self.maximumLead = maximumLead
    }

    /// - Parameters:
    ///   - created: when something was made, and `now` what time it is, both since 1970.
    func check(_ what: String, created: Duration, now: Duration) throws(SecurityDefect) {
        let age = now - created
        if age > maximumAge { throw SecurityDefect(.messageExpired, "\(what) is \(age.wholeSeconds) s old") }
        if age < .zero - maximumLead {
            throw SecurityDefect(.messageExpired, "\(what) is \(-age.wholeSeconds) s in the future")
        }
    }
}
