import SignetWSDL
import Testing

@Suite struct DefinitionsTests {
    private let document = wsdl(
        """
        <documentation>All about <b>the</b> service.</documentation>
        <message name="In"><part name="p" element="t:in"/></message>
        <message name="Old"><part name="a" type="xs:string"/><part name="b" type="xs:int"/></message>
        <portType name="P">
          <operation name="Do">
            <documentation>Does it.</documentation>
            <input message="w:In"/><output name="Done" message="w:In"/><fault name="F" message="w:In"/>
          </operation>
          <operation name="Tell"><output message="w:In"/></operation>
        </portType>
        <binding name="B" type="w:P">
          <soap:binding style="rpc" transport="http://schemas.xmlsoap.org/soap/http"/>
          <operation name="Do">
            <soap:operation soapAction="" style="document"/>
            <input><soap:header message="w:In" part="p" use="literal"/><soap:body use="encoded" parts="p q"/></input>
            <output><soap:body use="literal" namespace="urn:n"/></output>
            <fault name="F"><soap:fault name="F" use="literal"/></fault>
          </operation>
          <operation name="Tell"><output><soap:body/></output></operation>
        </binding>
        <binding name="B12" type="w:P"><soap12:binding transport="http://schemas.xmlsoap.org/soap/http"/></binding>
        <service name="S">
          <documentation>The service.</documentation>
          <port name="A" binding="w:B"><soap:address location="http://localhost/a"/></port>
          <port name="A12" binding="w:B12"/>
        </service>
        """)

    @Test func servicesAndPorts() throws {
        let service = try #require(try load(document).services.first)
        #expect(service.name == QName("urn:w", "S"))
        #expect(service.documentation == "The service.")
        #expect(service.ports.map(\.address) == ["http://localhost/a", nil])
        #expect(service.ports.map(\.binding) == [QName("urn:w", "B"), QName("urn:w", "B12")])
    }

    @Test func markupInDocumentationIsLeftOut() throws {
        #expect(try load(document).documentation?.split(separator: " ") == ["All", "about", "the", "service."])
    }

    @Test func operationsAndMessages() throws {
        let definitions = try load(document)
        let portType = try #require(definitions.portTypes[QName("urn:w", "P")])
        let operation = try #require(portType.operations.first)
        #expect(operation.documentation == "Does it.")
        #expect(operation.input?.message == QName("urn:w", "In"))
        #expect(operation.output?.name == "Done")
        #expect(operation.faults.map(\.name) == ["F"])
        #expect(!operation.outputIsFirst)
        #expect(portType.operations.last?.input == nil)
        #expect(portType.operations.last?.outputIsFirst == true)
        let old = try #require(definitions.messages[QName("urn:w", "Old")])
        #expect(old.parts.map(\.type) == [QName(Namespaces.schema, "string"), QName(Namespaces.schema, "int")])
    }

    @Test func bindings() throws {
        let definitions = try load(document)
        let binding = try #require(definitions.bindings[QName("urn:w", "B")])
        #expect(binding.format == .soap11)
        #expect(binding.style == .rpc)
        #expect(binding.reasonNotUsable == nil)
        let operation = try #require(binding.operations.first)
        #expect(operation.soapAction == "")
        #expect(operation.style == .document)
        #expect(operation.input?.use == .encoded)
        #expect(operation.input?.parts == ["p", "q"])
        #expect(operation.input?.headers.map(\.part) == ["p"])
        #expect(operation.output?.namespace == "urn:n")
        #expect(operation.faults.map(\.name) == ["F"])
        #expect(binding.operations.last?.soapAction == nil)
        #expect(definitions.bindings[QName("urn:w", "B12")]?.format == .soap12)
        #expect(definitions.bindings[QName("urn:w", "B12")]?.reasonNotUsable == nil)
    }

