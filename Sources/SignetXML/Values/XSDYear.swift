/// An `xs:gYear`: a year, `2026` (XML Schema Part 2 §3.2.11).
public struct XSDYear: XSDTemporal {
    /// The first day of the year, which represents it: equality and order are those of that day.
    let start: XSDDate

    /// The proleptic Gregorian year; there is no year zero, and years before it are negative.
    public var year: Int { start.year }
    /// The time zone; nil when the sender gave none.
    public var timeZone: XSDTimeZone? { start.timeZone }

    public static var typeName: String { "xs:gYear" }
    public static var _placeholder: XSDYear { XSDYear(start: ._placeholder) }

    private init(start: XSDDate) { self.start = start }

    /// Makes a year; nil when there is no such year.
    public init?(year: Int, timeZone: XSDTimeZone? = nil) {
        guard let start = XSDDate(year, 1, 1, .init(timeZone)) else { return nil }
        self.init(start: start)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        guard let year = scanner.year(), let zone = scanner.zone() else { return nil }
        return XSDDate(year, 1, 1, zone).map(Self.init)
    }

    public func writeLexical(to writer: inout XMLWriter) {
        writer.year(start.year)
        writer.zone(start.zone)
    }

    public func compare(to other: Self) -> XSDOrder? { start.compare(to: other.start) }

    /// Every value can be written in one way only, except that `Z` has equivalents.
    public func writeCanonical(to writer: inout XMLWriter) { writeLexical(to: &writer) }
}
