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
    func onlyWhiteSpaceMayPrecedeTheXMLDeclaration(start: String) {
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
        // With two candidates the loader does not guess.
        let two = wsdl("<import namespace=\"urn:x\" location=\"x.wsdl\"/>" + text)
        let other = wsdl("<message name=\"M\"/>").replacing(
            "targetNamespace=\"urn:w\"", with: "targetNamespace=\"urn:x\"")
        let doubtful = try load(two, ["x.wsdl": other])
        #expect(doubtful.portTypes.values.first?.operations.first?.input?.message == QName("urn:t", "M"))
    }

    /// `default` is the default namespace in the schema.
    @Test(arguments: ["", Namespaces.wsdl, Namespaces.schema])
    func unresolvedNamesWithoutPrefixAreTakenFromTheirSchema(default: String) throws {
        let types = """
            <xs:schema targetNamespace="urn:t" xmlns:xs="\(Namespaces.schema)" xmlns="\(`default`)">
            <xs:complexType name="A"><xs:sequence><xs:element ref="b"/><xs:group ref="G"/></xs:sequence>
            <xs:attribute ref="c"/><xs:attributeGroup ref="D"/></xs:complexType>
            <xs:complexType name="E"><xs:complexContent><xs:extension base="A"/></xs:complexContent></xs:complexType>
            <xs:element name="b" type="F"/><xs:attribute name="c" type="U"/>
            <xs:group name="G"><xs:sequence><xs:element name="g" type="H"/></xs:sequence></xs:group>
            <xs:attributeGroup name="D"/><xs:element name="s" type="E" substitutionGroup="b"/>
            <xs:simpleType name="F"><xs:restriction base="U"/></xs:simpleType>
            <xs:simpleType name="U"><xs:union memberTypes="H H"/></xs:simpleType>
            <xs:simpleType name="H"><xs:list itemType="I"/></xs:simpleType>
            <xs:simpleType name="I"><xs:restriction base="xs:int"/></xs:simpleType>
            </xs:schema>
            """
        let message = "<message name=\"M\"><part name=\"p\" element=\"b\"/><part name=\"q\" type=\"A\"/></message>"
        let definitions = try load(wsdl("<types>\(types)</types>" + message))
        #expect(definitions.undeclaredNamespaces.isEmpty)
        #expect(definitions.messages.values.first?.parts.first?.element == QName("urn:t", "b"))
        #expect(definitions.messages.values.first?.parts.last?.type == QName("urn:t", "A"))
        #expect(definitions.schema.substitutions == [QName("urn:t", "b"): [QName("urn:t", "s")]])
        #expect(definitions.diagnostics.map(\.severity) == [.warning, .warning])
        #expect(definitions.diagnostics.first?.message.hasPrefix("‘b’ has no prefix") == true)
        #expect(definitions.diagnostics.first?.location.line == 3)
    }

    /// Where one of no namespace can be meant, it is.
    @Test(arguments: [true, false])
    func aNameWithoutAPrefixMayHaveNoNamespace(imported: Bool) throws {
        let reference = "<xs:import schemaLocation=\"b.xsd\"/>"
        let outer = schema(
            (imported ? reference : "") + "<xs:element name=\"a\" type=\"B\"/>",
            attributes: "targetNamespace=\"urn:t\" xmlns=\"\"")
        let inner = schema(
            "<xs:simpleType name=\"B\"><xs:restriction base=\"xs:int\"/></xs:simpleType>", attributes: "")
        let text = wsdl("<types>\(outer)\(imported ? "" : inner)</types>")
        let definitions = try load(text, ["b.xsd": inner])
        guard case .named(QName("", "B")) = definitions.schema.elements[QName("urn:t", "a")]?.type else {
            Issue.record("the type is another one")
            return
        }
        #expect(definitions.schema.types[QName("", "B")] != nil)
        #expect(definitions.diagnostics.isEmpty)
    }

    /// The order of the schemas, and those that only import, mean nothing.
    @Test(arguments: [true, false]) func aSiblingSchemaMayImportNamesWithoutANamespace(isFirst: Bool) throws {
        let element = schema("<xs:element name=\"a\" type=\"B\"/>", attributes: "targetNamespace=\"urn:t\" xmlns=\"\"")
        let sibling = schema(
            "<xs:import schemaLocation=\"b.xsd\"/>", attributes: "targetNamespace=\"urn:u\"")
        let file = schema(
            "<xs:simpleType name=\"B\"><xs:restriction base=\"xs:int\"/></xs:simpleType>", attributes: "")
        let types = isFirst ? element + sibling : sibling + element
        let definitions = try load(wsdl("<types>\(types)</types>"), ["b.xsd": file])
        #expect(definitions.undeclaredNamespaces.isEmpty && definitions.diagnostics.isEmpty)
    }

    @Test func aSchemaThatOnlyImportsHasNoComponents() throws {
        let outer = schema("<xs:import namespace=\"urn:t\" schemaLocation=\"a.xsd\"/>", attributes: "")
        let file = schema(
            "<xs:element name=\"a\" type=\"B\"/><xs:simpleType name=\"B\"><xs:restriction base=\"xs:int\"/></xs:simpleType>",
            attributes: "targetNamespace=\"urn:t\" xmlns=\"\"")
        let definitions = try load(wsdl("<types>\(outer)</types>"), ["a.xsd": file])
        #expect(definitions.undeclaredNamespaces.isEmpty && definitions.diagnostics.count == 1)
    }

    /// A schema that imports the namespace of WSDL or of XML Schema may refer to its components.
    @Test(arguments: [Namespaces.wsdl, Namespaces.schema]) func importedNamesStay(namespace: String) throws {
        let types = """
            <xs:schema targetNamespace="urn:t" xmlns:xs="\(Namespaces.schema)" xmlns="\(namespace)">
            <xs:import namespace="\(namespace)"/><xs:element name="a" type="b"/></xs:schema>
            """
        let definitions = try load(wsdl("<types>\(types)</types>"))
        guard case .named(QName(namespace, "b")) = definitions.schema.elements[QName("urn:t", "a")]?.type else {
            Issue.record("the type is another one")
            return
        }
        #expect(definitions.diagnostics.isEmpty)
    }

    /// What is not there, but might be, is not made up: it goes over the wire.
    @Test func theElementOfAPartMayBeUnread() throws {
        let types = schema(
            "<xs:import schemaLocation=\"http://x.example/plain.xsd\"/><xs:element name=\"a\"/>")
        let text = "<types>\(types)</types><message xmlns:d=\"\(Namespaces.wsdl)\" name=\"M\">"
        let part = "<d:part xmlns=\"\" name=\"p\" element=\"a\"/></message>"
        let definitions = try load(wsdl(text + part))
        #expect(definitions.messages.values.first?.parts.first?.element == QName("", "a"))
    }

    /// Such as the element of XML Schema that DataSets refer to.
    @Test func namesOfXMLSchemaStay() throws {
        let types = """
            <schema targetNamespace="urn:t" xmlns="\(Namespaces.schema)"><element name="a" type="anyType"/>
            <complexType name="C"><sequence><element ref="schema"/></sequence></complexType>
            <simpleType name="D"><restriction base="dateTime"/></simpleType></schema>
            """
        let definitions = try load(wsdl("<types>\(types)</types>"))
        guard case .complex(let type)? = definitions.schema.types[QName("urn:t", "C")],
            case .particle(let particle) = type.content, case .group(_, let parts) = particle.term,
            case .reference(QName(Namespaces.schema, "schema"))? = parts.first?.term
        else {
            Issue.record("the element is another one")
            return
        }
        #expect(definitions.diagnostics.isEmpty)
    }

    /// Axis2 calls what belongs to a service in a folder so; no message holds these names.
    @Test func serviceNamesMayHaveSlashes() throws {
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

    /// Its attribute is optional in WSDL 1.1's own schema.
    @Test(arguments: [
        (nil, Namespaces.soapOverHTTP), ("", Namespaces.soapOverHTTP),
        ("http://schemas.xmlsoap.org/soap/http/", Namespaces.soapOverHTTP),
        ("http://schemas.xmlsoap.org/soap/https", Namespaces.soapOverHTTP),
        ("http://www.w3.org/2003/05/soap/bindings/HTTP", Namespaces.soap12OverHTTP),
    ])
    func HTTPIsTakenForATransportThatIsNotNamedAsItShould(transport: String?, meant: String) throws {
        let attribute = transport.map { "transport=\"\($0)\"" } ?? ""
        let definitions = try load(
            wsdl("<portType name=\"P\"/><binding name=\"B\" type=\"w:P\"><soap:binding \(attribute)/></binding>"))
        #expect(definitions.bindings.values.first?.transport == meant)
        #expect(definitions.bindings.values.first?.reasonNotUsable == nil)
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
    }

    @Test func otherTransportsAreNotHTTP() throws {
        let binding = "<soap:binding transport=\"http://www.w3.org/2010/soapjms/\"/>"
        let definitions = try load(
            wsdl("<portType name=\"P\"/><binding name=\"B\" type=\"w:P\">\(binding)</binding>"))
        #expect(definitions.bindings.values.first?.reasonNotUsable?.contains("soapjms") == true)
    }

    /// xs:nonNegativeInteger may have a sign (XML Schema Part 2 §3.3.20).
    @Test(arguments: [
        ("+1", "+2", 1, 2), ("-0", "+007", 0, 7), ("0", "+99999999999999999999", 0, .max), ("-1", "1", nil, nil),
        ("+", "1", nil, nil), ("1", "+-2", nil, nil), ("1", "-2", nil, nil), ("1", "", nil, nil),
    ])
    func occurrencesMayHaveASign(minimum: String, maximum: String, least: Int?, most: Int?) throws {
        let element = "<xs:element name=\"a\" minOccurs=\"\(minimum)\" maxOccurs=\"\(maximum)\"/>"
        let definitions = try load(
            wsdl(schema: "<xs:group name=\"G\"><xs:sequence>\(element)</xs:sequence></xs:group>"))
        guard case .group(_, let parts)? = definitions.schema.groups[QName("urn:t", "G")]?.term else {
            #expect(least == nil && definitions.diagnostics.contains { $0.message.contains("which is no number") })
            return
        }
        #expect(parts.map(\.minimum) == [least] && parts.map(\.maximum) == [most])
    }

    @Test func maxOccursZeroNeedsNoMinOccurs() throws {
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
