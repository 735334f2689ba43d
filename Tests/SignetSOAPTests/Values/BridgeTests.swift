import Foundation
import SignetSOAP
import Testing

@Suite struct BridgeTests {
    @Test func dates() throws {
        let value = try #require(XSDDateTime.init("2026-11-21T05:00:00.5+01:00"))
        #expect(value.foundationDate == Date(timeIntervalSince1970: 1_795_233_600.5))
        #expect(XSDDateTime(Date(timeIntervalSince1970: -0.5))?.lexicalForm == "1969-12-31T23:59:59.5Z")
        #expect(XSDDateTime(Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(XSDDateTime(.distantFuture)?.foundationDate == .distantFuture)
        #expect(XSDDate.init("1970-01-02")?.foundationDate == Date(timeIntervalSince1970: 86400))
    }

    @Test func decimals() {
        #expect(XSDDecimal.init("12.50")?.foundationDecimal == Decimal(string: "12.5"))
        #expect(XSDDecimal(Decimal(string: "-0.001") ?? 0)?.description == "-0.001")
        #expect(XSDDecimal(Decimal.nan) == nil)
        #expect(XSDDecimal(String(repeating: "9", count: 39))?.foundationDecimal == nil)
    }

    @Test func exactConversionsFailWhenTheyWouldLoseDigits() {
        #expect(XSDDecimal.init("1.1234567890123456789012345678901234567890")?.foundationDecimal == nil)
        #expect(XSDDecimal.init("0." + String(repeating: "0", count: 140) + "1")?.foundationDecimal == nil)
        let large = XSDInteger("1" + String(repeating: "0", count: 100))
        #expect(large?.foundationDecimal == Decimal(sign: .plus, exponent: 100, significand: 1))
        #expect(XSDInteger(String(repeating: "9", count: 1_000_000))?.foundationDecimal == nil)
        #expect(XSDInteger(exactly: Decimal(12.5)) == nil)
        #expect(XSDNonNegativeInteger(exactly: Decimal(-12)) == nil)
        #expect(XSDNegativeInteger(exactly: Decimal(-12)) == XSDNegativeInteger("-12"))
    }

    @Test func data() {
        #expect(XSDBase64Binary(Data([1, 2])).data == Data([1, 2]))
        #expect(XSDHexBinary(Data([1, 2])).bytes == [1, 2])
    }
}
