import SignetWSDL
import Testing

@testable import SignetGeneratorCore

/// A document/literal service with one operation, whose input element has this type.
private func frame(
    _ type: String, binding: String = "", body: String = "<soap:body use='literal'/>", more: String = ""
) -> String {
    """
    <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
      xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
    <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">
    \(more)
    <xs:element name="In">\(type)</xs:element><xs:element name="Out"><xs:complexType/></xs:element></xs:schema></types>
    <message name="In"><part name="p" element="t:In"/></message><message name="Out"><part name="p" element="t:Out"/></message>
    <portType name="P"><operation name="Do"><input message="t:In"/><output message="t:Out"/></operation></portType>
    <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http" \(binding)/>
    <operation name="Do"><soap:operation soapAction="a"/><input>\(body)</input><output><soap:body use="literal"/></output></operation></binding>
    <service name="S"><port name="Q" binding="t:B"><soap:address location="http://localhost/"/></port></service>
    </definitions>
    """
}

private func made(_ text: String) throws -> Generator.Result {
    let definitions = try WSDLLoader { _ in nil }.load(Array(text.utf8), path: "main.wsdl")
    return Generator.generate(definitions, base: "Main", source: "main.wsdl", options: .init())
}

@Suite struct DiagnosticsTests {
    @Test func theFrameItselfIsFine() throws {
        let result = try made(frame("<xs:complexType><xs:sequence/></xs:complexType>"))
        #expect(!result.hasErrors, "\(result.diagnostics)")
    }

    /// What cannot be typed is named with its place, and kept whole.
    @Test func untypableElementsAreReportedAndKeptAsXML() throws {
        let type = """
            <xs:complexType><xs:complexContent><xs:extension base='t:Text'><xs:sequence><xs:element name='a'/></xs:sequence>\
            </xs:extension></xs:complexContent></xs:complexType><xs:complexType name='Text'><xs:simpleContent>\
            <xs:extension base='xs:string'/></xs:simpleContent></xs:complexType>
            """
        let parts = type.components(separatedBy: "<xs:complexType name")
        let result = try made(
            frame(parts[0]).replacing("</xs:schema>", with: "<xs:complexType name\(parts[1])</xs:schema>"))
        #expect(!result.hasErrors)
        #expect(result.files.contains { $0.text.contains("ServiceOperation<XMLAny, Out>") })
        let lines = result.diagnostics.map(\.description)
        #expect(
            lines.contains {
                $0.hasPrefix("main.wsdl:5:") && $0.contains("warning: ") && $0.contains("simple content")
            },
            "\(lines)")
    }

    @Test func missingTypesAreReported() throws {
        let text = frame(
            "<xs:complexType><xs:sequence><xs:element name='a' type='t:Missing'/></xs:sequence></xs:complexType>")
        let result = Result { try made(text) }
        switch result {
        case .success(let result):
            #expect(result.diagnostics.contains { $0.description.contains("Missing") }, "\(result.diagnostics)")
        case .failure(let error): #expect("\(error)".contains("Missing"))
        }
    }

    /// What may have been meant is said.
    @Test(arguments: [
        ("type='t:string'", "the type {urn:t}string is not there (did you mean ‘xs:string’"),
        ("type='t:date'", "did you mean ‘xs:date’"), ("type='t:Out'", "there is an element of that name"),
        ("type='t:Kynd'", "did you mean ‘Kind’"), ("ref='t:Kind'", "there is a type of that name"),
        ("ref='t:In2'", "did you mean ‘In’"), ("type='t:Nothing'", "the type {urn:t}Nothing is not there"),
    ])
    func missingNamesHaveHints(reference: String, words: String) throws {
        let name = reference.hasPrefix("type") ? "name='a' " : ""
        let text = frame(
            "<xs:complexType><xs:sequence><xs:element \(name)\(reference)/></xs:sequence></xs:complexType>",
            more: "<xs:simpleType name='Kind'><xs:restriction base='xs:string'/></xs:simpleType>")
        let lines = try made(text).diagnostics.map(\.description)
        #expect(lines.contains { $0.contains(words) }, "\(lines)")
        if reference.contains("Nothing") { #expect(!lines.contains { $0.contains("did you mean") }) }
    }

    @Test(arguments: ["a b", "c*", "1:x", "a:b", "", "x&#10;y"]) func invalidNamesAreRefused(name: String) throws {
        let type =
            "<xs:complexType><xs:sequence><xs:element name='\(name)' type='xs:int'/></xs:sequence></xs:complexType>"
        let result = try made(frame(type))
        #expect(result.files.isEmpty && result.hasErrors)
        #expect(result.diagnostics.contains { $0.description.hasPrefix("main.wsdl:5:") })
        #expect(!result.diagnostics.contains { $0.description.contains("\n") })
    }

    /// Names in a WSDL come from outside: none of them may end a string, a comment or a declaration.
    @Test func hostileNamesAndTextsStayInTheirPlace() throws {
        let type = """
            <xs:annotation><xs:documentation>*/ end \\(x) \u{2028} `"</xs:documentation></xs:annotation><xs:complexType><xs:sequence>
            <xs:element name="class" type="xs:int"/><xs:element name="init" type="xs:int"/><xs:element name="a-b.c" type="xs:int"/>
            <xs:element name="a_b_c" type="xs:int"/><xs:element name="_1" type="xs:int"/><xs:element name="xmlTable" type="xs:int"/>
            <xs:element name="hash" type="xs:int"/><xs:element name="self" type="xs:int"/><xs:element name="größe" type="xs:int"/>
            </xs:sequence></xs:complexType>
            """
        let result = try made(frame(type))
        #expect(!result.hasErrors, "\(result.diagnostics)")
        let text = result.files.map(\.text).joined()
        for line in text.split(whereSeparator: \.isNewline) where line.contains("*/ end") {
            #expect(line.drop { $0 == " " }.hasPrefix("///"), "\(line)")
        }
        let properties = text.split(separator: "\n").filter { $0.contains("public var ") && !$0.contains("rawValue") }
        #expect(Set(properties).count == properties.count, "\(properties)")
    }
}
