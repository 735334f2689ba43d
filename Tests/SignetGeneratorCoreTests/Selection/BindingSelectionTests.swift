import SignetGeneratorCore
import SignetWSDL
import Testing

/// Ports, versions of SOAP, header blocks, operations without an answer.
@Suite struct BindingSelectionTests {
    private let one = makeService(schema: message(""))

    /// A second binding of the same portType, for SOAP 1.2.
    private func withSOAP12(action: String = "", style: String = "document", port: String = "B") -> String {
        let binding = """
            <binding name="C" type="w:P"><s12:binding xmlns:s12="\(Namespaces.soap12)" style="\(style)" \
            transport="\(Namespaces.soapOverHTTP)"/><operation name="do"><s12:operation \
            xmlns:s12="\(Namespaces.soap12)" soapAction="\(action)"/><input><s12:body xmlns:s12="\(Namespaces.soap12)" \
            use="literal"/></input><output/></operation></binding>
            """
        return one.replacing("<service", with: binding + "<service").replacing(
            "<service name=\"Demo\">", with: "<service name=\"Demo\"><port name=\"\(port)\" binding=\"w:C\"/>")
    }

    // MARK: Ports

    @Test func portsOfThePortTypeAreListedWithSOAP11First() throws {
        let result = try generateDemo(withSOAP12())
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public static let all = [a, b]\n"))
        #expect(result.text.contains("ServicePort(name: \"B\", address: nil, version: .soap12)"))
        #expect(result.text.contains("versions: [.soap11, .soap12]"))
        #expect(result.text.contains("version: .soap11,\n"))
    }

    @Test func thePrimaryPortCanBeChosen() throws {
        var options = GeneratorOptions()
        options.port = "B"
        let result = try generateDemo(withSOAP12(action: "urn:other"), options)
        #expect(result.text.contains("public static let all = [b]\n"))
        #expect(result.text.contains("soapAction: \"urn:other\",\n            version: .soap12"))
        #expect(result.warnings.first?.message.contains("‘A’ has another soapAction") == true)
        options.port = "X"
        let error = try #require(try generateDemo(withSOAP12(), options).errors.first)
        #expect(error.message.contains("‘X’") && error.message.contains("‘B’ and ‘A’"))
    }

    @Test func aPortThatSpeaksOtherwiseIsLeftOutWithAWarning() throws {
        for (wsdl, reason) in [
            (withSOAP12(action: "urn:other"), "another soapAction"), (withSOAP12(style: "rpc"), "‘rpc’"),
            (
                withSOAP12().replacing("<operation name=\"do\"><s12", with: "<operation name=\"x\"><s12"),
                "does not bind the operation ‘do’"
            ),
        ] {
            let result = try generateDemo(wsdl)
            // Of parts with elements in RPC style something is said apart.
            let warnings = result.warnings.filter { !$0.message.contains("R2203") }
            #expect(warnings.map { $0.message.contains(reason) } == [true])
            #expect(result.text.contains("versions: [.soap11]"))
            #expect(result.text.contains("public static let all = [a]\n"))
        }
    }

    /// The element of a part stands in the element of the call, as in dynamic calls (WS-I Basic Profile 1.1, R2203).
    @Test func remoteProceduresMayHavePartsWithElements() throws {
        let wsdl = makeService(schema: message("<xs:element name=\"a\" type=\"xs:int\"/>"), style: "rpc")
        let result = try generateDemo(wsdl)
        #expect(result.errors.isEmpty)
        let warnings = result.warnings.map(\.description)
        #expect(warnings.count { $0.contains("part ‘p’ has an element instead of a type") } == 2, "\(warnings)")
        #expect(result.text.contains("isRPC: true"))
    }

    @Test(arguments: [
        ("t:Kind", "(there is a type of that name"), ("t:don", "(did you mean ‘do’?)"),
        ("t:nothing", "is not there; it"),
    ])
    func anElementOfAHeaderBlockThatIsNotThereHasAHint(element: String, words: String) throws {
        let wsdl = makeService(
            schema: message("<xs:element name=\"a\" type=\"xs:int\"/>")
                + "<xs:simpleType name=\"Kind\"><xs:restriction base=\"xs:string\"/></xs:simpleType>",
            body: "<soap:body use=\"literal\"/><soap:header message=\"w:H\" part=\"h\" use=\"literal\"/>"
        ).replacing(
            "<portType", with: "<message name=\"H\"><part name=\"h\" element=\"\(element)\"/></message><portType")
        let warnings = try generateDemo(wsdl).warnings.map(\.message)
        #expect(warnings.contains { $0.contains("has the element {urn:t}") && $0.contains(words) }, "\(warnings)")
    }

