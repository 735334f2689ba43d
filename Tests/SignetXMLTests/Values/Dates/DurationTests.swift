import SignetXML
import Testing

/// Lexical forms of `xs:duration`, its bridge to `Duration`, and sums with dates.
@Suite struct DurationTests {
    @Test(arguments: [
        ("P1347Y", "P1347Y"), ("P1347M", "P112Y3M"), ("P1Y2MT2H", "P1Y2MT2H"), ("P0Y1347M", "P112Y3M"),
        ("P0Y1347M0D", "P112Y3M"), ("-P1347M", "-P112Y3M"), ("P1Y2M3DT10H30M", "P1Y2M3DT10H30M"), ("-P120D", "-P120D"),
        ("PT36H", "P1DT12H"), ("PT0S", "PT0S"), ("-P0D", "PT0S"), ("P0Y", "PT0S"), ("PT90.50S", "PT1M30.5S"),
        ("P00000000000000000000000000001D", "P1D"), ("PT0.000S", "PT0S"), ("-PT0.1S", "-PT0.1S"),
        ("PT1M", "PT1M"), ("P1M", "P1M"), ("P1DT1S", "P1DT1S"), ("PT86400S", "P1D"), ("PT3600S", "PT1H"),
        ("PT0.12345678901234567890123S", "PT0.12345678901234567890123S"), ("PT1H0M0.00S", "PT1H"),
        ("PT9223372036854775807S", "P106751991167300DT15H30M7S"), ("P9223372036854775807M", "P768614336404564650Y7M"),
    ])
    func lexicalForms(text: String, written: String) throws {
        let value = try #require(parse("\n\(text) ", as: XSDDuration.self))
        #expect(value.lexicalForm == written)
        #expect(value.canonicalForm == written)
        #expect(XSDDuration(written) == value)
    }

    @Test(arguments: [
        "", "P", "PT", "-P", "-PT", "P1", "1Y", "P-1347M", "P1Y2MT", "P1S", "PT1Y", "PT1D", "P1H", "P1M1Y", "PT1M1H",
        "P1D1D",
        "P1.5D", "P1.0Y", "PT1.S", "PT.5S", "PT1.5M", "+P1D", "P1DT", "PY", "PTS", "p1d", "P1y", "P 1D", "P1D ",
        "PT1S1",
        "PT1S1S", "P1YT1M1", "--P1D", "PT1e3S", "PT1,5S", "P1W", "P1DT1H1D", "PTT1H", "PT1HT1M", "P1Y-1M",
        "PT9223372036854775808S", "P768614336404564651Y", "P9223372036854775807M1Y", "P106751991167301D",
        "PT9223372036854775807S1M", "P106751991167300DT15H30M8S", "P99999999999999999999999999D",
    ])
    func badDurations(text: String) {
        #expect(XSDDuration(text) == nil)
    }

