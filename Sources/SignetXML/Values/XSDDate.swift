/// A time zone as XML Schema writes it: `Z`, `+02:00`; minutes from UTC, at most fourteen hours (Part 2 §3.2.7.3).
public struct XSDTimeZone: Sendable, Hashable {
    /// Minutes east of UTC, from -840 to 840.
    public let minutes: Int

    /// Nil when more than fourteen hours away.
    public init?(minutes: Int) {
        guard (-840...840).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    private init() { minutes = 0 }
    public static let utc = XSDTimeZone()
}

/// An `xs:date`: a calendar day, with or without a time zone (XML Schema Part 2 §3.2.9).
public struct XSDDate: XMLValue, CustomStringConvertible {
    /// The proleptic Gregorian year; there is no year zero, and years before it are negative.
    public let year: Int
    public let month: Int
    public let day: Int
    /// Nil when the sender gave none.
    public let timeZone: XSDTimeZone?

    public static var typeName: String { "xs:date" }
    public static var _placeholder: XSDDate { XSDDate(firstDayOf: 1970) }

    private init(firstDayOf year: Int) {
        self.year = year
        month = 1
        day = 1
        timeZone = nil
    }

    /// Nil when the calendar has no such day.
    public init?(year: Int, month: Int, day: Int, timeZone: XSDTimeZone? = nil) {
        guard Calendar.isDay(year, month, day) else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.timeZone = timeZone
    }

    /// Reads `2026-11-21`, optionally followed by a time zone.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ XSDDate(lexical: $0.span) }) else { return nil }
        self = value
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let (year, month, day) = scanner.date(), case .some(let zone) = scanner.zone(), scanner.isAtEnd else {
            return nil
        }
        return Self(year: year, month: month, day: day, timeZone: zone)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.date(year, month, day)
        writer.zone(timeZone)
    }

    public var description: String { lexicalForm }
}

/// An `xs:dateTime`: an instant, or a local time when there is no time zone (XML Schema Part 2 §3.2.7).
///
/// Two values are equal when all their components are; compare ``secondsSinceEpoch`` to compare instants.
public struct XSDDateTime: XMLValue, CustomStringConvertible {
    public let date: XSDDate
    public let hour: Int
    public let minute: Int
    public let second: Int
    /// The fraction of the second in units of 10⁻¹⁸ s; eighteen digits are kept exactly, more are refused.
    public let attoseconds: UInt64
    public var timeZone: XSDTimeZone? { date.timeZone }

    public static var typeName: String { "xs:dateTime" }
    public static var _placeholder: XSDDateTime { XSDDateTime(startOf: ._placeholder) }

    private init(startOf date: XSDDate) {
        self.date = date
        hour = 0
        minute = 0
        second = 0
        attoseconds = 0
    }

    /// Nil when a component is out of range.
    public init?(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, attoseconds: UInt64 = 0,
        timeZone: XSDTimeZone? = .utc
    ) {
        guard let date = XSDDate(year: year, month: month, day: day, timeZone: timeZone), (0..<24).contains(hour),
            (0..<60).contains(minute), (0..<60).contains(second), attoseconds < Self.attosecondsPerSecond
        else { return nil }
        self.date = date
        self.hour = hour
        self.minute = minute
        self.second = second
        self.attoseconds = attoseconds
    }

    /// The instant `seconds` after 1970-01-01T00:00:00Z, in UTC; nil beyond the years that `Int` can count.
    public init?(secondsSinceEpoch seconds: Int64, attoseconds: UInt64 = 0) {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86400)
        let day = rest < 0 ? days - 1 : days
        let inDay = Int(rest < 0 ? rest + 86400 : rest)
        guard let (y, m, d) = Calendar.civil(fromDays: Int(day)) else { return nil }
        self.init(
            year: y, month: m, day: d, hour: inDay / 3600, minute: inDay / 60 % 60, second: inDay % 60,
            attoseconds: attoseconds, timeZone: .utc)
    }

    /// Seconds since 1970-01-01T00:00:00Z without the fraction; a value without time zone is taken as UTC.
    public var secondsSinceEpoch: Int64 {
        let days = Int64(Calendar.days(date.year, date.month, date.day))
        return days * 86400 + Int64(hour * 3600 + minute * 60 + second - (timeZone?.minutes ?? 0) * 60)
    }

    static let attosecondsPerSecond: UInt64 = 1_000_000_000_000_000_000

    /// Reads `2026-11-21T04:05:06.789Z`.
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ XSDDateTime(lexical: $0.span) }) else { return nil }
        self = value
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard var (year, month, day) = scanner.date(), scanner.take(UInt8(ascii: "T")),
            let hour = scanner.twoDigits(), scanner.take(UInt8(ascii: ":")),
            let minute = scanner.twoDigits(), scanner.take(UInt8(ascii: ":")),
            let second = scanner.twoDigits(), let fraction = scanner.fraction(), case .some(let zone) = scanner.zone(),
            scanner.isAtEnd
        else { return nil }
        if hour == 24 {
            // 24:00:00 is the first instant of the next day (§3.2.7.1).
            guard minute == 0, second == 0, fraction == 0, Calendar.isDay(year, month, day),
                let next = Calendar.civil(fromDays: Calendar.days(year, month, day) + 1)
            else { return nil }
            (year, month, day) = next
        }
        return Self(
            year: year, month: month, day: day, hour: hour == 24 ? 0 : hour, minute: minute, second: second,
            attoseconds: fraction, timeZone: zone)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.date(date.year, date.month, date.day)
        writer.raw(UInt8(ascii: "T"))
        writer.digits(hour, width: 2)
        writer.raw(UInt8(ascii: ":"))
        writer.digits(minute, width: 2)
        writer.raw(UInt8(ascii: ":"))
        writer.digits(second, width: 2)
        if attoseconds > 0 {
            writer.raw(UInt8(ascii: "."))
            var rest = attoseconds
            var unit = Self.attosecondsPerSecond / 10
            while rest > 0 {
                writer.raw(0x30 &+ UInt8(truncatingIfNeeded: rest / unit))
                rest %= unit
                unit /= 10
            }
        }
        writer.zone(timeZone)
    }

    public var description: String { lexicalForm }
}

extension XMLValue {
    /// The text that stands for the value in a document.
    public var lexicalForm: String {
        var writer = XMLWriter()
        writeLexical(to: &writer)
        return String(decoding: UnsafeBufferPointer(start: writer.base, count: writer.count), as: UTF8.self)
    }
}
