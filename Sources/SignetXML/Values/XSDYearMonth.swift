/// An `xs:gYearMonth`: one month of one year, `2026-11` (XML Schema Part 2 §3.2.10).
public struct XSDYearMonth: XSDTemporal {
    /// The first day of the month, which represents it: equality and order are those of that day.
    let start: XSDDate

    /// The proleptic Gregorian year; there is no year zero, and years before it are negative.
    public var year: Int { start.year }
    /// The month, from 1 to 12.
    public var month: Int { start.month }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { start.timeZone }

    public static var typeName: String { "xs:gYearMonth" }
    public static var _placeholder: XSDYearMonth { XSDYearMonth(start: ._placeholder) }

    private init(start: XSDDate) { self.start = start }

    /// Makes a month; nil when there is no such month.
    public init?(year: Int, month: Int, timeZone: XSDTimeZone? = nil) {
        guard let start = XSDDate(year, month, 1, .init(timeZone)) else { return nil }
        self.init(start: start)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let year = scanner.year(), scanner.take(UInt8(ascii: "-")), let month = scanner.twoDigits(),
            let zone = scanner.zone()
        else { return nil }
        return XSDDate(year, month, 1, zone).map(Self.init)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.year(start.year)
        writer.raw(UInt8(ascii: "-"))
        writer.digits(start.month, width: 2)
        writer.zone(start.zone)
    }

    public func compare(to other: Self) -> XSDOrder? { start.compare(to: other.start) }

    /// Every value can be written in one way only, except that `Z` has equivalents.
    public func writeCanonical(to writer: inout XMLWriter) { writeLexical(to: &writer) }
}
