import Foundation
import ReferenceServices
import Testing

/// The places of stored properties, as `XMLFields` finds them, are those that the compiler says, for all generated
/// structures.
@Suite struct StoredPropertyTests {
    /// `SIGNET_RECORD=1` writes the list again.
    @Test func theListIsThatOfTheGeneratedCode() throws {
        let structures = try GoldenStructures.checkedIn()
        #expect(structures.all.count > 150)
        let url = GoldenTests.root.appending(path: "Tests/ReferenceServices/StoredProperties.swift")
        if ProcessInfo.processInfo.environment["SIGNET_RECORD"] == "1" {
            try Data(structures.list.utf8).write(to: url)
        }
        let isSame = try String(contentsOf: url, encoding: .utf8) == structures.list
        #expect(isSame, "StoredProperties.swift is not that of the generated code; run this test with SIGNET_RECORD=1.")
    }

    @Test func generatedCodeHandsOverAllThatItStores() throws {
        for structure in try GoldenStructures.checkedIn().all {
            #expect(structure.handed.map(\.property) == structure.stored.map(\.name), "\(structure.name)")
        }
    }

    @Test func placesAreThoseOfTheCompiler() throws {
        var places = PropertyPlaces()
        places.compareReferenceServices()
        let structures = try GoldenStructures.checkedIn().all
        #expect(places.differences == [])
        // Each structure of the generated code was compared, with all that it stores.
        #expect(places.types == structures.map { "ReferenceServices.\($0.name)" })
        #expect(places.count == structures.reduce(0) { $0 + $1.stored.count })
        let generated = places.count
        WrittenByHand.compare(&places)
        #expect(places.differences == [])
        #expect(places.count == generated + 4 * 9 + 3 + 2)
    }
}
