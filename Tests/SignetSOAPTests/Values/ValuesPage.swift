import Foundation
import SignetSOAP
import Testing

/// The code of the article XMLValues, compiled and run. A test of Signet compares the articles with such files.
@Suite struct ValuesPage {
    @Test func equalityAndOrder() throws {
        let vienna: XSDDateTime = "2026-11-21T13:00:00+01:00"
        let utc: XSDDateTime = "2026-11-21T12:00:00Z"
        let somewhere: XSDDateTime = "2026-11-21T12:30:00"
        #expect(vienna == utc)
        #expect(vienna.description == "2026-11-21T13:00:00+01:00")
        #expect(vienna.canonicalForm == "2026-11-21T12:00:00Z")
        #expect(somewhere.compare(to: utc) == nil)
    }

    @Test func decimals() throws {
        let price: XSDDecimal = "129.90"
        #expect(price.foundationDecimal == Decimal(string: "129.9"))
        #expect(price.exactDouble == nil)
        #expect(price.doubleValue == 129.9)
        #expect(Int(exactly: price) == nil)
    }

    @Test func sums() throws {
        let date: XSDDate = "2027-01-31"
        let month = try #require(XSDDuration(months: 1))
        #expect(month.exactDuration == nil)
        #expect(date.adding(month) == "2027-02-28")
    }

    @Test func literalsAndTextsFromOutside() throws {
        let quantity: XSDPositiveInteger = 2
        let price: XSDDecimal = "129.90"
        let day: XSDDate = "2027-01-31"
        #expect(price * quantity.decimal + "0.10" == "259.90")
        #expect(quantity + 1 == 3)
        #expect(quantity > 0)
        #expect(day < "2027-02-01")
        let typed = "129,90"
        #expect(throws: XSDValueError.self) { try XSDDecimal(parsing: typed) }
        #expect(throws: XSDValueError.self) { try XSDPositiveInteger(quantity.signum - 1) }
    }
}
