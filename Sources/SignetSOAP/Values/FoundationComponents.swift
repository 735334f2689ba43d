#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// In date components, a year before 1 has the era before the common era. A time zone must have a fixed offset, as in
/// `TimeZone(secondsFromGMT: 3600)`; other zones have no offset until a moment is known.
extension DateComponents {
    fileprivate init(_ timeZone: XSDTimeZone?, year: Int? = nil, month: Int? = nil, day: Int? = nil) {
        self.init(
            timeZone: timeZone?.foundationTimeZone, era: year.map { $0 < 0 ? 0 : 1 }, year: year.map(abs), month: month,
            day: day)
    }

    fileprivate var signedYear: Int? {
        guard let year, year > 0 else { return nil }
        return era == 0 ? -year : year
    }

    /// The outer optional is nil when the time zone has no fixed offset.
    fileprivate var fixedZone: XSDTimeZone?? {
        guard let timeZone else { return .some(nil) }
        let offset = timeZone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: 0))
        guard timeZone == TimeZone(secondsFromGMT: offset), offset % 60 == 0 else { return nil }
        return XSDTimeZone(minutes: offset / 60).map { .some($0) }
    }
}

extension XSDDate {
    /// Makes a date; nil when year, month or day is absent, the calendar has no such day, or the time zone has no fixed
    /// offset.
    public init?(_ components: DateComponents) {
        guard let year = components.signedYear, let month = components.month, let day = components.day,
            case .some(let zone) = components.fixedZone
        else { return nil }
        self.init(year: year, month: month, day: day, timeZone: zone)
    }

    /// Era, year, month and day, and the time zone if the value has one. A year before 1 has era 0.
    public var dateComponents: DateComponents { DateComponents(timeZone, year: year, month: month, day: day) }
}

extension XSDTime {
    /// Makes a time; nil when hour or minute is absent or out of range, or the time zone has no fixed offset. Absent
    /// seconds are zero.
    public init?(_ components: DateComponents) {
        guard let hour = components.hour, let minute = components.minute,
            let nanosecond = UInt64(exactly: components.nanosecond ?? 0),
            nanosecond < 1_000_000_000, let fraction = XSDFraction(attoseconds: nanosecond * 1_000_000_000),
            case .some(let zone) = components.fixedZone
        else { return nil }
        self.init(hour: hour, minute: minute, second: components.second ?? 0, fraction: fraction, timeZone: zone)
    }

    /// Fractions finer than a nanosecond are lost.
    public var dateComponents: DateComponents {
        var components = DateComponents(timeZone)
        (components.hour, components.minute, components.second) = (hour, minute, second)
        components.nanosecond = Int(attoseconds / 1_000_000_000)
        return components
    }
}

extension XSDYearMonth {
    /// Makes a month of a year; nil when year or month is absent or out of range, or the time zone has no fixed offset.
    public init?(_ components: DateComponents) {
        guard let year = components.signedYear, let month = components.month,
            case .some(let zone) = components.fixedZone
        else { return nil }
        self.init(year: year, month: month, timeZone: zone)
    }

    /// Era, year and month, and the time zone if the value has one. A year before 1 has era 0.
    public var dateComponents: DateComponents { DateComponents(timeZone, year: year, month: month) }
}

extension XSDMonthDay {
    /// Makes a day of the year; nil when month or day is absent, no year has such a day, or the time zone has no fixed
    /// offset.
    public init?(_ components: DateComponents) {
        guard let month = components.month, let day = components.day, case .some(let zone) = components.fixedZone
        else { return nil }
        self.init(month: month, day: day, timeZone: zone)
    }

    /// Month and day, and the time zone if the value has one.
    public var dateComponents: DateComponents { DateComponents(timeZone, month: month, day: day) }
}
