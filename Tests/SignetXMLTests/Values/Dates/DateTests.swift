import SignetXML
import Testing

/// Lexical forms of `xs:date` and `xs:dateTime`, and how they are written.
@Suite struct DateTests {
    @Test(arguments: [
        "2026-11-21", "0001-01-01", "-0001-12-31", "2024-02-29Z", "2000-02-29+14:00", "12026-01-01-13:59",
        "1999-12-31+00:30", "2002-10-10+13:00", "2002-10-10-12:00", "-0001-02-28", "999999999-12-31",
        "-999999999-01-01Z", "999999999-12-30-14:00", "-0005-02-29",
    ])
    func datesAreWrittenAsTheyWereRead(text: String) {
        #expect(XSDDate(text)?.lexicalForm == text)
        #expect(parse(" \n\(text)\t", as: XSDDate.self)?.lexicalForm == text)
    }

    @Test(arguments: [
        "", "2026-1-01", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "0000-01-01",
        "-0000-01-01", "02026-01-01", "226-01-01", "2026-01-01+14:01", "2026-01-01+1:00", "2026-01-01z",
        "2026-01-01T00:00:00", "99999999999-01-01", "2026/01/01", "+2026-01-01", "2026-01-01+15:00",
        "2026-01-01+12:60", "2026-01-01ZZ", "2026-01-01Z ", "2026-01-01+12", "2026-01-01+1200", "2026-01-1",
        "2026-01-011", "--2026-01-01", "1000000000-01-01", "999999999-12-31-01:00", "-999999999-01-01+01:00",
        "-0004-02-29", "2026-04-31", "２026-01-01", "2026-01-01\u{0}",
    ])
    func badDates(text: String) {
        #expect(XSDDate(text) == nil)
    }

    @Test(arguments: [
        ("2026-11-21T04:05:06Z", "2026-11-21T04:05:06Z"),
        ("2026-11-21T04:05:06.789+02:00", "2026-11-21T04:05:06.789+02:00"),
        ("2026-11-21T04:05:06.000", "2026-11-21T04:05:06"),
        ("2026-11-21T04:05:06.7890", "2026-11-21T04:05:06.789"),
        ("2026-12-31T24:00:00Z", "2027-01-01T00:00:00Z"),
        ("2026-12-31T24:00:00.000+05:00", "2027-01-01T00:00:00+05:00"),
        ("-0001-12-31T24:00:00", "0001-01-01T00:00:00"),
        ("2026-01-01T00:00:00.123456789012345678-00:00", "2026-01-01T00:00:00.123456789012345678Z"),
        ("2026-01-01T00:00:00.1234567890123456789", "2026-01-01T00:00:00.1234567890123456789"),
        ("2026-01-01T00:00:00.0000000000000000000000010Z", "2026-01-01T00:00:00.000000000000000000000001Z"),
        ("2026-01-01T00:00:00.1000000000000000000000Z", "2026-01-01T00:00:00.1Z"),
    ])
    func dateTimesKeepTheirZone(text: String, written: String) {
        #expect(XSDDateTime(text)?.lexicalForm == written)
    }

    @Test(arguments: [
        "2026-11-21", "2026-11-21T24:00:01", "2026-11-21T25:00:00", "2026-11-21T00:60:00", "2026-11-21T00:00:60",
        "2026-11-21T00:00:00.", "2026-11-21T0:00:00", "2026-11-21 00:00:00", "2026-11-21T00:00:00.1.2",
        "2026-11-21T24:00:00.000000000000000000001", "2026-11-21T00:00", "2026-11-21t00:00:00",
        "2026-11-21T00:00:00z", "2026-11-21T00:00:00 Z", "2026-11-21T-1:00:00", "2026-02-29T00:00:00",
        "2026-02-30T24:00:00", "2026-11-21T00:00:00.5e3", "T00:00:00", "999999999-12-31T24:00:00", "2026-11-21T",
        "2026-11-21T24:01:00", "2026-11-21T00:00:00+14:30",
    ])
    func badDateTimes(text: String) {
        #expect(XSDDateTime(text) == nil)
    }

    /// §3.2.7.2: UTC for what has a time zone.
    @Test(arguments: [
        ("2002-10-10T12:00:00-05:00", "2002-10-10T17:00:00Z"), ("2002-10-10T12:00:00", "2002-10-10T12:00:00"),
        ("2000-03-04T23:00:00-03:00", "2000-03-05T02:00:00Z"), ("0001-01-01T00:00:00+00:01", "-0001-12-31T23:59:00Z"),
        ("2000-01-01T00:00:00.50+00:00", "2000-01-01T00:00:00.5Z"),
        ("2000-02-29T24:00:00+14:00", "2000-02-29T10:00:00Z"),
        ("9999-12-31T23:59:59.99999999999999999999-00:01", "10000-01-01T00:00:59.99999999999999999999Z"),
    ])
    func canonicalDateTimes(text: String, canonical: String) throws {
        let value = try #require(XSDDateTime(text))
        #expect(value.canonicalForm == canonical)
        #expect(XSDDateTime(canonical) == value)
    }

