/// An `xs:date`: a calendar day, with or without a time zone (XML Schema Part 2 §3.2.9).
///
/// Years go up to 999,999,999 on either side; the first and the last day of that span take no time zone but `Z`. Two
/// values are equal when both begin at the same instant, or when both have no time zone and are the same day.
public struct XSDDate: XSDTemporal {
    private let storedYear: Int32
    private let storedMonth: UInt8
    private let storedDay: UInt8
    let zone: XSDTimeZone.Optional

    /// The proleptic Gregorian year; there is no year zero, and years before it are negative. Leap years are every
    /// fourth without a gap: -0001 (1 BC) is one, as four years before 4.
    public var year: Int { Int(storedYear) }
    /// The month, from 1 to 12.
    public var month: Int { Int(storedMonth) }
    /// The day, from 1 to the last day of this month in this year, 31 at most.
    public var day: Int { Int(storedDay) }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { zone.zone }

    public static var typeName: String { "xs:date" }
    public static var _placeholder: XSDDate { XSDDate(firstDayOf: 1970) }

    /// The caller has checked that the year is supported.
    init(firstDayOf year: Int32) {
        storedYear = year
        storedMonth = 1
        storedDay = 1
        zone = .init(nil)
    }

    /// Makes a date; nil when the calendar has no such day.
    public init?(year: Int, month: Int, day: Int, timeZone: XSDTimeZone? = nil) {
        self.init(year, month, day, .init(timeZone))
    }

    init?(_ year: Int, _ month: Int, _ day: Int, _ zone: XSDTimeZone.Optional) {
        guard Calendar.isDay(year, month, day), zone.seconds == 0 || !Calendar.isOutermost(year, month, day) else {
            return nil
        }
        storedYear = Int32(truncatingIfNeeded: year)
        storedMonth = UInt8(truncatingIfNeeded: month)
        storedDay = UInt8(truncatingIfNeeded: day)
        self.zone = zone
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let (year, month, day) = scanner.date(), let zone = scanner.zone() else { return nil }
        return Self(year, month, day, zone)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.date(self)
        writer.zone(zone)
    }
}

extension XSDDate {
    /// Days from 1970-01-01 to the day, whatever its time zone.
    var days: Int { Calendar.days(year, month, day) }

    /// The instant at which the day begins.
    var timeline: XSDTimeline {
        XSDTimeline(seconds: Int64(days * 86400 - zone.seconds), isZoned: zone.isPresent)
    }

    public static func == (left: Self, right: Self) -> Bool {
        if left.zone == right.zone {
            return left.storedYear == right.storedYear && left.storedMonth == right.storedMonth
                && left.storedDay == right.storedDay
        }
        return left.zone.isPresent && right.zone.isPresent && left.timeline == right.timeline
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(timeline) }

    /// Days are ordered by the instants at which they begin.
    public func compare(to other: Self) -> XSDOrder? { timeline.compare(to: other.timeline) }

    /// The day in its recoverable time zone (§3.2.9.2).
    public func writeCanonical(to writer: inout XMLWriter) { recoverable.writeLexical(to: &writer) }

    /// The same day in a time zone that is more than -12:00 and at most +12:00, which is unique.
    var recoverable: Self {
        let minutes = zone.seconds / 60
        let shift = minutes > 720 ? -1 : minutes <= -720 ? 1 : 0
        guard shift != 0, let (year, month, day) = Calendar.civil(fromDays: days + shift) else { return self }
        return Self(year, month, day, .init(XSDTimeZone(minutes: minutes + shift * 1440))) ?? self
    }
}
