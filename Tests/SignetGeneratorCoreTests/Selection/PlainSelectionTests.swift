import SignetGeneratorCore
import SignetWSDL
import Testing

/// Ports and operations that are bound to HTTP without SOAP (WSDL 1.1 §4, §5).
@Suite struct PlainSelectionTests {
    /// What an ASP.NET service publishes: one port with SOAP, and ports of their own portTypes for GET and POST.
    private func wsdl(
        soap: Bool = true, verb: String = "GET", location: String = "/Get", input: String = "<h:urlEncoded/>",
        output: String = "<m:mimeXml part=\"Body\"/>", parts: String = "<part name=\"a\" type=\"xs:string\"/>",
        answer: String = "<part name=\"Body\" element=\"t:Answer\"/>", outputUse: String = "<output message=\"w:Out\"/>"
    ) -> String {
        let schema = """
            \(message("<xs:element name=\"a\" type=\"xs:string\"/>"))<xs:element name="Answer"><xs:complexType><xs:sequence>\
            <xs:element name="b" type="xs:string"/></xs:sequence></xs:complexType></xs:element>\
            <xs:complexType name="Complex"><xs:sequence/></xs:complexType>\
            <xs:complexType name="Strings"><xs:complexContent><xs:restriction base="e:Array" \
            xmlns:e="http://schemas.xmlsoap.org/soap/encoding/"><xs:sequence><xs:element name="String" type="xs:string" \
            minOccurs="0" maxOccurs="unbounded"/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
            """
        let one = makeService(schema: schema)
        let plain = """
            <message name="In">\(parts)</message><message name="Out">\(answer)</message>\
            <portType name="G"><operation name="Get"><input message="w:In"/>\(outputUse)</operation></portType>\
            <binding name="G" type="w:G" xmlns:h="\(Namespaces.http)" xmlns:m="\(Namespaces.mime)"><h:binding verb="\(verb)"/>\
            <operation name="Get"><h:operation location="\(location)"/><input>\(input)</input><output>\(output)</output>\
            </operation></binding>
            """
        let port =
            "<port name=\"G\" binding=\"w:G\"><h:address xmlns:h=\"\(Namespaces.http)\" location=\"http://h/g\"/></port>"
        let whole = one.replacing("<service", with: plain + "<service")
            .replacing("<service name=\"Demo\">", with: "<service name=\"Demo\">\(port)")
        return soap
            ? whole
            : whole.replacing("<port name=\"A\"", with: "<port name=\"None\"").replacing("w:B\">", with: "w:X\">")
    }

    private func options(port: String) -> GeneratorOptions {
        var options = GeneratorOptions()
        options.port = port
        return options
    }

    // MARK: Ports

    @Test func besideSOAPItIsPassedOverInSilence() throws {
        let result = try generateDemo(wsdl())
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        #expect(result.text.contains("public static let all = [a]\n"))
        #expect(!result.text.contains("HTTPOperation"))
    }

    @Test func aPortWithoutSOAPIsGeneratedWhenNamedOrAlone() throws {
        for result in [try generateDemo(wsdl(), options(port: "G")), try generateDemo(wsdl(soap: false))] {
            #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
            let text = result.text
            #expect(text.contains("ServicePort(name: \"G\", address: \"http://h/g\", version: nil)"))
            #expect(text.contains("static let all = [g]\n"))
            #expect(text.contains("HTTPOperation<Get, Answer>("))
            for line in ["verb: .get", "location: \"/Get\"", "input: .query", "XMLName(\"urn:t\", \"Answer\")"] {
                #expect(text.contains(line), "\(line)")
            }
            #expect(text.contains("func get(_ input: Get) async throws -> Answer"))
            // There is nothing for a server.
            #expect(!text.contains("protocol Service") && !text.contains("dispatcher"))
        }
    }

    @Test func aServiceWithSOAPGoesBeforeOneWithout() throws {
        let second = wsdl(soap: false).replacing(
            "</definitions>",
            with: "<service name=\"Other\"><port name=\"A\" binding=\"w:B\"/></service></definitions>")
        #expect(try generateDemo(second).text.contains("public enum Other {"))
    }

