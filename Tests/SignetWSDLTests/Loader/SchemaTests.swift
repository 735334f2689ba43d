import SignetWSDL
import Testing

@Suite struct SchemaTests {
    private func complexType(_ name: String, in content: String) throws -> ComplexType {
        let set = try load(wsdl(schema: content)).schema
        guard case .complex(let type) = try #require(set.types[QName("urn:t", name)]) else {
            throw WSDLError(.invalid, "no complex type", at: SourceLocation(file: name))
        }
        return type
    }

    @Test func sequencesKeepOrderAndOccurrence() throws {
        let type = try complexType(
            "T",
            in: """
                <xs:complexType name="T">
                  <xs:sequence>
                    <xs:element name="a" type="xs:int"/>
                    <xs:sequence minOccurs="0">
                      <xs:element ref="t:b" maxOccurs="unbounded"/>
                      <xs:choice><xs:any/><xs:group ref="t:g"/></xs:choice>
                    </xs:sequence>
                    <xs:element name="c" form="unqualified" nillable="1" default=" x "/>
                  </xs:sequence>
                  <xs:attribute name="k" type="xs:string" use="required"/>
                  <xs:attribute ref="xml:lang"/>
                  <xs:attributeGroup ref="t:ag"/>
                  <xs:anyAttribute/>
                </xs:complexType>
                """)
        guard case .particle(let particle) = type.content, case .group(.sequence, let parts) = particle.term else {
            Issue.record("no sequence")
            return
        }
        #expect(parts.map(\.minimum) == [1, 0, 1])
        guard case .element(let first) = parts[0].term, case .group(.sequence, let inner) = parts[1].term,
            case .element(let last) = parts[2].term
        else {
            Issue.record("wrong terms")
            return
        }
        #expect(first.name == QName("urn:t", "a"))
        #expect(inner[0].maximum == nil)
        guard case .reference(QName("urn:t", "b")) = inner[0].term, case .group(.choice, let choice) = inner[1].term,
            case .wildcard = choice[0].term, case .groupReference(QName("urn:t", "g")) = choice[1].term
        else {
            Issue.record("wrong inner terms")
            return
        }
        #expect(last.name == QName("", "c"))
        #expect(last.isNillable)
        #expect(last.preset == .byDefault(" x "))
        #expect(type.attributes.uses.map(\.isRequired) == [true, false])
        #expect(type.attributes.groups.map(\.name) == [QName("urn:t", "ag")])
        #expect(type.attributes.wildcard != nil)
        guard case .reference(QName(Namespaces.xml, "lang")) = type.attributes.uses[1].kind else {
            Issue.record("no xml:lang")
            return
        }
    }

    @Test func derivations() throws {
        let text = """
            <xs:complexType name="S"><xs:simpleContent><xs:extension base="xs:decimal">
              <xs:attribute name="unit"/></xs:extension></xs:simpleContent></xs:complexType>
            <xs:complexType name="D" abstract="true" mixed="true"><xs:complexContent><xs:extension base="t:S">
              <xs:sequence><xs:element name="x"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
            <xs:complexType name="R"><xs:complexContent><xs:restriction base="xs:anyType">
              <xs:sequence><xs:element name="x"/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
            """
        let simple = try complexType("S", in: text)
        guard case .simple(.named(QName(Namespaces.schema, "decimal")), .extension) = simple.content else {
            Issue.record("no simple content")
            return
        }
        #expect(simple.attributes.uses.count == 1)
        let derived = try complexType("D", in: text)
        #expect(derived.isAbstract && derived.isMixed)
        guard case .derived(QName("urn:t", "S"), .extension, .some) = derived.content else {
            Issue.record("not derived")
            return
        }
        // A restriction of xs:anyType is what every type is; it is no derivation to speak of.
        guard case .particle = try complexType("R", in: text).content else {
            Issue.record("no particle")
            return
        }
    }

    @Test func simpleTypesKeepTheirFacets() throws {
        let set = try load(
            wsdl(
                schema: """
                    <xs:simpleType name="E"><xs:restriction base="xs:string">
                      <xs:enumeration value="A"><xs:annotation><xs:documentation>First.</xs:documentation></xs:annotation></xs:enumeration>
                      <xs:enumeration value=" b "/><xs:maxLength value="3"/></xs:restriction></xs:simpleType>
                    <xs:simpleType name="L"><xs:list itemType="xs:int"/></xs:simpleType>
                    <xs:simpleType name="U"><xs:union memberTypes="t:E xs:int"><xs:simpleType><xs:restriction base="xs:date"/></xs:simpleType></xs:union></xs:simpleType>
                    """)
        ).schema
        guard case .simple(let enumeration) = set.types[QName("urn:t", "E")],
            case .simple(let list) = set.types[QName("urn:t", "L")],
            case .simple(let union) = set.types[QName("urn:t", "U")]
        else {
            Issue.record("a type is absent")
            return
        }
        #expect(enumeration.enumeration.map(\.value) == ["A", " b "])
        #expect(enumeration.enumeration.first?.documentation == "First.")
        guard case .restriction(_, let facets) = enumeration.variety, case .list(.named) = list.variety,
            case .union(let members) = union.variety
        else {
            Issue.record("wrong varieties")
            return
        }
        #expect(facets.map(\.name) == ["enumeration", "enumeration", "maxLength"])
        #expect(members.count == 3)
    }

    @Test func substitutionGroupsAreKnownByTheirHead() throws {
        let set = try load(
            wsdl(schema: "<xs:element name=\"h\" abstract=\"true\"/><xs:element name=\"m\" substitutionGroup=\"t:h\"/>")
        ).schema
        #expect(set.substitutions[QName("urn:t", "h")] == [QName("urn:t", "m")])
        #expect(set.elements[QName("urn:t", "h")]?.isAbstract == true)
    }

    @Test(arguments: [
        "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" minOccurs=\"-1\"/></xs:sequence></xs:complexType>",
        "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" minOccurs=\"3\" maxOccurs=\"2\"/></xs:sequence></xs:complexType>",
        "<xs:complexType name=\"T\"><xs:sequence><xs:element/></xs:sequence></xs:complexType>",
        "<xs:complexType name=\"T\"><xs:simpleContent/></xs:complexType>",
        "<xs:complexType/>", "<xs:simpleType name=\"T\"/>", "<xs:group name=\"G\"/>",
    ])
    func aBrokenComponentIsLeftOut(content: String) throws {
        let definitions = try load(wsdl(schema: "\n\(content)\n<xs:element name=\"whole\"/>"))
        let error = try #require(definitions.defects.values.first)
        #expect(error.code == .invalid)
        #expect(error.location.line == 4)
        #expect(definitions.diagnostics.map(\.location) == [error.location])
        #expect(definitions.diagnostics.first?.message.contains("is left out") == true)
        #expect(definitions.schema.types.isEmpty && definitions.schema.groups.isEmpty)
        #expect(definitions.schema.elements.count == 1)
    }

    @Test func hugeCountsDoNotOverflow() throws {
        let type = try complexType(
            "T",
            in: "<xs:complexType name=\"T\"><xs:all maxOccurs=\"99999999999999999999999999\"/></xs:complexType>")
        guard case .particle(let particle) = type.content else {
            Issue.record("no particle")
            return
        }
        #expect(particle.maximum == Int.max)
    }

    @Test func aSecondDefinitionIsReported() throws {
        let definitions = try load(
            wsdl(schema: "<xs:element name=\"a\"/>\n<xs:element name=\"a\" type=\"xs:int\"/>"))
        #expect(definitions.diagnostics.map(\.severity) == [.warning])
        #expect(definitions.diagnostics.first?.location.line == 4)
        guard case .unspecified = definitions.schema.elements[QName("urn:t", "a")]?.type else {
            Issue.record("the first one does not count")
            return
        }
    }

    /// Each pair says the same in two places; one character more makes it another component.
    @Test(arguments: [
        "<xs:element name=\"a\" type=\"xs:int\" nillable=\"true\"/>",
        "<xs:attribute name=\"a\" default=\"x\"/>",
        "<xs:simpleType name=\"a\"><xs:restriction base=\"xs:string\"><xs:maxLength value=\"x\"/></xs:restriction></xs:simpleType>",
        "<xs:simpleType name=\"a\"><xs:union memberTypes=\"xs:int\"><xs:simpleType><xs:list itemType=\"t:x\"/></xs:simpleType></xs:union></xs:simpleType>",
        "<xs:complexType name=\"a\"><xs:complexContent><xs:extension base=\"t:b\"><xs:choice><xs:element name=\"x\"/><xs:any/>"
            + "<xs:group ref=\"t:g\"/></xs:choice><xs:anyAttribute/></xs:extension></xs:complexContent></xs:complexType>",
        "<xs:complexType name=\"a\"><xs:simpleContent><xs:restriction base=\"t:b\"><xs:pattern value=\"x\"/></xs:restriction></xs:simpleContent></xs:complexType>",
        "<xs:group name=\"a\"><xs:sequence><xs:element ref=\"t:x\" minOccurs=\"0\"/></xs:sequence></xs:group>",
        "<xs:attributeGroup name=\"a\"><xs:attribute ref=\"t:x\" use=\"required\"/><xs:attributeGroup ref=\"t:c\"/></xs:attributeGroup>",
    ])
    func identicalDuplicatesAreIgnored(component: String) throws {
        let twice = try load(wsdl(schema: "\(component)\n\n \(component)"))
        #expect(twice.diagnostics.isEmpty)
        let changed = component.replacing("x\"", with: "xy\"")
        if changed != component {
            #expect(try load(wsdl(schema: "\(component)\n\(changed)")).diagnostics.count == 1)
        }
    }
}
