/// The date of an `Expires` attribute, read as leniently as RFC 6265 §5.1.1 requires. That includes the format of RFC
/// 9110 §5.6.7.
package enum CookieDate {
    /// Seconds since 1970; nil when the text is not a date.
    package static func seconds(_ text: String) -> Int64? {
        var time: (hour: Int64, minute: Int64, second: Int64)?
        var day: Int64?
        var month: Int64?
        var year: Int64?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = Self.time(token) {
                time = found
            } else if day == nil, let found = leadingNumber(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Self.month(token) {
                month = found
            } else if year == nil, let found = leadingNumber(token, digits: 2...4) {
                year = found < 70 ? found + 2000 : found < 100 ? found + 1900 : found
            }
        }
        guard let time, let day, let month, let year, (1...31).contains(day), year >= 1601, time.hour <= 23,
            time.minute <= 59, time.second <= 59, day <= length(of: month, in: year)
        else { return nil }
        return ((days(year, month, day) * 24 + time.hour) * 60 + time.minute) * 60 + time.second
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// `hh:mm:ss`, each of one or two digits; text that follows them after a non-digit is ignored.
    private static func time(_ token: Substring.UTF8View.SubSequence) -> (Int64, Int64, Int64)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = leadingNumber(parts[0], digits: 1...2, exactly: true),
            let minute = leadingNumber(parts[1], digits: 1...2, exactly: true),
            let second = leadingNumber(parts[2], digits: 1...2)
        else { return nil }
        return (hour, minute, second)
    }

    private static func leadingNumber(
        _ token: Substring.UTF8View.SubSequence, digits: ClosedRange<Int>, exactly: Bool = false
    ) -> Int64? {
        let number = token.prefix { (0x30...0x39).contains($0) }
        guard digits.contains(number.count), !exactly || number.count == token.count else { return nil }
        return number.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    private static func month(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex(of: name).map { Int64($0) + 1 }
    }

    private static func length(of month: Int64, in year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    /// Days since 1 January 1970 in the Gregorian calendar, for years from 1601.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Years are counted from 1 March, so that a leap day is the last day of its year.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
