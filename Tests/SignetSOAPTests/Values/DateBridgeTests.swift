import Foundation
import SignetSOAP
import Testing

@Suite struct DateBridgeTests {
    @Test(arguments: [
        "2026-11-21T04:05:06.789Z", "2026-11-21T04:05:06.000001Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z",
        "-0044-03-15T12:00:00.25Z", "2001-01-01T00:00:00.123456789Z", "2000-12-31T23:59:59.999999999Z",
        "-999999999-01-01T00:00:00Z",
    ])
    func dateTimesThatDateKeeps(text: String) throws {
        let value = try #require(XSDDateTime(text))
        let date = try #require(value.exactFoundationDate)
        #expect(XSDDateTime(date)?.lexicalForm == text)
        #expect(XSDDateTime(exactly: date) == value)
        let zone = try #require(XSDTimeZone(minutes: -90))
        if value.date.year.magnitude < 999_999_999 {
            #expect(XSDDateTime(date, timeZone: zone) == value)
            #expect(XSDDateTime(date, timeZone: zone)?.timeZone == zone)
        }
    }

    @Test(arguments: [
        "2026-11-21T04:05:06.7891234567Z", "2026-11-21T04:05:06", "2001-01-01T00:00:00.1234567890123456789Z",
        "999999999-12-31T23:59:59Z",
    ])
    func dateTimesThatDateLoses(text: String) {
        #expect(XSDDateTime(text)?.exactFoundationDate == nil)
    }

    @Test func datesAtTheLimits() {
        for interval in [Double.infinity, -.infinity, .nan, 3.2e16, -3.2e16, .greatestFiniteMagnitude] {
            #expect(XSDDateTime(Date(timeIntervalSinceReferenceDate: interval)) == nil)
            #expect(XSDDate(Date(timeIntervalSinceReferenceDate: interval), in: .gmt) == nil)
        }
        #expect(XSDDateTime(exactly: Date(timeIntervalSinceReferenceDate: 1e-12)) == nil)
        #expect(XSDDateTime(Date(timeIntervalSinceReferenceDate: 1e-12))?.lexicalForm == "2001-01-01T00:00:00Z")
        #expect(XSDDateTime(Date(timeIntervalSinceReferenceDate: -1e-20))?.lexicalForm == "2001-01-01T00:00:00Z")
        #expect(
            XSDDateTime.init("999999999-12-31T23:59:59")?.foundationDate(in: .gmt).timeIntervalSince1970 ?? 0 > 3e16)
    }

    /// Every `Date` goes out and comes back as itself, but for the few months in which it is finer than nine digits.
    @Test func anyDateComesBack() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("anyDateComesBack: seed \(seed)")
        var state = seed
        for _ in 0..<2000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let interval = Double(state >> 11) / Double(1 << 53) * 4e9 - 2e9
            guard interval.magnitude > 0x1p24 else { continue }
            let date = Date(timeIntervalSinceReferenceDate: interval)
            #expect(XSDDateTime(date)?.foundationDate == date, "\(interval)")
        }
    }

    @Test func localTimes() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        func seconds(_ text: String) throws -> Double {
            try #require(XSDDateTime(text)).foundationDate(in: berlin).timeIntervalSince1970
        }
        #expect(try seconds("2026-07-01T00:00:00") == 1_782_856_800)
        #expect(try seconds("2026-01-01T00:00:00") == 1_767_222_000)
        #expect(try seconds("2026-01-01T00:00:00Z") == 1_767_225_600)
        let day = try #require(XSDDate.init("2026-07-01"))
        #expect(day.foundationDate(in: berlin).timeIntervalSince1970 == 1_782_856_800)
        #expect(day.foundationDate.timeIntervalSince1970 == 1_782_864_000)
        #expect(XSDDate(Date(timeIntervalSince1970: 1_782_856_800), in: berlin) == day)
        #expect(XSDDate(Date(timeIntervalSince1970: 1_782_856_799), in: berlin) == XSDDate.init("2026-06-30"))
        #expect(XSDTimeZone(berlin, at: Date(timeIntervalSince1970: 1_782_856_800))?.minutes == 120)
        #expect(XSDTimeZone(minutes: -210)?.foundationTimeZone.secondsFromGMT() == -12_600)
        #expect(try XSDTimeZone(#require(TimeZone(secondsFromGMT: 3601)), at: .now) == nil)
    }

    @Test func components() throws {
        for text in ["2026-11-21", "-0044-03-15Z", "2026-11-21+05:30"] {
            let value = try #require(XSDDate(text))
            #expect(XSDDate(value.dateComponents)?.lexicalForm == text)
        }
        for text in ["12:30:01.25", "23:59:59-03:30"] {
            #expect(XSDTime(try #require(XSDTime(text)).dateComponents)?.lexicalForm == text)
        }
        #expect(XSDYearMonth(DateComponents(year: 2026, month: 11))?.lexicalForm == "2026-11")
        #expect(XSDYearMonth(try #require(XSDYearMonth.init("-0001-02Z")).dateComponents)?.lexicalForm == "-0001-02Z")
        #expect(XSDMonthDay(DateComponents(month: 2, day: 29))?.lexicalForm == "--02-29")
        #expect(try #require(XSDMonthDay.init("--11-21")).dateComponents == DateComponents(month: 11, day: 21))
        #expect(XSDMonthDay(DateComponents(month: 2, day: 30)) == nil)
        #expect(XSDDate(DateComponents(year: 0, month: 1, day: 1)) == nil)
        #expect(XSDDate(DateComponents(year: 2026, month: 1)) == nil)
        #expect(XSDTime(DateComponents(hour: 1, minute: 0, nanosecond: 1_000_000_000)) == nil)
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        #expect(XSDDate(DateComponents(timeZone: berlin, year: 2026, month: 1, day: 1)) == nil)
    }
}
