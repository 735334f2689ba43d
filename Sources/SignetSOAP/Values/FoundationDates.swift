#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension XSDDateTime {
    /// Makes the instant with the fewest digits, nine at most, from which the same `Date` results. Only within a few
    /// months of 2001 does `Date` keep more than nine digits; these are rounded. Nil beyond the years that ``XSDDate``
    /// supports.
    public init?(_ date: Date, timeZone: XSDTimeZone = .utc) {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.magnitude < 3.2e16 else { return nil }
        let seconds = interval.rounded(.down)
        var unit = 1.0
        while unit < 1e9, seconds + ((interval - seconds) * unit).rounded() / unit != interval { unit *= 10 }
        let parts = ((interval - seconds) * unit).rounded()
        // Every fraction of a second may have been rounded up to a whole one.
        let carry: Int64 = parts < unit ? 0 : 1
        self.init(
            secondsSinceEpoch: Int64(seconds) + carry + Self.referenceDate,
            attoseconds: carry == 0 ? UInt64(parts) * UInt64(1e18 / unit) : 0, timeZone: timeZone)
    }

    /// Makes the same instant; nil when it is not exactly what ``init(_:timeZone:)`` makes of it.
    public init?(exactly date: Date, timeZone: XSDTimeZone = .utc) {
        self.init(date, timeZone: timeZone)
        guard foundationDate == date else { return nil }
    }

    /// The nearest instant that `Date` can represent, with a resolution of about a tenth of a microsecond; a value
    /// without time zone counts as UTC.
    public var foundationDate: Date {
        Date(
            timeIntervalSinceReferenceDate: Double(secondsSinceEpoch - Self.referenceDate) + Double(attoseconds) / 1e18)
    }

    /// ``foundationDate``; nil when the value has no time zone, or digits that cannot be recovered from it.
    public var exactFoundationDate: Date? {
        let date = foundationDate
        return XSDDateTime(date) == self ? date : nil
    }

    /// The instant; a value without time zone is the time that clocks in `zone` show. If they show it twice or never,
    /// the offset in force a few hours before or after is used.
    public func foundationDate(in zone: TimeZone) -> Date {
        let date = foundationDate
        guard timeZone == nil else { return date }
        func offset(at date: Date) -> Double {
            Double(zone.secondsFromGMT(for: min(max(date, .distantPast), .distantFuture)))
        }
        return date - offset(at: date - offset(at: date))
    }

    /// The seconds from 1970-01-01 to 2001-01-01, from where `Date` counts.
    private static var referenceDate: Int64 { 978_307_200 }
}

extension XSDDate {
    /// Makes the day in `zone`, without time zone; nil beyond the supported years.
    public init?(_ date: Date, in zone: TimeZone) {
        guard date.timeIntervalSinceReferenceDate.magnitude < 3.2e16 else { return nil }
        let offset = zone.secondsFromGMT(for: min(max(date, .distantPast), .distantFuture))
        guard let local = XSDDateTime(date + Double(offset))?.date else { return nil }
        self.init(year: local.year, month: local.month, day: local.day)
    }

    /// The first instant of the day in its time zone, or in UTC when it has none.
    public var foundationDate: Date { start.foundationDate }

    /// The first instant of the day in its time zone, or in `zone` when it has none.
    public func foundationDate(in zone: TimeZone) -> Date { start.foundationDate(in: zone) }

    private var start: XSDDateTime {
        XSDDateTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0, timeZone: timeZone)
            ?? ._placeholder
    }
}

extension XSDTimeZone {
    /// Makes the offset at a moment; nil when it has seconds, or is more than fourteen hours.
    public init?(_ zone: TimeZone, at date: Date) {
        let (minutes, seconds) = zone.secondsFromGMT(for: date).quotientAndRemainder(dividingBy: 60)
        guard seconds == 0 else { return nil }
        self.init(minutes: minutes)
    }

    /// A time zone that has this offset all the year round.
    public var foundationTimeZone: TimeZone { TimeZone(secondsFromGMT: minutes * 60) ?? .gmt }
}
