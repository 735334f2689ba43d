/// The proleptic Gregorian calendar, counted in days from 1970-01-01. The year before 1 is -1, as in XML Schema 1.0.
enum Calendar {
    /// Years beyond this are refused, so that no sum of days or seconds can overflow.
    static let largestYear = 999_999_999

    static func isDay(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        year != 0 && (-largestYear...largestYear).contains(year) && (1...12).contains(month) && day >= 1
            && day <= length(month, astronomical(year))
    }

    /// The leap year used for days that recur every year.
    static let referenceYear = 1972

    /// Whether the day is the first or the last supported day, so that a time zone could lead beyond it.
    static func isOutermost(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        year == largestYear && month == 12 && day == 31 || year == -largestYear && month == 1 && day == 1
    }

    /// Days, and the seconds from the beginning of the day.
    static func split(_ seconds: Int64) -> (days: Int, seconds: Int) {
        let (days, rest) = Int(seconds).quotientAndRemainder(dividingBy: 86400)
        return rest < 0 ? (days - 1, rest + 86400) : (days, rest)
    }

    /// Years numbered with a zero, so that arithmetic is even.
    private static func astronomical(_ year: Int) -> Int { year < 0 ? year + 1 : year }

    /// The months from January of the year 0, in which there is one.
    static func months(_ year: Int, _ month: Int) -> Int { astronomical(year) * 12 + month - 1 }

    /// The year and month that is this many months after January of the year 0; nil beyond ``largestYear``.
    static func civil(fromMonths months: Int) -> (year: Int, month: Int)? {
        guard months.magnitude < 12_000_000_000 else { return nil }
        let year = (months >= 0 ? months : months - 11) / 12
        return (year <= 0 ? year - 1 : year, months - year * 12 + 1)
    }

    static func lastDay(_ year: Int, _ month: Int) -> Int { length(month, astronomical(year)) }

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

    /// Days from 1970-01-01 to the first day of the month that is this many months after January 1970.
    static func days(toMonth months: Int128) -> Int128 {
        let cycle: Int128 = 4800
        let cycles = (months >= 0 ? months : months - cycle + 1) / cycle
        let rest = Int(months - cycles * cycle)
        return cycles * 146_097 + Int128(days(1970 + rest / 12, rest % 12 + 1, 1))
    }

    /// The day that is this many days after 1970-01-01; nil beyond ``largestYear``.
    static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int)? {
        guard days.magnitude < 366_000_000_000 else { return nil }
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
