/// An `xs:dateTime`: an instant, or a local time when there is no time zone (XML Schema Part 2 §3.2.7).
///
/// Two values are equal when they are the same instant, or the same local time without time zone. Years are bounded as
/// in ``XSDDate``; the fraction of the second has any number of digits.
public struct XSDDateTime: XSDTemporal {
    /// The day in the time zone of the value, not in UTC.
    public let date: XSDDate
    /// The fraction of the second.
    public let fraction: XSDFraction
    private let storedHour: UInt8
    private let storedMinute: UInt8
    private let storedSecond: UInt8

    /// The hour, from 0 to 23. `24:00:00` is read as `00:00:00` of the following day (§3.2.7.1).
    public var hour: Int { Int(storedHour) }
    /// The minute, from 0 to 59.
    public var minute: Int { Int(storedMinute) }
    /// The whole second, from 0 to 59: a leap second, `23:59:60`, is refused.
    public var second: Int { Int(storedSecond) }
    /// The fraction of the second in units of 10⁻¹⁸ s; digits beyond the eighteenth are in ``fraction``.
    public var attoseconds: UInt64 { fraction.attoseconds }
    /// The time zone; nil when the sender gave none: the value is then a local time, and not an instant.
    public var timeZone: XSDTimeZone? { date.timeZone }

    public static var typeName: String { "xs:dateTime" }
    public static var _placeholder: XSDDateTime { XSDDateTime(._placeholder, .midnight) }

    init(_ date: XSDDate, _ time: TimeOfDay) {
        self.date = date
        fraction = time.fraction
        storedHour = time.hour
        storedMinute = time.minute
        storedSecond = time.second
    }

    /// Makes a value; nil when a component is out of range.
    public init?(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, fraction: XSDFraction,
        timeZone: XSDTimeZone? = .utc
    ) {
        guard let date = XSDDate(year: year, month: month, day: day, timeZone: timeZone),
            let time = TimeOfDay(hour: hour, minute: minute, second: second, fraction: fraction), hour < 24
        else { return nil }
        self.init(date, time)
    }

    /// Makes a value; nil when a component is out of range.
    public init?(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, attoseconds: UInt64 = 0,
        timeZone: XSDTimeZone? = .utc
    ) {
        guard let fraction = XSDFraction(attoseconds: attoseconds) else { return nil }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, fraction: fraction,
            timeZone: timeZone)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let (year, month, day) = scanner.date(), scanner.take(UInt8(ascii: "T")), let time = scanner.time(),
            let zone = scanner.zone(), let date = XSDDate(year, month, day, zone)
        else { return nil }
        guard time.isEndOfDay else { return Self(date, time) }
        // 24:00:00 is the first instant of the next day (§3.2.7.1).
        guard let next = Calendar.civil(fromDays: date.days + 1),
            let date = XSDDate(next.year, next.month, next.day, zone)
        else { return nil }
        return Self(date, .midnight)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.date(date)
        writer.raw(UInt8(ascii: "T"))
        writer.time(time)
        writer.zone(date.zone)
    }
}

extension XSDDateTime {
    /// The instant `seconds` after 1970-01-01T00:00:00Z; nil beyond the years that ``XSDDate`` supports.
    public init?(secondsSinceEpoch seconds: Int64, attoseconds: UInt64 = 0, timeZone: XSDTimeZone = .utc) {
        let (local, overflow) = seconds.addingReportingOverflow(Int64(timeZone.minutes * 60))
        guard !overflow, let fraction = XSDFraction(attoseconds: attoseconds) else { return nil }
        self.init(localSeconds: local, fraction, .init(timeZone))
    }

    /// The time that clocks in a zone show this many seconds after they showed 1970-01-01T00:00:00.
    init?(localSeconds: Int64, _ fraction: XSDFraction, _ zone: XSDTimeZone.Optional) {
        let (days, seconds) = Calendar.split(localSeconds)
        guard let (year, month, day) = Calendar.civil(fromDays: days), let date = XSDDate(year, month, day, zone) else {
            return nil
        }
        self.init(date, TimeOfDay(secondsOfDay: seconds, fraction))
    }

    /// Seconds since 1970-01-01T00:00:00Z without the fraction; a value without time zone counts as UTC.
    public var secondsSinceEpoch: Int64 {
        Int64(date.days * 86400 + time.secondsOfDay - date.zone.seconds)
    }

    var time: TimeOfDay { TimeOfDay(storedHour, storedMinute, storedSecond, fraction) }

    var timeline: XSDTimeline {
        XSDTimeline(seconds: secondsSinceEpoch, fraction: fraction, isZoned: date.zone.isPresent)
    }

    public static func == (left: Self, right: Self) -> Bool {
        guard left.date.zone == right.date.zone else { return left.timeline == right.timeline }
        return left.storedSecond == right.storedSecond && left.storedMinute == right.storedMinute
            && left.storedHour == right.storedHour && left.date == right.date && left.fraction == right.fraction
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(timeline) }

    /// Compares two values (§3.2.7.4).
    public func compare(to other: Self) -> XSDOrder? { timeline.compare(to: other.timeline) }

    /// The same instant in UTC, or the local time as it is (§3.2.7.2).
    public func writeCanonical(to writer: inout XMLWriter) {
        let inUTC = date.zone.minutes == 0 ? self : Self(localSeconds: secondsSinceEpoch, fraction, .utc) ?? self
        inUTC.writeLexical(to: &writer)
    }
}
