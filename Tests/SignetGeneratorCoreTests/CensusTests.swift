import ReferenceServices
import SignetSOAP
import Testing

/// Runs generated code: a type with more than a hundred properties.
@Suite struct CensusTests {
    private struct Office: Census.Service {
        func count(_ input: Census.Household, _ context: OperationContext) async throws -> Census.Household { input }
        func forget(_ input: Census.Forget, _ context: OperationContext) async throws {}
    }

    private let household: Census.Household

    init() throws {
        let day = try #require(XSDDate.init("2026-04-01"))
        let guests = Census.Household(made: day, persons: 1, answer97: "x")
        household = Census.Household(
            made: day, persons: 3, guests: guests, name: ["Ann", "Ben", "Cleo"], answer1: "one", answer96: "")
    }

    @Test func everyArgumentSetsItsOwnProperty() {
        #expect(household.persons == 3 && household.name == ["Ann", "Ben", "Cleo"])
        #expect(household.answer1 == "one" && household.answer2 == nil && household.answer96 == "")
        #expect(household.guests?.persons == 1 && household.guests?.answer97 == "x" && household.guests?.guests == nil)
        #expect(household.description.contains("answer1"))
    }

    @Test func aHouseholdIsSentAndReadAgain() async throws {
        let census = Census.Client(inProcess: Census.dispatcher(Office()))
        #expect(try await census.count(household) == household)
    }
}
