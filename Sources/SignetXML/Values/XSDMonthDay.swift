/// An `xs:gMonthDay`: a day that recurs every year, `--11-21` (XML Schema Part 2 §3.2.12).
///
/// Values are ordered as in a leap year.
public struct XSDMonthDay: XSDTemporal {
    /// The day in a fixed leap year, which replaces the absent year: equality and order are those of that day.
    private let start: XSDDate

    /// The month, from 1 to 12.
    public var month: Int { start.month }
    /// The day, from 1 to the last day of the month; 29 in February, as in a leap year.
    public var day: Int { start.day }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { start.timeZone }

    public static var typeName: String { "xs:gMonthDay" }
    public static var _placeholder: XSDMonthDay {
        XSDMonthDay(start: XSDDate(firstDayOf: Int32(Calendar.referenceYear)))
    }

    private init(start: XSDDate) { self.start = start }

    /// Makes a day; nil when there is no such day.
    public init?(month: Int, day: Int, timeZone: XSDTimeZone? = nil) {
        guard let start = XSDDate(Calendar.referenceYear, month, day, .init(timeZone)) else { return nil }
        self.init(start: start)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard scanner.take(hyphens: 2), let month = scanner.twoDigits(), scanner.take(UInt8(ascii: "-")),
            let day = scanner.twoDigits(), let zone = scanner.zone()
        else { return nil }
        return XSDDate(Calendar.referenceYear, month, day, zone).map(Self.init)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.raw("--")
        writer.digits(start.month, width: 2)
        writer.raw(UInt8(ascii: "-"))
        writer.digits(start.day, width: 2)
        writer.zone(start.zone)
    }

    public func compare(to other: Self) -> XSDOrder? { start.compare(to: other.start) }

    /// The day in its recoverable time zone, as §3.2.9.2 defines it for dates, unless that is a day of another year.
    public func writeCanonical(to writer: inout XMLWriter) {
        let recoverable = start.recoverable
        (recoverable.year == start.year ? Self(start: recoverable) : self).writeLexical(to: &writer)
    }
}