    @Test func aBindingOfAnotherMethodIsMadeApart() throws {
        let post = wsdl(soap: false).replacing(
            "<service",
            with:
                "<binding name=\"H\" type=\"w:G\"><h:binding xmlns:h=\"\(Namespaces.http)\" verb=\"POST\"/></binding><service"
        )
        .replacing("<service name=\"Demo\">", with: "<service name=\"Demo\"><port name=\"H\" binding=\"w:H\"/>")
        let result = try generateDemo(post, options(port: "G"))
        #expect(result.warnings.map(\.message).contains { $0.contains("‘H’ has another binding than ‘G’") })
        #expect(result.text.contains("static let all = [g]\n"))
    }

    @Test func otherMethodsAreRefused() throws {
        let error = try #require(try generateDemo(wsdl(verb: "PUT"), options(port: "G")).errors.first)
        #expect(error.message.contains("‘PUT’, not GET or POST"))
        #expect(try generateDemo(wsdl(verb: "PUT")).diagnostics.isEmpty)
    }

    // MARK: Inputs

    @Test func inputsAreWrittenAsTheBindingSays() throws {
        let form = wsdl(verb: "POST", input: "<m:content type=\"application/x-www-form-urlencoded\"/>")
        #expect(try generateDemo(form, options(port: "G")).text.contains("input: .form"))
        let path = wsdl(location: "x/(a)", input: "<h:urlReplacement/>")
        #expect(try generateDemo(path, options(port: "G")).text.contains("input: .path"))
        let element = "<part name=\"p\" element=\"t:do\"/>"
        let xml = wsdl(verb: "POST", input: "<m:content type=\"Application/XML\"/>", parts: element)
        let text = try generateDemo(xml, options(port: "G")).text
        #expect(text.contains("input: .document(XMLName(\"urn:t\", \"do\"), mediaType: \"application/xml\")"))
        let mime = wsdl(verb: "POST", input: "<m:mimeXml/>", parts: element)
        #expect(try generateDemo(mime, options(port: "G")).text.contains(".document(XMLName(\"urn:t\", \"do\"))"))
        #expect(try generateDemo(wsdl(input: "", parts: ""), options(port: "G")).text.contains("input: .query"))
    }

    @Test func arraysArePropertiesThatRepeat() throws {
        let result = try generateDemo(wsdl(parts: "<part name=\"tag\" type=\"t:Strings\"/>"), options(port: "G"))
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        #expect(result.text.contains("public var tag: [String]"))
    }

    static let refusals: [(reason: String, wsdl: @Sendable (PlainSelectionTests) -> String)] = [
        ("‘a’ has the type", { $0.wsdl(parts: "<part name=\"a\" type=\"t:Complex\"/>") }),
        ("‘a’ has the type", { $0.wsdl(parts: "<part name=\"a\" type=\"xs:QName\"/>") }),
        ("‘a’ has no simple type", { $0.wsdl(parts: "<part name=\"a\" element=\"t:do\"/>") }),
        ("neither urlEncoded", { $0.wsdl(input: "") }),
        ("‘image/png’, which is neither a form", { $0.wsdl(input: "<m:content type=\"image/png\"/>") }),
        ("content of a GET request", { $0.wsdl(input: "<m:content type=\"application/x-www-form-urlencoded\"/>") }),
        ("‘a’ has no place in the location ‘/x’", { $0.wsdl(location: "/x", input: "<h:urlReplacement/>") }),
        (
            "‘a’ is an array",
            { $0.wsdl(location: "/(a)", input: "<h:urlReplacement/>", parts: "<part name=\"a\" type=\"t:Strings\"/>") }
        ),
        ("is not relative", { $0.wsdl(location: "https://evil.example/x") }),
        ("‘text/plain’, which is not XML", { $0.wsdl(output: "<m:content type=\"text/plain\"/>") }),
        ("its answer is not one part", { $0.wsdl(answer: "<part name=\"Body\" type=\"xs:string\"/>") }),
        ("its answer is not one part", { $0.wsdl(answer: "") }),
        ("{urn:t}none, which is not there", { $0.wsdl(answer: "<part name=\"Body\" element=\"t:none\"/>") }),
        ("it has no answer", { $0.wsdl(outputUse: "") }),
    ]

    @Test(arguments: refusals.indices) func unsupportedPortsAreRefusedWithTheReason(_ index: Int) throws {
        let (reason, wsdl) = Self.refusals[index]
        let error = try #require(try generateDemo(wsdl(self), options(port: "G")).errors.first)
        #expect(error.message.contains("‘Get’") && error.message.contains(reason), "\(error.message)")
    }
}
