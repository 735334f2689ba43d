import SignetXML
import Testing

/// XML Schema Part 2 §3.2.3.
@Suite struct DecimalTests {
    @Test(arguments: [
        ("-1.23", "-1.23", "-1.23"), ("12678967.543233", "12678967.543233", "12678967.543233"),
        ("+100000.00", "100000", "100000.0"), ("210", "210", "210.0"), ("-0.00", "0", "0.0"), (".5", "0.5", "0.5"),
        ("5.", "5", "5.0"), ("-.0", "0", "0.0"), ("0012.3400", "12.34", "12.34"), (" 1\n", "1", "1.0"),
    ])
    func forms(text: String, short: String, canonical: String) {
        #expect(parse(text, as: XSDDecimal.self)?.lexicalForm == short)
        #expect(parse(text, as: XSDDecimal.self)?.canonicalForm == canonical)
    }

    @Test(arguments: ["", ".", "+", "-.", "1e3", "1,5", "- 1", "INF", "NaN", "1.2.3", "1 .2", "0x1p3", "１"])
    func invalidDecimalsAreRefused(text: String) {
        #expect(parse(text, as: XSDDecimal.self) == nil)
        #expect(XSDDecimal(text) == nil)
    }

    @Test func order() throws {
        let texts = [
            "-100", "-99.5", "-10.01", "-10", "-1", "-0.5", "-0.05", "0", "0.05", "0.5", "0.51", "9", "9.9", "10",
            "10.01",
            "10.1", "123456789012345678901234567890",
        ]
        let values = try texts.map { try #require(XSDDecimal($0)) }
        #expect(values.shuffled().sorted() == values)
        #expect(try #require(XSDDecimal.init("1.0")) == 1)
    }

    @Test(arguments: [
        ("0", 1, 0), ("0.05", 2, 2), ("12.5", 3, 1), ("-1200", 4, 0), ("100.00", 3, 0), ("-0.5", 1, 1),
    ])
    func digits(text: String, total: Int, fraction: Int) {
        #expect(XSDDecimal(text)?.totalDigits == total)
        #expect(XSDDecimal(text)?.fractionDigits == fraction)
    }

    @Test func doubles() throws {
        #expect(XSDDecimal.init("0.1")?.doubleValue == 0.1)
        #expect(XSDDecimal.init("0.1")?.exactDouble == nil)
        #expect(XSDDecimal.init("0.125")?.exactDouble == 0.125)
        #expect(XSDDecimal(exactly: 0.1)?.description == "0.1000000000000000055511151231257827021181583404541015625")
        #expect(XSDDecimal(exactly: -0.0) == 0)
        #expect(XSDDecimal(exactly: -1.5)?.description == "-1.5")
        #expect(XSDDecimal(exactly: 1e23)?.description == "99999999999999991611392")
        #expect(XSDDecimal(exactly: .infinity) == nil)
        #expect(XSDDecimal(exactly: .nan) == nil)
        let least = try #require(XSDDecimal(exactly: .leastNonzeroMagnitude))
        #expect(least.fractionDigits == 1074)
        #expect(least.exactDouble == .leastNonzeroMagnitude)
        #expect(XSDDecimal(exactly: .greatestFiniteMagnitude)?.totalDigits == 309)
    }

    @Test func randomDoublesAreExact() throws {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let value = Double(bitPattern: UInt64.random(in: .min ... .max, using: &numbers))
            guard value.isFinite else { continue }
            let decimal = try #require(XSDDecimal(exactly: value))
            #expect(decimal.exactDouble == value)
            #expect(XSDDecimal(decimal.description) == decimal)
            // One digit more is another number, and none that a Double can be.
            let longer = try #require(XSDDecimal(decimal.isInteger ? "\(decimal).1" : "\(decimal)1"))
            #expect(longer.exactDouble == nil || value == 0 || value.magnitude > 1e-300 && longer.isInteger)
        }
    }
}
