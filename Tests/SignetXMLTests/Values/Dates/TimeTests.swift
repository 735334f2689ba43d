import SignetXML
import Testing

/// `xs:time` and the parts of dates.
@Suite struct TimeTests {
    @Test(arguments: [
        ("13:20:00-05:00", "13:20:00-05:00", "18:20:00Z"), ("00:00:00", "00:00:00", "00:00:00"),
        ("24:00:00", "00:00:00", "00:00:00"), ("24:00:00.0Z", "00:00:00Z", "00:00:00Z"),
        ("01:00:00+02:00", "01:00:00+02:00", "23:00:00Z"), ("23:59:59.90-14:00", "23:59:59.9-14:00", "13:59:59.9Z"),
        ("00:00:00.00000000000000000000001", "00:00:00.00000000000000000000001", "00:00:00.00000000000000000000001"),
    ])
    func times(text: String, written: String, canonical: String) throws {
        let value = try #require(XSDTime(text))
        #expect(value.lexicalForm == written)
        #expect(value.canonicalForm == canonical)
        #expect(XSDTime(written) == value)
    }

    @Test(arguments: [
        "", "1:00:00", "24:00:01", "24:01:00", "25:00:00", "12:60:00", "12:00:60", "12:00", "12:00:00.",
        "12:00:00+14:01",
        "T12:00:00", "12:00:00z", "-12:00:00", "12.00.00", "12:00:00,5", "12:00:0", "99:99:99",
    ])
    func badTimes(text: String) {
        #expect(XSDTime(text) == nil)
    }

    /// The XML Schema test suite (time_maxInclusive007) holds the first to be greater than the second.
    @Test func timesAreOrderedAsOnOneDay() throws {
        func order(_ a: String, _ b: String) throws -> XSDOrder? {
            try #require(XSDTime(a)).compare(to: try #require(XSDTime(b)))
        }
        #expect(try order("12:00:00-14:00", "12:00:00-10:00") == .greater)
        #expect(try order("08:00:00+09:00", "17:00:00-06:00") == .less)
        #expect(try order("21:30:00+10:30", "06:00:00-05:00") == .equal)
        #expect(try order("24:00:00+01:00", "00:00:00+01:00") == .equal)
        #expect(try order("12:00:00", "12:00:00Z") == nil)
        #expect(try order("00:00:00", "14:00:00Z") == nil)
        #expect(try order("00:00:00", "14:00:01Z") == .less)
        #expect(try order("23:00:00", "08:59:59.99Z") == .greater)
        #expect(XSDTime.init("21:30:00+10:30")?.hashValue == XSDTime.init("06:00:00-05:00")?.hashValue)
        #expect(XSDTime(hour: 24, minute: 0, second: 0) == nil)
        #expect(XSDTime(hour: 23, minute: 0, second: 1, timeZone: .utc)?.lexicalForm == "23:00:01Z")
    }

    private func roundTrips<T: XSDTemporal>(_ type: T.Type, _ texts: [String], bad: [String]) {
        for text in texts { #expect(T(text)?.lexicalForm == text, "\(text)") }
        for text in bad { #expect(T(text) == nil, "\(text)") }
    }

    @Test func lexicalForms() {
        roundTrips(
            XSDYearMonth.self, ["1999-05", "-0044-03Z", "12345-12+01:00", "999999999-12-14:00"],
            bad: ["", "1999", "99-05", "1999-13", "1999-00", "1999-5", "0000-01", "1999-05-01", "01999-05"])
        roundTrips(
            XSDYear.self, ["1999", "-0001", "0001Z", "12345-05:00", "999999999-14:00"],
            bad: ["", "99", "0000", "-0000", "01999", "1999-1", "+1999", "1000000000", "-999999999+00:01", "1999-"])
        roundTrips(
            XSDMonthDay.self, ["--01-01", "--02-29", "--12-31-14:00", "--11-30Z"],
            bad: ["", "--02-30", "--13-01", "--04-31", "--00-10", "--10-00", "-01-01", "01-01", "--1-01", "--01-01-"])
        roundTrips(
            XSDDay.self, ["---01", "---31", "---31+14:00", "---09Z"],
            bad: ["", "---00", "---32", "--01", "---1", "01", "---001", "----1"])
        // The first printing of the standard wrote `--10--`; it was corrected, and the XML Schema test suite refuses
        // it.
        roundTrips(
            XSDMonth.self, ["--01", "--12", "--05-11:00", "--05Z"],
            bad: ["", "--00", "--13", "--1", "--10--", "10", "---10", "--10-"])
    }

    @Test func components() {
        #expect(XSDMonthDay(month: 2, day: 29)?.day == 29)
        #expect(XSDMonthDay(month: 2, day: 30) == nil)
        #expect(XSDYearMonth(year: -44, month: 3)?.lexicalForm == "-0044-03")
        #expect(XSDYear(year: 0) == nil)
        #expect(XSDDay(day: 31, timeZone: .utc)?.lexicalForm == "---31Z")
        #expect(XSDMonth(month: 12)?.month == 12)
    }

    @Test func equalOnTheirReferenceDays() {
        #expect(XSDMonthDay.init("--02-29-11:00") == XSDMonthDay.init("--03-01+13:00"))
        #expect(XSDMonthDay.init("--02-29-11:00")?.hashValue == XSDMonthDay.init("--03-01+13:00")?.hashValue)
        #expect(XSDMonthDay.init("--03-01+13:00")?.canonicalForm == "--02-29-11:00")
        #expect(XSDMonthDay.init("--01-01+13:00") != XSDMonthDay.init("--12-31-11:00"))
        #expect(XSDMonthDay.init("--01-01+13:00")?.canonicalForm == "--01-01+13:00")
        #expect(XSDDay.init("---02-12:00") == XSDDay.init("---03+12:00"))
        #expect(XSDDay.init("---02-12:00")?.canonicalForm == "---03+12:00")
        #expect(XSDDay.init("---31-12:00")?.canonicalForm == "---31-12:00")
        #expect(XSDYear.init("2026Z") != XSDYear.init("2026"))
        #expect(XSDMonth.init("--05-00:00")?.canonicalForm == "--05Z")
    }

    @Test func orderOfParts() throws {
        #expect(XSDMonthDay.init("--02-28")?.compare(to: try #require(XSDMonthDay.init("--02-29"))) == .less)
        #expect(XSDYear.init("-0001")?.compare(to: try #require(XSDYear.init("0001"))) == .less)
        #expect(XSDYear.init("2026Z")?.compare(to: try #require(XSDYear.init("2026"))) == nil)
        #expect(XSDYear.init("2027Z")?.compare(to: try #require(XSDYear.init("2026"))) == .greater)
        #expect(XSDYearMonth.init("2026-12")?.compare(to: try #require(XSDYearMonth.init("2027-01Z"))) == .less)
        #expect(XSDDay.init("---15Z")?.compare(to: try #require(XSDDay.init("---15"))) == nil)
        #expect(XSDDay.init("---15Z")?.compare(to: try #require(XSDDay.init("---16"))) == .less)
        #expect(XSDMonth.init("--05+14:00")?.compare(to: try #require(XSDMonth.init("--05-14:00"))) == .less)
    }
}
