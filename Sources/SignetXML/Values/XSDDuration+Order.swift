extension XSDDuration {
    /// The months from January 1970 to September 1696, February 1697, March 1903 and July 1903 (§3.2.6.2).
    private static let references: [Int128] = [-3280, -3275, -802, -798]

    /// Less when the sum with each of four dates is less, greater when each is greater; otherwise the order is
    /// indeterminate.
    ///
    /// `.equal` only when months and seconds are equal: 400 years always last 146,097 days, but these are not equal
    /// durations.
    public func compare(to other: Self) -> XSDOrder? {
        if self == other { return .equal }
        let orders = Self.references.map { order(to: other, from: $0) }
        if orders.allSatisfy({ $0 == .less }) { return .less }
        return orders.allSatisfy { $0 == .greater } ? .greater : nil
    }

    private func order(to other: Self, from start: Int128) -> XSDOrder {
        let (a, b) = (place(from: start), other.place(from: start))
        if a.seconds != b.seconds { return a.seconds < b.seconds ? .less : .greater }
        if a.fraction == b.fraction { return .equal }
        return a.fraction < b.fraction ? .less : .greater
    }

    /// The sum of the duration and a first of the month.
    private func place(from start: Int128) -> (seconds: Int128, fraction: XSDFraction) {
        let (whole, fraction) = time
        return (Calendar.days(toMonth: start + Int128(months)) * 86400 + whole, fraction)
    }

    /// The seconds, rounded down, and the fraction above them.
    var time: (whole: Int128, fraction: XSDFraction) {
        guard isNegative, let fraction = fraction.complement else { return (Int128(seconds), fraction) }
        return (Int128(seconds) - 1, fraction)
    }
}
