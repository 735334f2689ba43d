/// Reads the parts of dates and times from left to right. It lives only while its bytes do.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var i = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    @inline(__always) mutating func take(_ byte: UInt8) -> Bool {
        guard i < bytes.count, bytes[i] == byte else { return false }
        i += 1
        return true
    }

    mutating func take(hyphens: Int) -> Bool {
        for _ in 0..<hyphens where !take(UInt8(ascii: "-")) { return false }
        return true
    }

    @inline(__always) private mutating func digit() -> Int? {
        guard i < bytes.count, bytes[i] &- 0x30 <= 9 else { return nil }
        i += 1
        return Int(bytes[i - 1] &- 0x30)
    }

    @inline(__always) mutating func twoDigits() -> Int? {
        guard bytes.count - i >= 2 else { return nil }
        let tens = bytes[i] &- 0x30
        let ones = bytes[i + 1] &- 0x30
        guard tens <= 9, ones <= 9 else { return nil }
        i += 2
        return Int(tens &* 10 &+ ones)
    }

    /// `-?YYYY`: at least four digits, no leading zero when there are more (§3.2.7.1).
    @inline(__always) mutating func year() -> Int? {
        let isNegative = take(UInt8(ascii: "-"))
        let first = i
        var year = 0
        while let digit = digit() {
            guard i - first <= 9 else { return nil }
            year = year * 10 + digit
        }
        guard i - first >= 4, i - first == 4 || bytes[first] != 0x30 else { return nil }
        return isNegative ? -year : year
    }

    @inline(__always) mutating func date() -> (Int, Int, Int)? {
        guard let year = year(), take(UInt8(ascii: "-")), let month = twoDigits(), take(UInt8(ascii: "-")),
            let day = twoDigits()
        else { return nil }
        return (year, month, day)
    }

    /// `hh:mm:ss` and a fraction; 24:00:00 is one.
    @inline(__always) mutating func time() -> TimeOfDay? {
        guard let hour = twoDigits(), take(UInt8(ascii: ":")), let minute = twoDigits(), take(UInt8(ascii: ":")),
            let second = twoDigits(), let fraction = fraction()
        else { return nil }
        return TimeOfDay(hour: hour, minute: minute, second: second, fraction: fraction)
    }

    /// A point and digits; zero when there is no point, nil when no digit follows it.
    mutating func fraction() -> XSDFraction? {
        guard take(UInt8(ascii: ".")) else { return .zero }
        var value: UInt64 = 0
        var unit = XSDFraction.one
        let first = i
        while unit > 1, let digit = digit() {
            unit /= 10
            value += UInt64(digit) * unit
        }
        guard i > first else { return nil }
        let further = i
        while digit() != nil {}
        if i == further { return XSDFraction(digits: value) }
        return XSDFraction(digits: value, further: Array(bytes[further..<i]))
    }

    /// The time zone, which is the last part: nil when what is left is none.
    mutating func zone() -> XSDTimeZone.Optional? {
        if i == bytes.count { return XSDTimeZone.Optional.none }
        if take(UInt8(ascii: "Z")) { return i == bytes.count ? XSDTimeZone.Optional.utc : nil }
        let isNegative = take(UInt8(ascii: "-"))
        guard isNegative || take(UInt8(ascii: "+")), let hours = twoDigits(), take(UInt8(ascii: ":")),
            let minutes = twoDigits(), minutes < 60, i == bytes.count
        else { return nil }
        return XSDTimeZone(minutes: (isNegative ? -1 : 1) * (hours * 60 + minutes)).map { .init($0) }
    }

    // MARK: Durations

    var isAtEnd: Bool { i == bytes.count }

    mutating func letter() -> UInt8? {
        guard i < bytes.count else { return nil }
        i += 1
        return bytes[i - 1]
    }

    /// A point and digits; the inner nil when there is no point, the outer when no digit follows it.
    mutating func fraction(orNone: Void) -> XSDFraction?? {
        i < bytes.count && bytes[i] == UInt8(ascii: ".") ? fraction().map { .some($0) } : .some(nil)
    }

    /// Digits, as many as there are: the number they make, nil when there is none or it is too large.
    mutating func number() -> Int? {
        guard var value = digit() else { return nil }
        while let digit = digit() {
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = scaled.addingReportingOverflow(digit)
            if overflow || carry { return nil }
            value = sum
        }
        return value
    }
}