    @Test func components() throws {
        let value = try #require(XSDDuration.init("-P1Y2M3DT4H5M6.7S"))
        #expect(value.months == -14)
        #expect(value.seconds == -(3 * 86400 + 4 * 3600 + 5 * 60 + 6))
        #expect(value.fraction.digits == "7")
        #expect(value.components == (1, 2, 3, 4, 5, 6))
        #expect(-value == XSDDuration.init("P1Y2M3DT4H5M6.7S"))
        #expect(
            value
                == XSDDuration(
                    isNegative: true, years: 1, months: 2, days: 3, hours: 4, minutes: 5, seconds: 6,
                    fraction: try #require(XSDFraction(digits: "70"))))
        #expect(-XSDDuration.zero == .zero)
        #expect(XSDDuration(isNegative: true) == .zero)
        #expect(XSDDuration(days: -1) == nil)
        #expect(XSDDuration(years: .max) == nil)
        #expect(XSDDuration(seconds: .max)?.seconds == .max)
        #expect(XSDDuration(hours: .max) == nil)
        #expect(XSDDuration(minutes: 1, seconds: .max) == nil)
    }

    @Test func bridgeToDuration() throws {
        #expect(XSDDuration.init("PT1.5S")?.exactDuration == .milliseconds(1500))
        #expect(XSDDuration.init("-P1DT0.25S")?.exactDuration == .seconds(-86400) - .milliseconds(250))
        #expect(XSDDuration.init("P1M")?.exactDuration == nil)
        #expect(XSDDuration.init("PT0.0000000000000000001S")?.exactDuration == nil)
        #expect(XSDDuration(.milliseconds(-1500))?.lexicalForm == "-PT1.5S")
        #expect(XSDDuration(.seconds(90061))?.lexicalForm == "P1DT1H1M1S")
        #expect(XSDDuration(.zero) == .zero)
        #expect(XSDDuration(Duration.seconds(Int64.max) + .seconds(1)) == nil)
        #expect(XSDDuration(Duration.seconds(Int64.min)) == nil)
        for text in ["PT9223372036854775807.999999999999999999S", "-PT9223372036854775807.999999999999999999S"] {
            let value = try #require(XSDDuration(text))
            #expect(XSDDuration(try #require(value.exactDuration)) == value)
        }
    }

    /// Appendix E, and what its algorithm says of ends of months and of years before 1.
    @Test(arguments: [
        ("2000-01-12T12:13:14Z", "P1Y3M5DT7H10M3.3S", "2001-04-17T19:23:17.3Z"),
        ("2000-01-31T00:00:00", "P1M", "2000-02-29T00:00:00"), ("2001-03-31T00:00:00", "-P1M", "2001-02-28T00:00:00"),
        ("2000-02-29T12:00:00+14:00", "P1Y", "2001-02-28T12:00:00+14:00"),
        ("0001-01-01T00:00:00", "-PT1S", "-0001-12-31T23:59:59"),
        ("0001-03-31T00:00:00", "-P1Y1M", "-0001-02-29T00:00:00"),
        ("-0001-12-31T23:59:59.5", "PT0.5S", "0001-01-01T00:00:00"),
        ("2000-01-01T00:00:00Z", "-PT0.00000000000000000001S", "1999-12-31T23:59:59.99999999999999999999Z"),
        ("1999-12-31T23:59:59.99999999999999999999Z", "PT0.00000000000000000001S", "2000-01-01T00:00:00Z"),
        ("2000-01-01T00:00:00.75Z", "-PT1.5S", "1999-12-31T23:59:59.25Z"),
        ("2000-01-01T00:00:00.1Z", "PT0.0000000000000000001S", "2000-01-01T00:00:00.1000000000000000001Z"),
        ("999999999-12-31T23:59:59Z", "PT1S", nil), ("2000-01-01T00:00:00Z", "P9223372036854775807M", nil),
        ("2000-01-01T00:00:00Z", "-P9223372036854775807M", nil),
        ("2000-01-01T00:00:00Z", "-PT9223372036854775807S", nil),
        ("999999999-12-31T23:59:59Z", "-P1999999997Y11M30DT23H59M59S", "-999999999-01-01T00:00:00Z"),
    ])
    func sums(text: String, duration: String, sum: String?) throws {
        let value = try #require(XSDDateTime(text)).adding(try #require(XSDDuration(duration)))
        #expect(value?.lexicalForm == sum)
    }

    @Test func sumsOfLessThanDateTimes() throws {
        #expect(XSDYearMonth.init("2000-01")?.adding(try #require(XSDDuration.init("-P3M")))?.lexicalForm == "1999-10")
        #expect(
            XSDYearMonth.init("2000-01+02:00")?.adding(try #require(XSDDuration.init("P31D")))?.lexicalForm
                == "2000-02+02:00")
        #expect(
            XSDDate.init("2000-01-12")?.adding(try #require(XSDDuration.init("PT33H")))?.lexicalForm == "2000-01-13")
        #expect(
            XSDDate.init("2000-01-12Z")?.adding(try #require(XSDDuration.init("-PT0.1S")))?.lexicalForm == "2000-01-11Z"
        )
        #expect(XSDYear.init("2000")?.adding(try #require(XSDDuration.init("-P1D")))?.lexicalForm == "1999")
        #expect(XSDYear.init("999999999")?.adding(try #require(XSDDuration.init("P1Y"))) == nil)
    }

    /// Appendix E: the order of sums matters.
    @Test func sumsAreNotAssociative() throws {
        let (day, month) = (try #require(XSDDuration.init("P1D")), try #require(XSDDuration.init("P1M")))
        let date = try #require(XSDDate.init("2000-03-30"))
        #expect(date.adding(day)?.adding(month)?.lexicalForm == "2000-04-30")
        #expect(date.adding(month)?.adding(day)?.lexicalForm == "2000-05-01")
    }
}
