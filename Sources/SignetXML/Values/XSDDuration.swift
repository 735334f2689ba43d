/// An `xs:duration`: months and seconds, which cannot be converted into one another (XML Schema Part 2 §3.2.6).
///
/// A year is twelve months, a day 86,400 seconds: `P1Y` equals `P12M`, `P1D` equals `PT24H`, while `P1M` and `P30D`
/// cannot be compared. The months and the whole seconds may each be as large as `Int`, and larger ones are refused; the
/// fraction of the second has any number of digits.
public struct XSDDuration: XSDTemporal {
    /// All months, years among them; not positive when the duration is negative.
    public let months: Int
    /// All whole seconds, days among them; not positive when the duration is negative.
    public let seconds: Int
    /// The fraction beyond the whole seconds, in the duration's direction.
    public let fraction: XSDFraction
    /// Whether the duration is negative. Zero is not.
    public let isNegative: Bool

    public static var typeName: String { "xs:duration" }
    public static var _placeholder: XSDDuration { zero }
    /// No time at all, written `PT0S`; it has no sign.
    public static let zero = XSDDuration(magnitudes: 0, 0, .zero, isNegative: false)

    /// The caller has checked that neither number is negative.
    init(magnitudes months: Int, _ seconds: Int, _ fraction: XSDFraction, isNegative: Bool) {
        self.months = isNegative ? -months : months
        self.seconds = isNegative ? -seconds : seconds
        self.fraction = fraction
        self.isNegative = isNegative && !(months == 0 && seconds == 0 && fraction.isZero)
    }

    /// The sum of parts, none of which may be negative: `isNegative` negates the whole. Nil when a part is negative, or
    /// when the sum is too large.
    public init?(
        isNegative: Bool = false, years: Int = 0, months: Int = 0, days: Int = 0, hours: Int = 0, minutes: Int = 0,
        seconds: Int = 0, fraction: XSDFraction = .zero
    ) {
        var (allMonths, allSeconds) = (0, 0)
        guard min(years, months, days, min(hours, minutes, seconds)) >= 0,
            allMonths.add(years, times: 12), allMonths.add(months, times: 1), allSeconds.add(days, times: 86400),
            allSeconds.add(hours, times: 3600), allSeconds.add(minutes, times: 60), allSeconds.add(seconds, times: 1)
        else { return nil }
        self.init(magnitudes: allMonths, allSeconds, fraction, isNegative: isNegative)
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let value = bytes.withUnsafeBufferPointer(Self.parse) else { return nil }
        self = value
    }

    /// `-?PnYnMnDTnHnMn.nS`: each part may be missing, but not all, and not all after the `T`.
    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Self? {
        var scanner = DateScanner(bytes)
        let isNegative = scanner.take(UInt8(ascii: "-"))
        guard scanner.take(UInt8(ascii: "P")) else { return nil }
        var (months, seconds, fraction) = (0, 0, XSDFraction.zero)
        var last: Unit?
        var isTime = false
        var isEmpty = true
        while !scanner.isAtEnd {
            if !isTime, scanner.take(UInt8(ascii: "T")) {
                (isTime, isEmpty) = (true, true)
                continue
            }
            guard let number = scanner.number(), let digits = scanner.fraction(orNone: ()),
                let unit = Unit(scanner.letter(), isTime: isTime), last.map({ $0.rawValue < unit.rawValue }) ?? true,
                digits == nil || unit == .second
            else { return nil }
            let isFine =
                unit.rawValue < Unit.day.rawValue
                ? months.add(number, times: unit.size) : seconds.add(number, times: unit.size)
            guard isFine else { return nil }
            (last, isEmpty, fraction) = (unit, false, digits ?? .zero)
        }
        return isEmpty ? nil : Self(magnitudes: months, seconds, fraction, isNegative: isNegative)
    }

    /// The units in the order in which they are written.
    private enum Unit: Int {
        case year, month, day, hour, minute, second

        init?(_ letter: UInt8?, isTime: Bool) {
            switch (letter, isTime) {
            case (UInt8(ascii: "Y"), false): self = .year
            case (UInt8(ascii: "M"), false): self = .month
            case (UInt8(ascii: "D"), false): self = .day
            case (UInt8(ascii: "H"), true): self = .hour
            case (UInt8(ascii: "M"), true): self = .minute
            case (UInt8(ascii: "S"), true): self = .second
            default: return nil
            }
        }

        /// The size of the unit, in months or in seconds.
        var size: Int {
            switch self {
            case .year: 12
            case .day: 86400
            case .hour: 3600
            case .minute: 60
            case .month, .second: 1
            }
        }
    }

    /// Writes the duration without zero parts; `PT0S` for zero.
    public func writeLexical(to writer: inout XMLWriter) {
        let parts = components
        if isNegative { writer.raw(UInt8(ascii: "-")) }
        writer.raw(UInt8(ascii: "P"))
        writer.part(parts.years, "Y")
        writer.part(parts.months, "M")
        writer.part(parts.days, "D")
        let hasSeconds = parts.seconds > 0 || !fraction.isZero || self == .zero
        guard hasSeconds || parts.hours > 0 || parts.minutes > 0 else { return }
        writer.raw(UInt8(ascii: "T"))
        writer.part(parts.hours, "H")
        writer.part(parts.minutes, "M")
        guard hasSeconds else { return }
        writer.decimal(parts.seconds)
        writer.fraction(fraction)
        writer.raw(UInt8(ascii: "S"))
    }

    public func writeCanonical(to writer: inout XMLWriter) { writeLexical(to: &writer) }
}

extension XMLWriter {
    fileprivate mutating func part(_ number: Int, _ unit: StaticString) {
        guard number > 0 else { return }
        decimal(number)
        raw(unit)
    }
}

extension Int {
    /// False when the sum is too large.
    fileprivate mutating func add(_ number: Int, times size: Int) -> Bool {
        let (scaled, overflow) = number.multipliedReportingOverflow(by: size)
        let (sum, carry) = addingReportingOverflow(scaled)
        self = sum
        return !overflow && !carry
    }
}
