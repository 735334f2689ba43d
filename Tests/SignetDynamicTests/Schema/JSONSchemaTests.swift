import SignetWSDL
import Testing

@testable import SignetDynamic

@Suite struct JSONSchemaTests {
    private func schema(_ types: String, encoded: Bool = false) throws -> DynamicValue {
        try service(types).inputSchema(of: "Do")
    }

    private func service(_ types: String) throws -> DynamicService {
        let wsdl = """
            <definitions targetNamespace="urn:t" xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:t"
                xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:xs="http://www.w3.org/2001/XMLSchema">
            <types><xs:schema targetNamespace="urn:t" elementFormDefault="qualified">\(types)</xs:schema></types>
            <message name="In"><part name="p" element="t:In"/></message>
            <portType name="P"><operation name="Do"><input message="t:In"/></operation></portType>
            <binding name="B" type="t:P"><s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
              <operation name="Do"><s:operation soapAction=""/><input><s:body use="literal"/></input></operation></binding>
            <service name="S"><port name="P" binding="t:B"><s:address location="http://localhost/"/></port></service>
            </definitions>
            """
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "a.wsdl")
        return try DynamicService(definitions)
    }

    // MARK: Forms

    @Test func aFormKnowsWhichMembersExcludeEachOther() throws {
        let types = element(
            """
            <xs:sequence><xs:element name="a" type="xs:int"/>
              <xs:choice><xs:element name="b" type="xs:int"/>
                <xs:sequence><xs:element name="c" type="xs:int"/><xs:element name="d" type="xs:int" minOccurs="0"/></xs:sequence>
              </xs:choice>
              <xs:choice minOccurs="0"><xs:element name="e" type="xs:int"/><xs:element name="f" type="xs:int"/></xs:choice>
              <xs:choice maxOccurs="2"><xs:element name="g" type="xs:int"/><xs:element name="h" type="xs:int"/></xs:choice>
            </xs:sequence>
            """)
        let schemas = try service(types).formSchemas(of: "Do")
        let expected = #"[{"branches":[["b"],["c","d"]],"required":true},{"branches":[["e"],["f"]],"required":false}]"#
        #expect(schemas.input["x-choices"]?.json() == expected)
        #expect(schemas.answer == nil)
        // An agent gets the plain schema.
        #expect(try schema(types)["x-choices"] == nil)
    }

    @Test func aFormFindsTheMembersOfDerivedTypes() throws {
        let types =
            """
            <xs:complexType name="Base" abstract="true"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence></xs:complexType>
            <xs:complexType name="More"><xs:complexContent><xs:extension base="t:Base"><xs:sequence><xs:element name="b" type="xs:int"/>
            </xs:sequence></xs:extension></xs:complexContent></xs:complexType>
            """ + element(#"<xs:sequence><xs:element name="v" type="t:Base"/></xs:sequence>"#)
        let schema = try service(types).formSchemas(of: "Do").input
        let base = try #require(schema["$defs"]?["Base"])
        #expect(base["properties"]?["@type"]?["x-types"]?.json() == ##"{"More":"#/$defs/More"}"##)
        #expect(base["required"]?[0] == "@type")
        let more = try #require(schema["$defs"]?["More"]?["properties"])
        #expect(more["a"] != nil && more["b"] != nil)
    }

    private func element(_ content: String) -> String {
        "<xs:element name=\"In\"><xs:complexType>\(content)</xs:complexType></xs:element>"
    }

    @Test(arguments: [
        ("<xs:element name=\"a\" type=\"xs:int\"/>", #"{"type":"integer"}"#),
        ("<xs:element name=\"a\" type=\"xs:decimal\"/>", #"{"type":"number"}"#),
        ("<xs:element name=\"a\" type=\"xs:boolean\"/>", #"{"type":"boolean"}"#),
        ("<xs:element name=\"a\" type=\"xs:date\"/>", #"{"type":"string","format":"date"}"#),
        ("<xs:element name=\"a\" type=\"xs:base64Binary\"/>", #"{"type":"string","contentEncoding":"base64"}"#),
        ("<xs:element name=\"a\" type=\"xs:anyType\"/>", "{}"),
        ("<xs:element name=\"a\" type=\"xs:NMTOKENS\"/>", #"{"type":"array","items":{"type":"string"},"minItems":1}"#),
        (
            "<xs:element name=\"a\" type=\"xs:string\" maxOccurs=\"3\"/>",
            #"{"type":"array","items":{"type":"string"}}"#
        ),
        (
            "<xs:element name=\"a\" type=\"xs:string\" nillable=\"true\"/>",
            #"{"anyOf":[{"type":"string"},{"type":"null"}]}"#
        ),
        (
            """
            <xs:element name="a"><xs:annotation><xs:documentation>What
              it is.</xs:documentation></xs:annotation><xs:simpleType><xs:restriction base="xs:int"><xs:minInclusive value="1"/>
              <xs:maxExclusive value="9"/></xs:restriction></xs:simpleType></xs:element>
            """, #"{"type":"integer","minimum":1,"exclusiveMaximum":9,"description":"What it is."}"#
        ),
        (
            """
            <xs:element name="a"><xs:simpleType><xs:restriction base="xs:int"><xs:enumeration value="1"/><xs:enumeration value="+2"/>
            </xs:restriction></xs:simpleType></xs:element>
            """, #"{"type":"integer"}"#
        ),
        (
            """
            <xs:element name="a"><xs:simpleType><xs:restriction base="xs:string"><xs:maxLength value="4"/><xs:pattern value="[A-Z]+"/>
            </xs:restriction></xs:simpleType></xs:element>
            """, #"{"type":"string","maxLength":4,"description":"A text like the pattern of XML Schema [A-Z]+"}"#
        ),
    ])
    func anElementHasItsSchema(declaration: String, expected: String) throws {
        let schema = try schema(element("<xs:sequence>\(declaration)</xs:sequence>"))
        #expect(schema["properties"]?["a"]?.json() == expected)
        #expect(schema["required"] == ["a"] && schema["additionalProperties"] == false && schema["type"] == "object")
    }

    @Test func whatMayBeAbsentIsNotRequired() throws {
        let schema = try schema(
            element(
                """
                <xs:sequence><xs:choice><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:choice>
                <xs:element name="c" type="xs:int" minOccurs="0"/><xs:any minOccurs="0" processContents="lax"/></xs:sequence>
                <xs:attribute name="d" use="required"/><xs:attribute name="e"/>
                """))
        #expect(schema["required"] == ["@d"] && schema["additionalProperties"] == true)
        guard case .object(let properties)? = schema["properties"] else { return #expect(Bool(false)) }
        #expect(properties.map(\.name) == ["@d", "@e", "a", "b", "c"])
    }

    @Test func typesWithoutANameMayContainThemselves() throws {
        let schema = try schema(element("<xs:sequence><xs:element ref=\"t:In\" minOccurs=\"0\"/></xs:sequence>"))
        #expect(schema.json().count < 5000 && schema["properties"]?["In"]?["type"] == "object")
    }

    @Test func aTypeThatNothingIsDerivedFromIsClosed() throws {
        let schema = try schema(
            """
            <xs:element name="In" type="t:A"/><xs:complexType name="A"><xs:simpleContent><xs:extension base="xs:int">
              <xs:attribute name="b"/></xs:extension></xs:simpleContent></xs:complexType>
            """)
        #expect(schema["additionalProperties"] == false && schema["required"] == ["#text"])
        guard case .object(let properties)? = schema["properties"] else { return #expect(Bool(false)) }
        #expect(properties.map(\.name) == ["@b", "#text"])
    }

    @Test func typesThatContainThemselvesAreDefinedOnce() throws {
        let schema = try schema(
            """
            <xs:element name="In" type="t:Node"/>
            <xs:complexType name="Node"><xs:sequence><xs:element name="next" type="t:Node" minOccurs="0"/>
              <xs:element name="shape" type="t:Shape"/></xs:sequence></xs:complexType>
            <xs:complexType name="Shape" abstract="true"/>
            <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape"><xs:sequence>
              <xs:element name="radius" type="xs:double"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
            """)
        #expect(schema["properties"]?["next"] == ["$ref": "#/$defs/Node"])
        let shape = schema["$defs"]?["Shape"]
        #expect(shape?["required"] == ["@type"] && shape?["additionalProperties"] == true)
        #expect(shape?["properties"]?["@type"]?["enum"] == ["Circle"])
        #expect(schema["$defs"]?["Circle"]?["properties"]?["radius"] == ["type": "number"])
    }
}
