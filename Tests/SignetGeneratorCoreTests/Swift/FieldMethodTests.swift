import Testing

@testable import SignetGeneratorCore

/// Every method of the runtime that generated code may name for a property is named by a reference service, whose
/// values travel in `ShapesTests` and the tests of the other services.
@Suite struct FieldMethodTests {
    /// A method for a form of property: of methods with one name, the form picks the overload.
    private struct Use: Hashable, CustomStringConvertible {
        let method: String
        let form: String
        var description: String { "\(method)(\(form))" }
    }

    /// What the table of the generator has.
    private var expected: Set<Use> {
        Set(
            FieldMethods.allCases.flatMap { methods in
                methods.shapes.map { Use(method: methods.name($0), form: form($0)) }
            })
    }

    private func form(_ shape: FieldShape) -> String {
        switch shape {
        case .required: "T"
        case .optional, .nillable: "T?"
        case .optionalNillable: "Nillable<T>?"
        case .repeated: "[T]"
        case .nillableRepeated: "[Nillable<T>]"
        }
    }

    /// The form of a stored property's type.
    private func form(_ type: String) -> String {
        if let boxed = type.wholeMatch(of: /XMLBox<(.+)>/) { return form("\(boxed.1)?") }
        if let derived = type.wholeMatch(of: /XMLDerived<(.+)>/) { return form(String(derived.1)) }
        if type.hasPrefix("[Nillable<") { return "[Nillable<T>]" }
        if type.hasPrefix("[") && type.hasSuffix("]") { return "[T]" }
        if type.hasPrefix("Nillable<") { return "Nillable<T>?" }
        return type.hasSuffix("?") ? "T?" : "T"
    }

    @Test func everyMethodIsNamedByAReferenceService() throws {
        var used: Set<Use> = []
        for structure in try GoldenStructures.checkedIn().all {
            let types = Dictionary(structure.stored.map { ($0.name, $0.type) }) { first, _ in first }
            for (method, property) in structure.handed where method != "dimensions" {
                used.insert(Use(method: method, form: form(try #require(types[property]))))
            }
        }
        #expect(expected.subtracting(used).map(\.description).sorted() == [], "no reference service names these")
        #expect(used.subtracting(expected).map(\.description).sorted() == [], "the generator's table has not these")
    }

    @Test func everyOtherMethodIsNamedByAReferenceService() throws {
        let others: Set = ["names", "whole", "sameProperty", "dimensions", "arrayType"]
        #expect(try GoldenStructures.checkedIn().fieldCalls == others.union(expected.map(\.method)))
    }

    /// The values of choices are there when they are written: of the shapes, those remain that have no optional value.
    @Test func everyMethodForTheCasesOfChoicesIsNamedByAReferenceService() throws {
        var expected: Set = ["group", "derived", "nillableDerived", "wildcard", "text"]
        for methods: FieldMethods in [.value, .structure, .choice] {
            for shape: FieldShape in [.required, .nillable, .repeated, .nillableRepeated]
            where methods.shapes.contains(shape) {
                expected.insert(methods.name(shape))
            }
        }
        #expect(try GoldenStructures.checkedIn().caseCalls == expected)
    }
}
