import SignetXML
import Testing

/// XML Schema Part 2 §3.3.13 to §3.3.25.
@Suite struct IntegerTests {
    @Test(arguments: [
        ("-1", "-1"), ("0", "0"), ("12678967543233", "12678967543233"), ("+100000", "100000"), ("-0", "0"),
        ("+007", "7"),
        ("\n -0012\t", "-12"),
        ("126789675432331267896754323312678967543233", "126789675432331267896754323312678967543233"),
    ])
    func canonicalForms(text: String, canonical: String) {
        #expect(parse(text, as: XSDInteger.self)?.canonicalForm == canonical)
        #expect(parse(text, as: XSDInteger.self)?.lexicalForm == canonical)
    }

    @Test(arguments: ["", "+", "-", "1.", "1.0", ".0", "1e3", "0x1", "--1", "+-1", "1 2", "１", "INF", "1,000"])
    func invalidIntegersAreRefused(text: String) {
        #expect(parse(text, as: XSDInteger.self) == nil)
        #expect(parse(text, as: Int64.self) == nil)
    }

    @Test func bounds() {
        func fits(_ text: String) -> [Bool] {
            [
                parse(text, as: XSDNegativeInteger.self) != nil, parse(text, as: XSDNonPositiveInteger.self) != nil,
                parse(text, as: XSDNonNegativeInteger.self) != nil, parse(text, as: XSDPositiveInteger.self) != nil,
            ]
        }
        #expect(fits("-1") == [true, true, false, false])
        #expect(fits("0") == [false, true, true, false])
        #expect(fits("-0") == [false, true, true, false])
        #expect(fits("+1") == [false, false, true, true])
        #expect(XSDPositiveInteger(exactly: 0) == nil)
        #expect(XSDPositiveInteger(exactly: UInt64.max)?.description == "18446744073709551615")
        #expect(XSDNegativeInteger(exactly: XSDInteger(-5))?.signum == -1)
        #expect(XSDNonNegativeInteger(exactly: XSDInteger(-5)) == nil)
    }

    @Test func order() throws {
        let texts = ["-1000000000000000000000", "-11", "-10", "-9", "0", "9", "10", "11", "99999999999999999999"]
        let values = try texts.map { try #require(XSDInteger($0)) }
        #expect(values.shuffled().sorted() == values)
        #expect(values[0].compare(to: values[1]) == .less)
        #expect(values[1].compare(to: -11) == .equal)
        #expect(values[8].compare(to: 0) == .greater)
    }

    @Test func exactConversionsFailWhenTheyWouldLoseDigits() throws {
        #expect(Int8(exactly: XSDInteger(-128)) == -128)
        #expect(Int8(exactly: XSDInteger(128)) == nil)
        #expect(UInt64(exactly: try #require(XSDInteger("18446744073709551615"))) == .max)
        #expect(UInt64(exactly: try #require(XSDInteger("18446744073709551616"))) == nil)
        #expect(UInt8(exactly: try #require(XSDDecimal.init("12.0"))) == 12)
        #expect(UInt8(exactly: try #require(XSDDecimal.init("12.5"))) == nil)
        // A Double can hold 2^53, and cannot hold the next integer.
        #expect(XSDInteger("9007199254740992")?.exactDouble == 9007199254740992)
        #expect(XSDInteger("9007199254740993")?.exactDouble == nil)
        #expect(XSDInteger("9007199254740993")?.doubleValue == 9007199254740992)
        #expect(XSDInteger("1" + String(repeating: "0", count: 400))?.doubleValue == .infinity)
        #expect(XSDInteger("1" + String(repeating: "0", count: 400))?.exactDouble == nil)
    }

    @Test func extremesOfFixedTypes() {
        func check<T: FixedWidthInteger & XSDValue>(_ type: T.Type) {
            for value in [T.min, T.max, 0, 1] {
                #expect(parse(value.lexicalForm, as: T.self) == value)
                #expect(parse("+000\(value)", as: T.self) == (value < 0 ? nil : value))
            }
            #expect(parse("\(T.max)0", as: T.self) == nil)
            #expect(parse("\(Int128(T.max) + 1)", as: T.self) == nil)
            #expect(parse("\(Int128(T.min) - 1)", as: T.self) == nil)
        }
        check(Int8.self)
        check(Int16.self)
        check(Int32.self)
        check(Int64.self)
        check(UInt8.self)
        check(UInt16.self)
        check(UInt32.self)
        check(UInt64.self)
    }

    @Test func randomIntegersComeBack() throws {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let value = Int64.random(in: .min ... .max, using: &numbers) >> Int64.random(in: 0..<63, using: &numbers)
            #expect(parse(value.lexicalForm, as: Int64.self) == value)
            let other = Int64.random(in: -1000...1000, using: &numbers)
            #expect((XSDInteger(value) < XSDInteger(other)) == (value < other))
            #expect(Int64(exactly: XSDInteger(value)) == value)
        }
    }

    /// A million digits: linear work only, or this does not end.
    @Test func longNumbers() throws {
        let digits = String(repeating: "7", count: 1_000_000)
        let value = try #require(XSDInteger(digits))
        #expect(value.description.utf8.count == 1_000_000)
        #expect(Int64(exactly: value) == nil)
        #expect(value.doubleValue == .infinity)
        #expect(value.exactDouble == nil)
        #expect(value > 1)
        #expect(try #require(XSDDecimal.init("0.\(digits)")).exactDouble == nil)
        #expect(try #require(XSDDecimal.init("0.\(digits)")).doubleValue == 7.0 / 9)
        #expect(try #require(XSDDecimal.init("0.\(digits)")).totalDigits == 1_000_000)
    }
}
