/// The proleptic Gregorian calendar, counted in days from 1970-01-01. The year before 1 is -1, as in XML Schema 1.0.
enum Calendar {
    /// Years beyond this are refused, so that no sum of days or seconds can overflow.
    static let largestYear = 999_999_999

    static func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        year != 0 && (-largestYear...largestYear).contains(year) && (1...12).contains(month) && day >= 1
            && day <= length(month, astronomical(year))
    }

    /// Years numbered with a zero, so that arithmetic is even.
    private static func astronomical(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    private static func length(_ month: Int, _ year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: return 30
        case 2: return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: return 31
        }
    }

    /// Days from 1970-01-01 to a valid day; months are counted from March so that leap days come last.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = astronomical(year) - (month <= 2 ? 1 : 0)
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The day that many days from 1970-01-01; nil beyond ``largestYear``.
    static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int)? {
        guard days.magnitude < 365_000_000_000 else { return nil }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year <= 0 ? year - 1 : year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

/// Reads the parts of dates and times from left to right. It lives only while its bytes do.
struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var i = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { i == bytes.count }

    mutating func take(_ byte: UInt8) -> Bool {
        guard i < bytes.count, bytes[i] == byte else { return false }
        i += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard i < bytes.count, bytes[i] &- 0x30 <= 9 else { return nil }
        i += 1
        return Int(bytes[i - 1] &- 0x30)
    }

    mutating func twoDigits() -> Int? {
        guard let tens = digit(), let ones = digit() else { return nil }
        return tens * 10 + ones
    }

    /// `-?YYYY-MM-DD`: at least four digits, no leading zero when there are more (§3.2.7.1).
    mutating func date() -> (Int, Int, Int)? {
        let isNegative = take(UInt8(ascii: "-"))
        let first = i
        var year = 0
        while let digit = digit() {
            guard i - first <= 9 else { return nil }
            year = year * 10 + digit
        }
        let length = i - first
        guard length >= 4, length == 4 || bytes[first] != 0x30, take(UInt8(ascii: "-")), let month = twoDigits(),
            take(UInt8(ascii: "-")), let day = twoDigits()
        else { return nil }
        return (isNegative ? -year : year, month, day)
    }

    /// The fraction of a second in 10⁻¹⁸; zero when there is none, nil when malformed or finer than can be kept.
    mutating func fraction() -> UInt64? {
        guard take(UInt8(ascii: ".")) else { return 0 }
        var value: UInt64 = 0
        var unit = XSDDateTime.attosecondsPerSecond
        var isEmpty = true
        while let digit = digit() {
            isEmpty = false
            unit /= 10
            if unit == 0 && digit != 0 { return nil }
            value += UInt64(digit) * unit
        }
        return isEmpty ? nil : value
    }

    /// The outer nil means malformed, the inner one that there is no time zone.
    mutating func zone() -> XSDTimeZone?? {
        if isAtEnd { return .some(nil) }
        if take(UInt8(ascii: "Z")) { return .some(.utc) }
        let isNegative = i < bytes.count && bytes[i] == UInt8(ascii: "-")
        guard isNegative || (i < bytes.count && bytes[i] == UInt8(ascii: "+")) else { return nil }
        i += 1
        guard let hours = twoDigits(), take(UInt8(ascii: ":")), let minutes = twoDigits(), minutes < 60,
            let zone = XSDTimeZone(minutes: (isNegative ? -1 : 1) * (hours * 60 + minutes))
        else { return nil }
        return .some(zone)
    }
}

extension XMLWriter {
    mutating func date(_ year: Int, _ month: Int, _ day: Int) {
        if year < 0 { raw(UInt8(ascii: "-")) }
        digits(abs(year), width: 4)
        raw(UInt8(ascii: "-"))
        digits(month, width: 2)
        raw(UInt8(ascii: "-"))
        digits(day, width: 2)
    }

    mutating func zone(_ zone: XSDTimeZone?) {
        guard let zone else { return }
        if zone.minutes == 0 {
            raw(UInt8(ascii: "Z"))
            return
        }
        raw(zone.minutes < 0 ? UInt8(ascii: "-") : UInt8(ascii: "+"))
        digits(abs(zone.minutes) / 60, width: 2)
        raw(UInt8(ascii: ":"))
        digits(abs(zone.minutes) % 60, width: 2)
    }
}
