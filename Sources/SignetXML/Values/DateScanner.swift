/// Reads the parts of dates and times from left to right. It is valid only as long as its bytes.
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

    /// Reads the next eight bytes: a digit where `form` has a zero, and otherwise the byte of `form`.
    @inline(__always) private func digits(like form: EightDigits.Form) -> EightDigits? {
        guard bytes.count - i >= 8, let base = bytes.baseAddress else { return nil }
        return EightDigits(base + i, form)
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
        // The most common form: a year of four digits, and two digits for everything else.
        if let digits = digits(like: .yearAndMonth), bytes.count - i >= 10 {
            let day = i + 8
            let tens = bytes[day] &- 0x30
            let ones = bytes[day + 1] &- 0x30
            guard tens <= 9, ones <= 9 else { return nil }
            i += 10
            let year = digits.pair(0) &* 100 &+ digits.pair(2)
            return (year, digits.pair(5), Int(tens &* 10 &+ ones))
        }
        return anyDate()
    }

    private mutating func anyDate() -> (Int, Int, Int)? {
        guard let year = year(), take(UInt8(ascii: "-")), let month = twoDigits(), take(UInt8(ascii: "-")),
            let day = twoDigits()
        else { return nil }
        return (year, month, day)
    }

    /// `hh:mm:ss` and a fraction; 24:00:00 is one.
    @inline(__always) mutating func time() -> TimeOfDay? {
        if let digits = digits(like: .time) {
            i += 8
            guard let fraction = fraction() else { return nil }
            return TimeOfDay(
                hour: digits.pair(0), minute: digits.pair(3), second: digits.pair(6), fraction: fraction)
        }
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

    /// Reads the time zone, which is the last part: nil when the rest is not a time zone.
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

    /// A point and digits; the inner optional is nil when there is no point, the outer when no digit follows it.
    mutating func fraction(orNone: Void) -> XSDFraction?? {
        i < bytes.count && bytes[i] == UInt8(ascii: ".") ? fraction().map { .some($0) } : .some(nil)
    }

    /// Reads all following digits; returns their number, nil when there is no digit or the number is too large.
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

/// Eight bytes, of which some are digits.
private struct EightDigits {
    /// Which bytes are digits, and what the others are.
    struct Form {
        /// Zeros in the place of digits.
        let pattern: UInt64
        /// The addend that makes a byte that is too large reach its highest bit: 9 is the largest digit, and other
        /// bytes must match.
        let bound: UInt64

        /// `0000-00-`
        static let yearAndMonth = Form(pattern: 0x2D30_302D_3030_3030, bound: 0x7F76_767F_7676_7676)
        /// `00:00:00`
        static let time = Form(pattern: 0x3030_3A30_303A_3030, bound: 0x7676_7F76_767F_7676)
    }

    /// The values of the digits, the first in the lowest byte.
    private let values: UInt64

    /// Reads eight bytes; nil when they have another form.
    @inline(__always) init?(_ bytes: UnsafePointer<UInt8>, _ form: Form) {
        values = UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)) ^ form.pattern
        guard (values | (values &+ form.bound)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    }

    /// The number that two digits make.
    @inline(__always) func pair(_ place: UInt64) -> Int {
        let both = values &>> (place &* 8)
        return Int(truncatingIfNeeded: (both & 0xFF) &* 10 &+ (both &>> 8) & 0xFF)
    }
}