    /// §3.2.9.2: `2002-10-10+13:00` has the canonical form `2002-10-09-11:00`.
    @Test(arguments: [
        ("2002-10-10+13:00", "2002-10-09-11:00"), ("2002-10-10+12:00", "2002-10-10+12:00"),
        ("2002-10-10+12:01", "2002-10-09-11:59"), ("2002-10-10-11:59", "2002-10-10-11:59"),
        ("2002-10-10-12:00", "2002-10-11+12:00"), ("2002-12-31-14:00", "2003-01-01+10:00"),
        ("0001-01-01+14:00", "-0001-12-31-10:00"), ("2002-10-10-00:00", "2002-10-10Z"), ("2002-10-10", "2002-10-10"),
    ])
    func canonicalDates(text: String, canonical: String) throws {
        let value = try #require(XSDDate(text))
        #expect(value.canonicalForm == canonical)
        #expect(XSDDate(canonical) == value)
        #expect(XSDDate(canonical)?.hashValue == value.hashValue)
    }

    @Test func componentsOutOfRange() throws {
        let half = try #require(XSDFraction(digits: "5"))
        #expect(
            XSDDateTime(year: 2026, month: 2, day: 3, hour: 4, minute: 5, second: 6, fraction: half)?.lexicalForm
                == "2026-02-03T04:05:06.5Z")
        for hour in [-1, 24, .max] {
            #expect(XSDDateTime(year: 2026, month: 2, day: 3, hour: hour, minute: 0, second: 0) == nil)
        }
        #expect(XSDDateTime(year: 2026, month: 2, day: 3, hour: 0, minute: 60, second: 0) == nil)
        #expect(XSDDateTime(year: 2026, month: 2, day: 3, hour: 0, minute: 0, second: .min) == nil)
        #expect(XSDDateTime(year: 2026, month: 2, day: 3, hour: 0, minute: 0, second: 0, attoseconds: .max) == nil)
        for (year, month, day) in [
            (0, 1, 1), (.max, 1, 1), (.min, 1, 1), (1, .max, 1), (1, 1, .min), (1_000_000_000, 1, 1),
        ] {
            #expect(XSDDate(year: year, month: month, day: day) == nil)
        }
        #expect(XSDTimeZone(minutes: .min) == nil)
        #expect(XSDTimeZone(minutes: -840)?.minutes == -840)
    }

    @Test func instants() {
        #expect(XSDDateTime.init("1970-01-01T00:00:00Z")?.secondsSinceEpoch == 0)
        #expect(XSDDateTime.init("2026-11-21T05:00:00+01:00")?.secondsSinceEpoch == 1_795_233_600)
        for seconds: Int64 in [-62_135_596_801, -1, 0, 951_782_400, 1_795_233_599, 253_402_300_800] {
            #expect(XSDDateTime(secondsSinceEpoch: seconds)?.secondsSinceEpoch == seconds)
        }
        #expect(XSDDateTime(secondsSinceEpoch: -1)?.lexicalForm == "1969-12-31T23:59:59Z")
        #expect(
            XSDDateTime(secondsSinceEpoch: 0, attoseconds: 1, timeZone: XSDTimeZone(minutes: -90) ?? .utc)?.lexicalForm
                == "1969-12-31T22:30:00.000000000000000001-01:30")
        #expect(XSDDateTime(secondsSinceEpoch: .max) == nil)
        #expect(XSDDateTime(secondsSinceEpoch: .min) == nil)
    }

    /// Both ends of what can be counted go through seconds and come back.
    @Test(arguments: ["999999999-12-31T23:59:59Z", "-999999999-01-01T00:00:00Z"])
    func outermostInstants(text: String) throws {
        let value = try #require(XSDDateTime(text))
        #expect(XSDDateTime(secondsSinceEpoch: value.secondsSinceEpoch) == value)
        #expect(XSDDateTime(secondsSinceEpoch: value.secondsSinceEpoch + (value.date.year < 0 ? -1 : 1)) == nil)
    }

    /// The usual value allocates nothing and is small: messages hold many.
    @Test func layout() {
        #expect(MemoryLayout<XSDDate>.size == 8)
        #expect(MemoryLayout<XSDDateTime>.stride == 24)
        #expect(MemoryLayout<XSDDateTime?>.stride == 24)
        #expect(MemoryLayout<XSDTime>.stride == 16)
    }
}
