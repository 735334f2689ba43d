#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension XSDDateTime {
    /// The instant as UTC, to the precision that `Date` keeps; nil beyond the years that can be written.
    public init?(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        guard seconds.magnitude < 3e16 else { return nil }
        let fraction = (date.timeIntervalSince1970 - seconds) * 1e9
        self.init(secondsSinceEpoch: Int64(seconds), attoseconds: UInt64(min(fraction, 999_999_999)) * 1_000_000_000)
    }

    /// The instant; a value without time zone is taken as UTC. Digits finer than `Date` keeps are lost.
    public var foundationDate: Date {
        Date(timeIntervalSince1970: Double(secondsSinceEpoch) + Double(attoseconds) / 1e18)
    }
}

extension XSDDate {
    /// The first instant of the day in its time zone, or in UTC when it has none.
    public var foundationDate: Date {
        XSDDateTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0, timeZone: timeZone ?? .utc)?
            .foundationDate ?? Date(timeIntervalSince1970: 0)
    }
}

extension XSDDecimal {
    /// Exact unless the number is not finite.
    public init?(_ value: Decimal) { self.init("\(value)") }

    /// Nil when the number has more digits than `Decimal` keeps.
    public var foundationDecimal: Decimal? {
        let digits = canonical.utf8.filter { (0x30...0x39).contains($0) }.count
        return digits <= 38 ? Decimal(string: canonical) : nil
    }
}

extension XSDBase64Binary {
    public init(_ data: Data) { self.init([UInt8](data)) }
    public var data: Data { Data(bytes) }
}

extension XSDHexBinary {
    public init(_ data: Data) { self.init([UInt8](data)) }
    public var data: Data { Data(bytes) }
}
