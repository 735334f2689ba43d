import SignetXML
import Testing

/// The tables of XML Schema Part 2 on the order of dates and durations.
@Suite struct OrderTests {
    private func order<T: XSDTemporal>(_ type: T.Type, _ a: String, _ b: String) throws -> XSDOrder? {
        let (a, b) = (try #require(T(a)), try #require(T(b)))
        let order = a.compare(to: b)
        let opposite: XSDOrder? =
            switch order {
            case .less: .greater
            case .greater: .less
            default: order
            }
        #expect(b.compare(to: a) == opposite)
        #expect((order == .equal) == (a == b))
        return order
    }

    /// §3.2.7.4, and the hours around the limits.
    @Test(arguments: [
        ("2000-01-15T00:00:00", "2000-02-15T00:00:00", XSDOrder.less),
        ("2000-01-15T12:00:00", "2000-01-16T12:00:00Z", .less),
        ("2000-01-01T12:00:00", "1999-12-31T23:00:00Z", nil), ("2000-01-16T12:00:00", "2000-01-16T12:00:00Z", nil),
        ("2000-01-16T00:00:00", "2000-01-16T12:00:00Z", nil),
        ("2000-03-04T20:00:00Z", "2000-03-04T23:00:00+03:00", .equal),
        ("2000-01-01T00:00:00", "2000-01-01T14:00:00Z", nil),
        ("2000-01-01T00:00:00", "2000-01-01T14:00:00.0000000000000000001Z", .less),
        ("2000-01-01T00:00:00", "1999-12-31T10:00:00Z", nil), ("2000-01-01T00:00:01", "1999-12-31T10:00:00Z", .greater),
        ("2000-01-01T00:00:00.10", "2000-01-01T00:00:00.1", .equal),
        ("2000-01-01T00:00:00.1234567890123456789", "2000-01-01T00:00:00.123456789012345678", .greater),
        ("2000-01-01T00:00:00.12345678901234567890", "2000-01-01T01:00:00.1234567890123456789+01:00", nil),
        ("2000-01-01T00:00:00.12345678901234567890Z", "2000-01-01T01:00:00.1234567890123456789+01:00", .equal),
        ("-0001-12-31T23:59:59", "0001-01-01T00:00:00", .less), ("-0002-01-01T00:00:00", "-0001-01-01T00:00:00", .less),
        ("1999-12-31T24:00:00", "2000-01-01T00:00:00", .equal),
    ])
    func dateTimes(a: String, b: String, expected: XSDOrder?) throws {
        #expect(try order(XSDDateTime.self, a, b) == expected)
    }

    /// Days are compared by the instants at which they begin.
    @Test(arguments: [
        ("2000-01-01", "2000-01-02", XSDOrder.less), ("2000-01-01+13:00", "1999-12-31-11:00", .equal),
        ("2000-01-01Z", "2000-01-01+01:00", .greater), ("2000-01-01", "2000-01-01Z", nil),
        ("2000-01-01", "2000-01-02Z", .less), ("2000-01-01", "2000-01-01-14:00", nil),
        ("2000-01-01", "2000-01-02+10:00", nil), ("2000-01-01", "2000-01-02+09:59", .less),
    ])
    func dates(a: String, b: String, expected: XSDOrder?) throws {
        #expect(try order(XSDDate.self, a, b) == expected)
    }

    /// §3.2.6.2.
    @Test(arguments: [
        ("P1Y", "P364D", XSDOrder.greater), ("P1Y", "P365D", nil), ("P1Y", "P366D", nil), ("P1Y", "P367D", .less),
        ("P1M", "P27D", .greater), ("P1M", "P28D", nil), ("P1M", "P29D", nil), ("P1M", "P30D", nil),
        ("P1M", "P31D", nil),
        ("P1M", "P32D", .less), ("P5M", "P149D", .greater), ("P5M", "P150D", nil), ("P5M", "P151D", nil),
        ("P5M", "P152D", nil), ("P5M", "P153D", nil), ("P5M", "P154D", .less), ("P1Y", "P12M", .equal),
        ("P1D", "PT24H", .equal), ("PT1M", "PT60.0S", .equal), ("PT0S", "-P0Y", .equal), ("-P1M", "-P27D", .less),
        ("-P1M", "-P32D", .greater), ("-P1M", "-P30D", nil), ("-PT0.1S", "PT0S", .less),
        ("-PT0.1S", "-PT0.2S", .greater),
        ("-PT1.00000000000000000001S", "-PT1S", .less), ("P400Y", "P146097D", nil), ("P400Y", "P146097DT0.1S", .less),
        ("P768614336404564650Y7M", "-P768614336404564650Y7M", .greater),
        ("P768614336404564650Y", "P106751991167300D", .greater),
    ])
    func durations(a: String, b: String, expected: XSDOrder?) throws {
        #expect(try order(XSDDuration.self, a, b) == expected)
    }
}
