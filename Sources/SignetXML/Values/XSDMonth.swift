/// An `xs:gMonth`: a month that recurs every year, `--11` (XML Schema Part 2 §3.2.14).
public struct XSDMonth: XSDTemporal {
    /// The first day of the month in a fixed year, which replaces the absent parts: equality and order are those of
    /// that day.
    private let start: XSDDate

    /// The month, from 1 to 12.
    public var month: Int { start.month }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { start.timeZone }

    public static var typeName: String { "xs:gMonth" }
    public static var _placeholder: XSDMonth { XSDMonth(start: XSDDate(firstDayOf: Int32(Calendar.referenceYear))) }

    private init(start: XSDDate) { self.start = start }

    /// Makes a month; nil when there is no such month.
    public init?(month: Int, timeZone: XSDTimeZone? = nil) {
        guard let start = XSDDate(Calendar.referenceYear, month, 1, .init(timeZone)) else { return nil }
        self.init(start: start)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard scanner.take(hyphens: 2), let month = scanner.twoDigits(), let zone = scanner.zone() else { return nil }
        return XSDDate(Calendar.referenceYear, month, 1, zone).map(Self.init)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.raw("--")
        writer.digits(start.month, width: 2)
        writer.zone(start.zone)
    }

    public func compare(to other: Self) -> XSDOrder? { start.compare(to: other.start) }

    /// Every value can be written in one way only, except that `Z` has equivalents.
    public func writeCanonical(to writer: inout XMLWriter) { writeLexical(to: &writer) }
}
