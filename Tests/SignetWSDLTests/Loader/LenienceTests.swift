import SignetWSDL
import Testing

/// What servers send that is not quite a WSDL 1.1.
@Suite struct LenienceTests {
    private let service = "<service name=\"S\"/>"

    @Test(arguments: ["\n", " \r\n\t", "\u{FEFF}\n\n"])
    func spaceBeforeTheXMLDeclaration(space: String) throws {
        let text = space + "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + wsdl(service)
        let definitions = try load(text)
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
        let lines = text.unicodeScalars.prefix { $0 != "<" }.count { $0 == "\n" }
        #expect(definitions.services.first?.location.line == lines + 3)
    }

    @Test func inAnotherEncodingTheDeclarationIsKept() throws {
        let text = "\n<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>" + wsdl("<documentation>#</documentation>")
        let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "#") ? 0xE9 : $0 }
        #expect(try WSDLLoader { _ in nil }.load(bytes, path: "a").documentation == "é")
    }

    @Test(arguments: ["\n<?xml version", "x\n<?xml version=\"1.0\"?>", "\n<?xml ?>", "\n<?xml versi>"])
    func onlySpaceIsForgiven(start: String) {
        #expect(failure(start + wsdl(service))?.code == .malformedXML)
    }

    @Test func metadataHoldsWSDLs() throws {
        let exchange = "http://schemas.xmlsoap.org/ws/2004/09/mex"
        let other = wsdl("<binding name=\"B\" type=\"w:P\"/>")
        let text = """
            <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body><m:Metadata xmlns:m="\(exchange)">
            <m:MetadataSection>\(wsdl(service))</m:MetadataSection><m:MetadataSection>\(other)</m:MetadataSection>
            <m:MetadataSection>\(schema("<xs:element name=\"a\"/>"))</m:MetadataSection>
            </m:Metadata></s:Body></s:Envelope>
            """
        let definitions = try load(text)
        #expect(definitions.name == "Test")
        #expect(definitions.services.count == 1 && definitions.bindings.count == 1)
        #expect(definitions.schema.elements.count == 1)
        let empty = text.replacing("definitions", with: "other")
        #expect(failure(empty)?.code == .notWSDL)
    }

    @Test(arguments: [":int", "xs:", "xs:a:b", ":"])
    func malformedQualifiedNamesAreNamed(type: String) throws {
        let definitions = try load(wsdl(schema: "<xs:element name=\"a\" type=\"\(type)\"/>"))
        #expect(definitions.diagnostics.contains { $0.message.contains("is not a name") })
    }

    @Test func theNameOfAServiceInAFolderMayBeginWithAnAccent() throws {
        let name = "a/\u{65C}b"
        #expect(try load(wsdl("<service name=\"\(name)\"/>")).services.first?.name.localName == name)
    }

    @Test func draftsOfXMLSchemaAreReadAsXMLSchema() throws {
        let text = wsdl(schema: "<xs:element name=\"a\" type=\"xs:int\"/>").replacing(
            Namespaces.schema, with: "http://www.w3.org/1999/XMLSchema")
        guard case .named(QName(Namespaces.schema, "int")) = try load(text).schema.elements[QName("urn:t", "a")]?.type
        else {
            Issue.record("the type is not that of XML Schema")
            return
        }
    }

    @Test func aReferenceInAnotherNamespaceMeansTheOnlyOneOfThatName() throws {
        let text = """
            <message name="M"/><portType name="P"><operation name="o"><input message="t:M"/><output message="t:N"/></operation></portType>
            <binding name="B" type="t:P"/><service name="S"><port name="p" binding="t:B"/></service>
            """
        let definitions = try load(wsdl(text))
        let operation = definitions.portTypes[QName("urn:w", "P")]?.operations.first
        #expect(operation?.input?.message == QName("urn:w", "M"))
        #expect(operation?.output?.message == QName("urn:t", "N"))
        #expect(definitions.bindings.values.first?.portType == QName("urn:w", "P"))
        #expect(definitions.services.first?.ports.first?.binding == QName("urn:w", "B"))
        #expect(definitions.diagnostics.count == 1)
        // Where there are two it is anybody's guess.
        let two = wsdl("<import namespace=\"urn:x\" location=\"x.wsdl\"/>" + text)
        let other = wsdl("<message name=\"M\"/>").replacing(
            "targetNamespace=\"urn:w\"", with: "targetNamespace=\"urn:x\"")
        let doubtful = try load(two, ["x.wsdl": other])
        #expect(doubtful.portTypes.values.first?.operations.first?.input?.message == QName("urn:t", "M"))
    }

    /// Axis2 calls what belongs to a service in a folder so; no message holds these names.
    @Test func servicesInFolders() throws {
        let parts = """
            <portType name="a/P"/><binding name="a/B" type="w:a/P"/>
            <service name="a/b/S"><port name="S" binding="w:a/B"/></service>
            """
        let definitions = try load(wsdl(parts))
        #expect(definitions.services.map(\.name.localName) == ["a/b/S"])
        let binding = definitions.services.first?.ports.first.flatMap { definitions.bindings[$0.binding] }
        #expect(binding.map { definitions.portTypes[$0.portType] } != nil)
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test(arguments: ["/S", "S/", "a//S", "../S", "a/*S"])
    func notEverythingWithASlashIsAName(name: String) throws {
        let definitions = try load(wsdl("<service name=\"\(name)\"/>"))
        #expect(definitions.services.isEmpty)
        #expect(definitions.diagnostics.contains { $0.message.contains("is not a name") })
    }

    @Test func maxOccursZeroAlone() throws {
        let definitions = try load(
            wsdl(
                schema:
                    "<xs:group name=\"G\"><xs:sequence><xs:element name=\"a\" maxOccurs=\"0\"/></xs:sequence></xs:group>"
            ))
        guard case .group(_, let parts) = definitions.schema.groups[QName("urn:t", "G")]?.term else {
            Issue.record("no group")
            return
        }
        #expect(parts.map(\.minimum) == [0] && parts.map(\.maximum) == [0])
    }
}
