import SwiftASN1

/// Seconds since 1970 in UTC, and the calendar of certificates (RFC 5280 §4.1.2.5).
package enum UnixTime {
    static func read(_ node: ASN1Node) throws -> Int64 {
        if node.identifier == .utcTime {
            let time = try UTCTime(derEncoded: node)
            return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
        }
        let time = try GeneralizedTime(derEncoded: node)
        return seconds(time.year, time.month, time.day, time.hours, time.minutes, time.seconds)
    }

    private static func seconds(_ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int)
        -> Int64
    {
        // Years are counted from March: the leap day comes last, so the days of the months follow a linear formula.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
    }

    /// The time as a certificate has it (RFC 5280 §4.1.2.5), as UTCTime until 2049 and as GeneralizedTime from 2050; nil
    /// outside the years from 1950 to 9999.
    static func certificateTime(_ seconds: Int64) -> (text: String, isLong: Bool)? {
        guard (-631_152_000...253_402_300_799).contains(seconds) else { return nil }
        let digits = text(seconds).filter(\.isNumber)
        let isLong = seconds >= 2_524_608_000
        return ((isLong ? digits : String(digits.dropFirst(2))) + "Z", isLong)
    }

    /// `2026-11-21 09:30:00 UTC`.
    package static func text(_ seconds: Int64) -> String {
        let (dayCount, secondOfDay) = floored(seconds, by: 86_400)
        let (era, dayOfEra) = floored(dayCount + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let clock = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map(padded).joined(separator: ":")
        return "\(year)-\(padded(month))-\(padded(day)) \(clock) UTC"
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func padded(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