    @Test func slashesInTheNamesOfPortsAreTaken() throws {
        let text = try generateDemo(
            makeService(schema: message("<xs:element name=\"a\" type=\"xs:int\"/>"))
                .replacing("port name=\"A\"", with: "port name=\"proj/Port\"")
                .replacing("binding name=\"B\"", with: "binding name=\"proj/B\"")
                .replacing("binding=\"w:B\"", with: "binding=\"w:proj/B\"")
        ).text
        #expect(text.contains("public static let projPort = ServicePort("), "\(text)")
        #expect(text.contains("name: \"proj/Port\""))
    }

    @Test func namesOfPortsAreSwiftNames() throws {
        let text = try generateDemo(withSOAP12(port: "all")).text
        #expect(text.contains("public static let all2 = ServicePort("))
        #expect(text.contains("public static let all = [a, all2]\n"))
    }

    @Test func SOAP12AloneIsEnough() throws {
        let text = try generateDemo(one.replacing(Namespaces.soap11, with: Namespaces.soap12)).text
        #expect(text.contains("versions: [.soap12]"))
        #expect(text.contains("version: .soap12,\n"))
    }

    /// As device profiles are published.
    @Test func aBindingWithoutAServiceStandsForOne() throws {
        let begin = try #require(one.range(of: "<service")), end = try #require(one.range(of: "</definitions>"))
        let alone = one.replacingCharacters(in: begin.lowerBound..<end.lowerBound, with: "")
        let result = try generateDemo(alone)
        #expect(result.diagnostics.map(\.severity) == [.note])
        #expect(result.text.contains("public enum P {"))
        #expect(result.text.contains("public static let b = ServicePort(name: \"B\", address: nil, version: .soap11)"))
    }

