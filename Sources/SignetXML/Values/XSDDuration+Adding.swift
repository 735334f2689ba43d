/// Adding durations to dates and times (XML Schema Part 2 appendix E): first the months, where a day that the month
/// does not have becomes its last one, then the seconds. Sums are not associative: 30 March, plus a day, plus a month,
/// is 30 April; plus a month, plus a day, 1 May.
extension XSDDateTime {
    /// The sum in the same time zone; nil when it is beyond the years that ``XSDDate`` supports.
    public func adding(_ duration: XSDDuration) -> XSDDateTime? {
        guard let date = date.adding(months: duration.months) else { return nil }
        let (whole, addition) = duration.time
        let (sum, carry) = XSDFraction.sum(fraction, addition)
        let seconds = Int128(date.days * 86400 + time.secondsOfDay) + whole + (carry ? 1 : 0)
        guard let seconds = Int64(exactly: seconds) else { return nil }
        return XSDDateTime(localSeconds: seconds, sum, date.zone)
    }
}

extension XSDDate {
    /// The day on which the sum of the day's beginning and the duration falls; nil when it is not supported.
    public func adding(_ duration: XSDDuration) -> XSDDate? {
        XSDDateTime(self, .midnight).adding(duration)?.date
    }

    fileprivate func adding(months: Int) -> XSDDate? {
        let (sum, overflow) = Calendar.months(year, month).addingReportingOverflow(months)
        guard !overflow, let (year, month) = Calendar.civil(fromMonths: sum) else { return nil }
        return XSDDate(year, month, min(day, Calendar.lastDay(year, month)), zone)
    }
}

extension XSDYearMonth {
    /// The month in which the sum of the month's beginning and the duration falls; nil when it is not supported.
    public func adding(_ duration: XSDDuration) -> XSDYearMonth? {
        start.adding(duration).flatMap { Self(year: $0.year, month: $0.month, timeZone: timeZone) }
    }
}

extension XSDYear {
    /// The year in which the sum of the year's beginning and the duration falls; nil when it is not supported.
    public func adding(_ duration: XSDDuration) -> XSDYear? {
        start.adding(duration).flatMap { Self(year: $0.year, timeZone: timeZone) }
    }
}
