extension XSDDuration {
    /// The same length, exactly; nil when it has more seconds than `Int` can count.
    public init?(_ duration: Duration) {
        let one = Int128(XSDFraction.one)
        let (seconds, attoseconds) = duration.attoseconds.quotientAndRemainder(dividingBy: one)
        guard let seconds = Int(exactly: seconds.magnitude) else { return nil }
        self.init(
            magnitudes: 0, seconds, XSDFraction(digits: UInt64(truncatingIfNeeded: attoseconds.magnitude)),
            isNegative: duration < .zero)
    }

    /// The same length, exactly; nil when there are months, whose length is not fixed, or digits after the eighteenth.
    public var exactDuration: Duration? {
        guard months == 0, fraction.isWithinAttoseconds else { return nil }
        let fraction = Duration(secondsComponent: 0, attosecondsComponent: Int64(fraction.attoseconds))
        return .seconds(seconds) + (isNegative ? .zero - fraction : fraction)
    }

    /// The duration in the other direction.
    public static prefix func - (duration: Self) -> Self {
        XSDDuration(
            magnitudes: abs(duration.months), abs(duration.seconds), duration.fraction, isNegative: !duration.isNegative
        )
    }

    /// The parts as they are written: months below 12, hours below 24, minutes and seconds below 60, none negative.
    public var components: (years: Int, months: Int, days: Int, hours: Int, minutes: Int, seconds: Int) {
        let (years, months) = abs(months).quotientAndRemainder(dividingBy: 12)
        let (days, rest) = abs(seconds).quotientAndRemainder(dividingBy: 86400)
        return (years, months, days, rest / 3600, rest / 60 % 60, rest % 60)
    }
}
