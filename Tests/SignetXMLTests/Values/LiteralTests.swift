import SignetXML
import Testing

@Suite struct LiteralTests {
    private struct Order: Equatable {
        var quantity: XSDPositiveInteger
        var price: XSDDecimal
        var day: XSDDate
        var note: Nillable<String>?
        var due: Nillable<XSDDateTime>?
        var weight: Nillable<XSDDecimal>?
        var count: Nillable<Int32>?
    }

    @Test func literalsStandWhereValuesDo() {
        let order = Order(
            quantity: 2, price: "1.50", day: "2027-01-31", note: "ACME", due: "2027-02-28T12:00:00Z", weight: "0.25",
            count: 3)
        #expect(order.quantity.description == "2")
        #expect(order.price.description == "1.5")
        #expect(order.day.description == "2027-01-31")
        #expect(order.due.value?.description == "2027-02-28T12:00:00Z")
        #expect(order.weight.value == "0.25")
        #expect(order.count.value == 3)
        let times: (XSDTime, XSDDuration, XSDYear, XSDYearMonth, XSDMonth, XSDMonthDay, XSDDay) =
            ("12:30:00", "P1M", "2027", "2027-01", "--01", "--01-31", "---31")
        #expect(times.0.hour == 12 && times.1.months == 1 && times.2.description == "2027")
        let integers: (XSDInteger, XSDNonNegativeInteger, XSDNegativeInteger, XSDNonPositiveInteger) = (-5, 0, -1, 0)
        #expect(integers.0 + integers.0 == -10 && integers.1 == 0 && integers.2 < 0 && integers.3 <= 0)
    }

    @Test func aWrongIntegerStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let quantity: XSDPositiveInteger = 0
            print(quantity)
        }
    }

    @Test func aWrongTextStopsTheProgramAndIsNamed() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let price: XSDDecimal = "1,50"
            print(price)
        }
        let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(said.contains("“1,50”") && said.contains("xs:decimal"), "\(said)")
        await #expect(processExitsWith: .failure) {
            let day: XSDDate = "2027-02-29"
            print(day)
        }
    }

    @Test func parsingInvalidTextThrows() throws {
        #expect(try XSDDate(parsing: "2027-01-31") == "2027-01-31")
        let error = #expect(throws: XSDValueError.self) { try XSDDate(parsing: "31.1.2027") }
        #expect(error?.description == "“31.1.2027” is no value of xs:date.")
        #expect(throws: XSDValueError.self) { try XSDNonNegativeInteger(parsing: "-1") }
        let (none, some) = (0, UInt64.max)
        #expect(throws: XSDValueError.self) { try XSDPositiveInteger(none) }
        #expect(try XSDPositiveInteger(some).description == "18446744073709551615")
        let long = try #require(
            #expect(throws: XSDValueError.self) { try XSDDecimal(parsing: String(repeating: "x", count: 500)) })
        #expect(long.description.count < 100)
    }

    @Test func sumsAndProductsAreExact() {
        let cases: [(XSDDecimal, XSDDecimal, sum: String, difference: String, product: String)] = [
            ("0.1", "0.2", "0.3", "-0.1", "0.02"), ("-1.5", "1.5", "0", "-3", "-2.25"),
            ("999.99", "0.01", "1000", "999.98", "9.9999"),
            ("0", "-0.5", "-0.5", "0.5", "0"),
            (
                "12345678901234567890.5", "10", "12345678901234567900.5", "12345678901234567880.5",
                "123456789012345678905"
            ),
        ]
        for (left, right, sum, difference, product) in cases {
            #expect((left + right).description == sum)
            #expect((left - right).description == difference)
            #expect((left * right).description == product)
            #expect((left - right + right) == left)
        }
        #expect([1, 2, "0.5"].reduce(XSDDecimal.zero, +) == "3.5")
        var total: XSDInteger = 10
        total -= 12
        total *= 3
        #expect(total == -6)
    }

    /// Arithmetic of small numbers against that of the machine.
    @Test func sumsAndProductsAreThoseOfIntegers() {
        for left in stride(from: -1105, through: 1105, by: 85) {
            for right in stride(from: -99, through: 99, by: 9) {
                let (a, b) = (XSDInteger(left), XSDInteger(right))
                #expect(Int(exactly: a + b) == left + right)
                #expect(Int(exactly: a - b) == left - right)
                #expect(Int(exactly: a * b) == left * right)
                #expect(
                    (a < right) == (left < right) && (left >= b) == (left >= right) && (a == right) == (left == right))
            }
        }
    }

    @Test func numbersAreComparedWithNumbersOutsideTheirType() {
        let quantity: XSDPositiveInteger = 2
        #expect(quantity > 0 && quantity != -1 && !(quantity <= 0) && 0 < quantity)
        #expect(quantity - 2 == 0)
        #expect(quantity + 1 == 3)
    }

    @Test func nillableValuesShowTheirContent() {
        let name: Nillable<String>? = "ACME"
        let none: Nillable<String>? = .null
        let absent: Nillable<String>? = nil
        #expect(name.value == "ACME" && none.value == nil && absent.value == nil)
        #expect("\(Nillable<String>.value("ACME"))" == "ACME")
        #expect("\(Nillable<String>.null)" == "nil")
        #expect(name.map { "\($0)" } == "ACME")
    }

    @Test func datesAreComparedAsFarAsTheyCanBe() {
        let (day, next): (XSDDate, XSDDate) = ("2027-01-31", "2027-02-01")
        #expect(day < next && next > day && day <= day && day >= day)
        let (local, zoned): (XSDDateTime, XSDDateTime) = ("2027-01-31T12:00:00", "2027-01-31T12:30:00Z")
        #expect(!(local < zoned) && !(local > zoned) && !(local <= zoned) && !(local >= zoned))
    }
}