    @Test func anExtensionThatMustBeKnownMakesABindingUnusable() throws {
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P">
                  <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                  <x:thing xmlns:x="urn:x" xmlns:q="\(Namespaces.wsdl)" q:required="true"/>
                </binding>
                """))
        #expect(definitions.bindings.values.first?.reasonNotUsable?.contains("{urn:x}thing") == true)
    }

    /// WSDL 1.1 §2.1.3.
    @Test func anExtensionThatMustBeKnownMakesAPortOrAnOperationUnusable() throws {
        let thing = "<x:thing xmlns:x=\"urn:x\" xmlns:q=\"\(Namespaces.wsdl)\" q:required=\" true \"/>"
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                  <operation name="o"><input>\(thing)</input></operation><operation name="p">\(thing)</operation>
                  <operation name="q"/></binding>
                <service name="S"><port name="a" binding="w:B">\(thing)</port><port name="b" binding="w:B"/></service>
                """))
        let ports = definitions.services.flatMap(\.ports)
        #expect(ports.map { definitions.reasonNotUsable($0)?.contains("{urn:x}thing") } == [true, nil])
        let operations = definitions.bindings.values.flatMap(\.operations)
        #expect(operations.map(\.requiredExtensions.count) == [1, 1, 0])
        #expect(definitions.diagnostics.isEmpty)
    }

    /// A client can be told to send its header blocks.
    @Test func bindingsThatRequireAddressingLoadWithAWarning() throws {
        let using =
            "<a:UsingAddressing xmlns:a=\"http://www.w3.org/2006/05/addressing/wsdl\" xmlns:q=\"\(Namespaces.wsdl)\" q:required=\"true\"/>"
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>\(using)</binding>
                <service name="S"><port name="a" binding="w:B">\(using)</port></service>
                """))
        let port = try #require(definitions.services.first?.ports.first)
        #expect(definitions.reasonNotUsable(port) == nil)
        #expect(definitions.diagnostics.map(\.severity) == [.warning, .warning])
        #expect(definitions.diagnostics.allSatisfy { $0.message.contains("AddressingHeader") })
        let optional = try load(
            wsdl("<binding name=\"B\" type=\"w:P\">\(using.replacing("true", with: "false"))</binding>"))
        #expect(optional.diagnostics.isEmpty)
    }

    @Test func aDefectiveOperationOfAPortTypeIsTheOnlyOneThatCannotBeUsed() throws {
        let definitions = try load(
            wsdl(
                """
                <portType name="P"><operation name="bad"><input message="nobody:M"/></operation>
                <operation name="good"><input message="w:M"/></operation><operation/></portType>
                """))
        let operations = try #require(definitions.portTypes[QName("urn:w", "P")]).operations
        #expect(operations.map(\.name) == ["bad", "good"])
        #expect(operations.map { $0.defect?.code } == [.undeclaredPrefix, nil])
        #expect(definitions.defects.isEmpty)
        #expect(definitions.diagnostics.map(\.severity) == [.warning, .warning])
        #expect(definitions.diagnostics.first?.message.contains("‘bad’") == true)
    }

    @Test func placesAreLinesAndColumns() throws {
        let definitions = try load(document)
        #expect(definitions.services.first?.location == SourceLocation(file: "main.wsdl", line: 23, column: 1))
        let operation = definitions.portTypes[QName("urn:w", "P")]?.operations.first
        #expect(operation?.location == SourceLocation(file: "main.wsdl", line: 6, column: 3))
    }

    @Test func aByteOrderMarkMovesNoPlace() throws {
        let bytes = [0xEF, 0xBB, 0xBF] + Array(document.utf8)
        let definitions = try WSDLLoader { _ in nil }.load(bytes, path: "main.wsdl")
        #expect(definitions.services.first?.location.column == 1)
        #expect(definitions.services.first?.location.line == 23)
    }

    @Test(arguments: [
        ("<service/>", WSDLError.Code.invalid),
        ("<service name=\"a b\"><port name=\"P\" binding=\"w:B\"/></service>", .invalid),
        ("<binding name=\"B\"/>", .invalid), ("<binding name=\"B\" type=\"nobody:P\"/>", .undeclaredPrefix),
        ("<message name=\"M\"><part name=\"p\" element=\"nobody:e\"/></message>", .undeclaredPrefix),
        ("<portType name=\"a b\"/>", .invalid),
    ])
    func aBrokenComponentIsLeftOut(content: String, code: WSDLError.Code) throws {
        let definitions = try load(wsdl("\(content)<message name=\"Whole\"/>"))
        let (name, error) = try #require(definitions.defects.first)
        #expect(error.code == code)
        #expect(error.location.file == "main.wsdl")
        #expect(error.location.line >= 2)
        #expect(error.location.column > 0)
        #expect(content.contains("<\(name.kind.rawValue)"))
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
        #expect(definitions.messages.keys.map(\.localName) == ["Whole"])
        #expect(definitions.services.isEmpty && definitions.portTypes.isEmpty)
    }

    @Test func aDefectMakesABindingOrAnOperationUnusable() throws {
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P"><soap:binding style="odd" transport="\(Namespaces.soapOverHTTP)"/></binding>
                <binding name="C" type="w:P"><soap:binding transport="\(Namespaces.soapOverHTTP)"/>
                <operation name="o"><input><soap:body use="odd"/></input></operation>
                <operation name="p"><input><soap:body use="literal"/></input></operation></binding>
                """))
        #expect(definitions.bindings[QName("urn:w", "B")]?.reasonNotUsable?.contains("‘odd’") == true)
        let binding = try #require(definitions.bindings[QName("urn:w", "C")])
        #expect(binding.reasonNotUsable == nil)
        #expect(binding.operations.map { $0.defect?.code } == [.invalid, nil])
        #expect(definitions.diagnostics.map(\.location.line) == [2, 4])
    }

    @Test func elementsOfOtherProtocolsAreNotTakenForThoseOfSOAP() throws {
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P" xmlns:x="urn:x"><x:binding style="chunked"/>
                <soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                <operation name="o"><x:operation style="chunked"/><soap:operation soapAction="a"/></operation></binding>
                <service name="S"><port name="p" binding="w:B" xmlns:x="urn:x"><x:address location=""/>
                <soap:address location="http://localhost/"/></port></service>
                """))
        let binding = try #require(definitions.bindings.values.first)
        #expect(binding.reasonNotUsable == nil && binding.format == .soap11)
        #expect(binding.operations.first?.soapAction == "a")
        #expect(definitions.services.first?.ports.first?.address == "http://localhost/")
    }

    @Test func plainHTTPAndItsContentAreKept() throws {
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P" xmlns:h="\(Namespaces.http)" xmlns:m="\(Namespaces.mime)">
                <h:binding verb="GET"/>
                <operation name="o"><h:operation location="o/(a)"/><input><h:urlReplacement/></input>
                <output><m:content part="p" type="image/*"/><m:content type="text/plain"/></output></operation>
                <operation name="q"><h:operation location="q"/><input><h:urlEncoded/></input><output><m:mimeXml part="p"/></output>
                </operation></binding>
                """))
        let binding = try #require(definitions.bindings.values.first)
        #expect(binding.format == .http && binding.verb == "GET")
        #expect(binding.operations.map(\.httpLocation) == ["o/(a)", "q"])
        #expect(binding.operations.map { $0.input?.urlEncoding } == [.urlReplacement, .urlEncoded])
        #expect(binding.operations[0].output?.contents.map(\.type) == ["image/*", "text/plain"])
        #expect(binding.operations[0].output?.contents.map(\.part) == ["p", nil])
        #expect(binding.operations[1].output?.contents.map(\.type) == ["text/xml"])
    }

    @Test func headerFaultsAndEncodingsAreKept() throws {
        let definitions = try load(
            wsdl(
                """
                <binding name="B" type="w:P"><soap:binding/><operation name="o">
                <input><soap:header message="w:M" part="h" use="encoded" namespace="urn:h">
                <soap:headerfault message="w:M" part="f" use="literal"/></soap:header>
                <soap:body use="encoded" encodingStyle="\(Namespaces.soapEncoding11)" namespace="urn:b"/></input>
                <fault name="F"><soap:fault name="F" use="encoded" namespace="urn:f"/></fault></operation></binding>
                """))
        let operation = try #require(definitions.bindings.values.first?.operations.first)
        #expect(operation.input?.headers.map(\.namespace) == ["urn:h"])
        #expect(operation.input?.headers.first?.faults.map(\.part) == ["f"])
        #expect(operation.input?.encodingStyle == Namespaces.soapEncoding11)
        #expect(operation.faults.map(\.namespace) == ["urn:f"])
        #expect(operation.faults.map(\.use) == [.encoded])
    }

    @Test func anythingElseIsNoWSDL() {
        #expect(failure("<html/>")?.code == .notWSDL)
        #expect(failure("<description xmlns=\"http://www.w3.org/ns/wsdl\"/>")?.code == .notWSDL)
        #expect(failure("")?.code == .malformedXML)
    }
}
