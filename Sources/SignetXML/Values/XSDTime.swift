/// An `xs:time`: an instant that recurs every day (XML Schema Part 2 §3.2.8).
///
/// Times are compared as times of the same day, each in its own time zone: `12:00:00-14:00` comes after
/// `12:00:00-10:00`, although it is 02:00 in UTC, on the following day. The canonical form, which the standard requires
/// to be in UTC, cannot express that day: `01:00:00+02:00` and `23:00:00Z` have the same canonical form and are not
/// equal.
public struct XSDTime: XSDTemporal {
    /// The fraction of the second.
    public let fraction: XSDFraction
    private let storedHour: UInt8
    private let storedMinute: UInt8
    private let storedSecond: UInt8
    private let zone: XSDTimeZone.Optional

    /// The hour, from 0 to 23, in the time zone of the value.
    public var hour: Int { Int(storedHour) }
    /// The minute, from 0 to 59.
    public var minute: Int { Int(storedMinute) }
    /// The whole second, from 0 to 59: a leap second, `23:59:60`, is refused.
    public var second: Int { Int(storedSecond) }
    /// The fraction of the second in units of 10⁻¹⁸ s; digits beyond the eighteenth are in ``fraction``.
    public var attoseconds: UInt64 { fraction.attoseconds }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { zone.zone }

    public static var typeName: String { "xs:time" }
    public static var _placeholder: XSDTime { XSDTime(.midnight, .init(nil)) }

    init(_ time: TimeOfDay, _ zone: XSDTimeZone.Optional) {
        fraction = time.fraction
        storedHour = time.hour
        storedMinute = time.minute
        storedSecond = time.second
        self.zone = zone
    }

    /// Makes a time; nil when a component is out of range.
    public init?(hour: Int, minute: Int, second: Int, fraction: XSDFraction = .zero, timeZone: XSDTimeZone? = nil) {
        guard let time = TimeOfDay(hour: hour, minute: minute, second: second, fraction: fraction), hour < 24 else {
            return nil
        }
        self.init(time, .init(timeZone))
    }

    /// `24:00:00` is `00:00:00`.
    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let time = scanner.time(), let zone = scanner.zone() else { return nil }
        return Self(time.isEndOfDay ? .midnight : time, zone)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.time(time)
        writer.zone(zone)
    }
}

extension XSDTime {
    var time: TimeOfDay { TimeOfDay(storedHour, storedMinute, storedSecond, fraction) }

    /// The time on an arbitrary day.
    private var timeline: XSDTimeline {
        XSDTimeline(
            seconds: Int64(time.secondsOfDay - zone.seconds), fraction: fraction, isZoned: zone.isPresent)
    }

    public static func == (left: Self, right: Self) -> Bool { left.timeline == right.timeline }

    public func hash(into hasher: inout Hasher) { hasher.combine(timeline) }

    public func compare(to other: Self) -> XSDOrder? { timeline.compare(to: other.timeline) }

    /// The same time in UTC, or the local time as it is (§3.2.8.2).
    public func writeCanonical(to writer: inout XMLWriter) {
        let (_, seconds) = Calendar.split(timeline.seconds)
        writer.time(TimeOfDay(secondsOfDay: seconds, fraction))
        writer.zone(.init(zone.isPresent ? .utc : nil))
    }
}
