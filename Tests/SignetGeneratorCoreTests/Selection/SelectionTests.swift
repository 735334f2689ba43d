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

    @Test(arguments: [
        ("<m:multipartRelated xmlns:m=\"\(Namespaces.mime)\"/>", "attachments"),
        ("<soap:body use=\"literal\" parts=\"q\"/>", "no part"),
        ("<soap:body use=\"encoded\"/>", "encoded"),
    ])
    func whatCannotBeMadeIsSaidWithPlaceAndRemedy(body: String, construct: String) throws {
        let result = try generateDemo(makeService(schema: message(""), body: body))
        let error = try #require(result.errors.first)
        #expect(error.message.contains(construct))
        #expect(error.message.contains("‘do’") && error.message.contains("--operations"))
        #expect(error.location.file == "demo.wsdl" && error.location.line > 1)
        #expect(result.files.isEmpty)
    }

    @Test(arguments: [
        ("<part name=\"p\" element=\"t:do\"/>", "<part name=\"p\" type=\"xs:string\"/>", "type instead of an element"),
        ("element=\"t:do\"/>", "element=\"t:do\"/><part name=\"q\" element=\"t:do\"/>", "2 parts"),
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

    @Test func oneOfSeveralServicesMustBeChosen() throws {
        let several = one.replacing(
            "</definitions>", with: "<service name=\"Other\"><port name=\"O\" binding=\"w:B\"/></service></definitions>"
        )
        #expect(try generateDemo(several).errors.first?.message.contains("‘Demo’ and ‘Other’") == true)
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
        let result = try generateDemo(two.replacing("element=\"t:two\"", with: "element=\"t:one\""))
        #expect(result.warnings.first?.message.contains("same input element") == true)
    }
}
