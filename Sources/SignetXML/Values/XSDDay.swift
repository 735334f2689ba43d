/// An `xs:gDay`: a day that recurs every month, `---21` (XML Schema Part 2 §3.2.13).
///
/// Values are ordered as in a month of 31 days.
public struct XSDDay: XSDTemporal {
    /// The day in a fixed year and month, which replace the absent parts: equality and order are those of that day.
    private let start: XSDDate

    /// The day, from 1 to 31.
    public var day: Int { start.day }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { start.timeZone }

    public static var typeName: String { "xs:gDay" }
    public static var _placeholder: XSDDay { XSDDay(start: XSDDate(firstDayOf: Int32(Calendar.referenceYear))) }

    private init(start: XSDDate) { self.start = start }

    /// Makes a day; nil when there is no such day.
    public init?(day: Int, timeZone: XSDTimeZone? = nil) {
        guard let start = XSDDate(Calendar.referenceYear, 1, day, .init(timeZone)) else { return nil }
        self.init(start: start)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard scanner.take(hyphens: 3), let day = scanner.twoDigits(), let zone = scanner.zone() else { return nil }
        return XSDDate(Calendar.referenceYear, 1, day, zone).map(Self.init)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.raw("---")
        writer.digits(start.day, width: 2)
        writer.zone(start.zone)
    }

    public func compare(to other: Self) -> XSDOrder? { start.compare(to: other.start) }

    /// The day in its recoverable time zone, as §3.2.9.2 defines it for dates, unless that is a day of another month.
    public func writeCanonical(to writer: inout XMLWriter) {
        let recoverable = start.recoverable
        (recoverable.month == start.month ? Self(start: recoverable) : self).writeLexical(to: &writer)
    }
}
