import Foundation
import SignetGeneratorCore
import SignetWSDL
import Testing

@Suite struct SelectionTests {
    private let two = makeService(
        operations: ["one", "two"], schema: message("", name: "one") + message("", name: "two"))
    private let one = makeService(schema: message(""))

    @Test func anUnknownOperationIsNamedWithThoseThatExist() throws {
        var options = GeneratorOptions()
        options.operations = ["tow"]
        let error = try #require(try generateDemo(two, options).errors.first)
        #expect(error.message.contains("‘tow’") && error.message.contains("‘one’ and ‘two’"))
    }

    @Test func unusableOperationsAreReportedWithPlaceAndRemedy() throws {
        let wsdl = one.replacing("<part name=\"p\" element=\"t:do\"/>", with: "<part name=\"p\"/>")
        let result = try generateDemo(wsdl)
        let error = try #require(result.errors.first)
        #expect(error.message.contains("neither element nor type"))
        #expect(error.message.contains("‘do’") && error.message.contains("--operations"))
        #expect(error.location.file == "demo.wsdl" && error.location.line > 1)
        #expect(result.files.isEmpty)
    }

    @Test(arguments: [
        ("<input message=\"w:do\"/>", "", "notification"),
        ("binding=\"w:B\"", "binding=\"w:X\"", "binding {urn:w}X"),
        ("type=\"w:P\"", "type=\"w:X\"", "portType {urn:w}X"),
        ("<input message=\"w:do\"/>", "<input message=\"w:X\"/>", "message {urn:w}X"),
        ("element=\"t:do\"", "element=\"t:X\"", "element {urn:t}X"), (Namespaces.soapOverHTTP, "urn:jms", "‘urn:jms’"),
        ("<operation name=\"do\"><input message", "<operation name=\"x\"><input message", "does not have it"),
    ])
    func defectsOfAWSDLAreNamedWithTheirPlace(old: String, new: String, defect: String) throws {
        let changed = one.replacing(old, with: new)
        #expect(changed != one)
        let error = try #require(try generateDemo(changed).errors.first)
        #expect(error.message.contains(defect))
        #expect(error.location.line > 1)
    }

    @Test func unusableOperationsAreLeftOutWhenOthersRemain() throws {
        let wsdl = two.replacing("<part name=\"p\" element=\"t:two\"/>", with: "<part name=\"p\"/>")
        let result = try generateDemo(wsdl)
        #expect(result.errors.isEmpty)
        #expect(result.warnings.map { $0.message.hasSuffix("element nor type; it is left out.") } == [true])
        #expect(result.text.contains("func one(") && !result.text.contains("func two("))
        var options = GeneratorOptions()
        options.operations = ["two", "one"]
        #expect(try generateDemo(wsdl, options).errors.count == 1)
    }

    @Test func theFirstOfSeveralServicesIsMade() throws {
        let several = one.replacing(
            "</definitions>",
            with: """
                <portType name="Q"><operation name="do"><input message="w:do"/></operation></portType>
                <binding name="BQ" type="w:Q"><soap:binding transport="\(Namespaces.soapOverHTTP)"/>
                <operation name="do"><soap:operation soapAction=""/><input><soap:body use="literal"/></input></operation>
                </binding><service name="Other"><port name="O" binding="w:BQ"/></service></definitions>
                """)
        let result = try generateDemo(several)
        #expect(
            result.warnings.map { $0.message.contains("‘Demo’") && $0.message.contains("--service: ‘Other’") } == [true]
        )
        #expect(result.text.contains("public enum Demo {"))
        var options = GeneratorOptions()
        options.service = "Other"
        #expect(try generateDemo(several, options).warnings.isEmpty)
    }

    /// Services that speak the same operations are one at several addresses.
    @Test func servicesOfOnePortTypeAreJoined() throws {
        let several = one.replacing(
            "</definitions>", with: "<service name=\"Other\"><port name=\"O\" binding=\"w:B\"/></service></definitions>"
        )
        let joined = try generateDemo(several)
        #expect(joined.diagnostics.isEmpty)
        #expect(joined.text.contains("public static let all = [a, o]\n"))
        var options = GeneratorOptions()
        options.service = "Other"
        let text = try generateDemo(several, options).text
        #expect(text.contains("public enum Other {"))
        #expect(text.contains("ServicePort(name: \"O\", address: nil, version: .soap11)"))
        options.service = "Nobody"
        #expect(try generateDemo(several, options).errors.count == 1)
    }

    @Test func anUntypedFaultIsLeftToArriveUndeclared() throws {
        let answer = "<output message=\"w:doResponse\"/>"
        let result = try generateDemo(one.replacing(answer, with: answer + "<fault name=\"f\" message=\"w:gone\"/>"))
        #expect(!result.hasErrors)
        #expect(result.warnings.count == 1)
        #expect(!result.text.contains("faults:"))
    }

    @Test func operationsWithTheSameInputAreReported() throws {
        let shared = two.replacing("element=\"t:two\"", with: "element=\"t:one\"")
        #expect(try generateDemo(shared).warnings.first?.message.contains("same input element and soapAction") == true)
        let second = try #require(shared.range(of: "soapAction=\"\"", options: .backwards))
        let told = shared.replacingCharacters(in: second, with: "soapAction=\"urn:two\"")
        #expect(try generateDemo(told).warnings.isEmpty)
    }
}