    @Test func bindingsOfOnePortTypeBecomeOneService() throws {
        let begin = try #require(one.range(of: "<binding")), end = try #require(one.range(of: "<service"))
        let later = one[begin.lowerBound..<end.lowerBound].replacing("soap:", with: "soap12:")
            .replacing("<binding name=\"B\"", with: "<binding name=\"B12\"")
        let stop = try #require(one.range(of: "</definitions>"))
        let alone = one.replacingCharacters(in: end.lowerBound..<stop.lowerBound, with: later)
            .replacing("<definitions ", with: "<definitions xmlns:soap12=\"\(Namespaces.soap12)\" ")
        let both = try generateDemo(alone)
        #expect(both.text.contains("public static let b = ServicePort(name: \"B\", address: nil, version: .soap11)"))
        #expect(
            both.text.contains("public static let b12 = ServicePort(name: \"B12\", address: nil, version: .soap12)"))
        var options = GeneratorOptions()
        options.port = "B12"
        options.service = "P"
        #expect(try generateDemo(alone, options).errors.isEmpty)
    }

    // MARK: Operations that cannot be used

    /// With another operation before the one that is fine.
    private func withOperation(_ abstract: String, bound: String) -> String {
        one.replacing(
            "<portType name=\"P\">", with: "<portType name=\"P\"><operation name=\"bad\">\(abstract)</operation>"
        )
        .replacing(
            "<operation name=\"do\"><soap",
            with: "<operation name=\"bad\">\(bound)</operation><operation name=\"do\"><soap")
    }

    @Test(arguments: [
        ("<input message=\"nobody:M\"/>", "<input/>", "nobody:M"),
        ("<input message=\"w:do\"/>", "<input><soap:body use=\"odd\"/></input>", "‘odd’"),
        (
            "<input message=\"w:do\"/>",
            "<x:must xmlns:x=\"urn:x\" xmlns:q=\"\(Namespaces.wsdl)\" q:required=\"1\"/><input/>", "{urn:x}must"
        ),
    ])
    func onlyTheDefectiveOperationIsLeftOut(_ abstract: String, _ bound: String, _ reason: String) throws {
        let wsdl = withOperation(abstract, bound: bound)
        let result = try generateDemo(wsdl)
        #expect(!result.hasErrors)
        #expect(result.warnings.contains { $0.message.contains(reason) && $0.message.hasSuffix("it is left out.") })
        #expect(result.text.contains("func `do`("))
        #expect(!result.text.contains("func bad("))
        var options = GeneratorOptions()
        options.operations = ["bad"]
        #expect(try generateDemo(wsdl, options).errors.first?.message.contains(reason) == true)
    }

    @Test func aPortWithAnUnknownDemandIsNotUsed() throws {
        let must = "<x:must xmlns:x=\"urn:x\" xmlns:q=\"\(Namespaces.wsdl)\" q:required=\"true\"/>"
        let wsdl = withSOAP12().replacing(
            "<port name=\"B\" binding=\"w:C\"/>", with: "<port name=\"B\" binding=\"w:C\">\(must)</port>")
        #expect(try generateDemo(wsdl).text.contains("public static let all = [a]\n"))
        var options = GeneratorOptions()
        options.port = "B"
        #expect(try generateDemo(wsdl, options).errors.first?.message.contains("{urn:x}must") == true)
    }

    // MARK: Header blocks

    /// With a header block in the input, of a message of its own.
    private func withHeader(_ header: String, part: String = "element=\"t:h\"") -> String {
        makeService(
            schema: message("") + "<xs:element name=\"h\" type=\"xs:int\"/><xs:element name=\"g\" type=\"xs:int\" "
                + "abstract=\"true\"/>", body: "\(header)<soap:body use=\"literal\"/>"
        ).replacing("<portType", with: "<message name=\"head\"><part name=\"p\" \(part)/></message><portType")
    }

    private let header = "<soap:header message=\"w:head\" part=\"p\" use=\"literal\"/>"

    @Test func headerBlocksBecomeTypesAndMembers() throws {
        let result = try generateDemo(withHeader(header))
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public static let h = HeaderElement<H>(XMLName(\"urn:t\", \"h\"))"))
        #expect(result.text.contains("public struct H: Sendable"))
        #expect(result.text.contains("/// It takes the header block `Headers.h`."))
        #expect(result.text.contains("/// It gives the header block `Headers.h`."))
        #expect(result.text.contains("func `do`(_ input: Do, headerBlocks: [HeaderBlock]) async throws"))
    }

    @Test(arguments: [
        ("element=\"t:none\"", "literal", "p", "not there"),
        ("element=\"t:g\"", "literal", "p", "abstract"),
        ("element=\"t:h\"", "literal", "q", "not there"),
    ])
    func headerBlocksThatCannotBeTypedAreLeftOutWithAWarning(part: String, use: String, name: String, reason: String)
        throws
    {
        let header = "<soap:header message=\"w:head\" part=\"\(name)\" use=\"\(use)\"/>"
        let result = try generateDemo(withHeader(header, part: part))
        #expect(!result.hasErrors)
        #expect(!result.warnings.isEmpty)
        #expect(result.warnings.allSatisfy { $0.message.contains(reason) && $0.message.contains("left out") })
        #expect(!result.text.contains("Headers"))
    }

    /// It is called like the part, in the namespace of the binding (WSDL 1.1 §3.7).
    @Test func aHeaderBlockMayHaveAType() throws {
        let result = try generateDemo(
            withHeader(header.replacing("use=", with: "namespace=\"urn:n\" use="), part: "type=\"xs:int\""))
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public static let p = HeaderElement<"))
        #expect(result.text.contains("(XMLName(\"urn:n\", \"p\"))"))
    }

    @Test func headerBlocksOfFaultsAreDeclared() throws {
        let fault = "<soap:headerfault message=\"w:head\" part=\"p\" use=\"literal\"/>"
        let text = try generateDemo(withHeader(header.replacing("/>", with: ">\(fault)</soap:header>"))).text
        #expect(text.contains("public static let h = HeaderElement<H>(XMLName(\"urn:t\", \"h\"))"))
    }

    @Test func aPartInTheHeaderIsNotInTheBody() throws {
        let wsdl = makeService(
            schema: message("") + "<xs:element name=\"h\" type=\"xs:int\"/>",
            body: "<soap:header message=\"w:do\" part=\"q\" use=\"literal\"/><soap:body use=\"literal\"/>"
        ).replacing("element=\"t:do\"/>", with: "element=\"t:do\"/><part name=\"q\" element=\"t:h\"/>")
        let result = try generateDemo(wsdl)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("HeaderElement<H>"))
    }

    // MARK: Encoded messages

    /// A value of the encoding may hold its like, because it may be nil.
    @Test func recursiveStructuresOfTheEncodingCanBeMade() throws {
        let list = """
            <xs:complexType name="List"><xs:sequence><xs:element name="n" type="xs:int"/>
            <xs:element name="next" type="t:List"/></xs:sequence></xs:complexType>
            """
        let wsdl = makeService(schema: list, style: "rpc", body: "<soap:body use=\"encoded\" namespace=\"urn:n\"/>")
            .replacing("element=\"t:do\"", with: "type=\"t:List\"").replacing(
                "element=\"t:doResponse\"", with: "type=\"t:List\"")
        let result = try generateDemo(wsdl)
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var next: List?"))
        #expect(result.text.contains("XMLName(\"urn:n\", \"do\")") && result.text.contains("isEncoded: true"))
        let literal = try generateDemo(wsdl.replacing("encoded", with: "literal"))
        #expect(literal.warnings.contains { $0.message.contains("holds itself without an end") })
    }

    @Test func typesOfTheEncodingStandForThoseOfXMLSchema() throws {
        let wsdl = makeService(schema: "", style: "rpc", body: "<soap:body use=\"encoded\"/>")
            .replacing("element=\"t:do\"", with: "type=\"e:string\" xmlns:e=\"\(Namespaces.soapEncoding11)\"")
            .replacing(
                "element=\"t:doResponse\"", with: "type=\"e:base64\" xmlns:e=\"\(Namespaces.soapEncoding11)\"")
        let text = try generateDemo(wsdl).text
        #expect(text.contains("public var p: String?") && text.contains("public var p: XSDBase64Binary?"))
    }

    /// Arrays without a type of their own, by their only element, and arrays of arrays.
    @Test(arguments: [
        (
            "<xs:sequence><xs:element name=\"x\" type=\"xs:int\" maxOccurs=\"unbounded\"/></xs:sequence>", "Int32?",
            "x* #any*"
        ),
        ("<xs:attribute ref=\"e:arrayType\" w:arrayType=\"xs:int[,]\"/>", "Int32?", "item* #any*"),
        ("<xs:attribute ref=\"e:arrayType\" w:arrayType=\"xs:int[][,]\"/>", "AItem?", "item* #any*"),
        ("", "XMLAny?", "item* #any*"),
    ])
    func arraysAreFoundInAllTheirForms(content: String, item: String, elements: String) throws {
        let array = """
            <xs:complexType name="A" xmlns:e="\(Namespaces.soapEncoding11)" xmlns:w="\(Namespaces.wsdl)"><xs:complexContent>
            <xs:restriction base="e:Array">\(content)</xs:restriction></xs:complexContent></xs:complexType>
            """
        let wsdl = makeService(schema: array, style: "rpc", body: "<soap:body use=\"encoded\"/>")
            .replacing("element=\"t:do\"", with: "type=\"t:A\"").replacing(
                "element=\"t:doResponse\"", with: "type=\"t:A\"")
        let result = try generateDemo(wsdl)
        #expect(!result.hasErrors, "\(result.diagnostics)")
        #expect(result.text.contains("public var items: [\(item)]"))
        #expect(result.text.contains("elements: \"\(elements)\""))
        #expect(
            result.text.contains("public var dimensions: [Int]") == content.contains("[,]"))
    }

    // MARK: One-way operations and faults

    @Test func anOperationWithoutAnOutputIsOneWay() throws {
        let text = try generateDemo(one.replacing("<output message=\"w:doResponse\"/>", with: "")).text
        #expect(text.contains("public static let `do` = OneWayOperation<Do>("))
        #expect(text.contains("func `do`(_ input: Do) async throws {\n"))
        #expect(text.contains("func `do`(_ input: Do, _ context: OperationContext) async throws\n"))
        #expect(text.contains("try await caller.send(Operations.`do`, input)"))
        #expect(!text.contains("output:"))
    }

    @Test func aFaultMayBeAnyText() throws {
        let fault = "<xs:element name=\"gone\"><xs:complexType mixed=\"true\"/></xs:element>"
        let answer = "<output message=\"w:doResponse\"/>"
        let wsdl = makeService(schema: message("") + fault).replacing(
            answer, with: answer + "<fault name=\"f\" message=\"w:gone\"/>"
        ).replacing(
            "<portType", with: "<message name=\"gone\"><part name=\"p\" element=\"t:gone\"/></message><portType")
        let result = try generateDemo(wsdl)
        #expect(result.text.contains("faults: [.declared(XMLName(\"urn:t\", \"gone\"), Gone.self)]"))
    }
}
