import SignetDynamic
import SignetXML
import Testing

/// Derived types, substitution groups, wildcards and content that no schema describes.
@Suite struct DerivationTests {
    private let shapes = """
        <xs:complexType name="Shape" abstract="true"><xs:sequence><xs:element name="name" type="xs:string"/></xs:sequence>
        <xs:attribute name="id" type="xs:int"/></xs:complexType>
        <xs:complexType name="Circle"><xs:complexContent><xs:extension base="t:Shape"><xs:sequence>
        <xs:element name="radius" type="xs:double"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
        <xs:complexType name="Dot"><xs:complexContent><xs:restriction base="t:Shape"><xs:sequence>
        <xs:element name="name" type="xs:string"/></xs:sequence></xs:restriction></xs:complexContent></xs:complexType>
        """

    @Test func aDerivedTypeIsNamed() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"shape\" type=\"t:Shape\" maxOccurs=\"2\"/></xs:sequence>",
            also: shapes)
        let json = #"{"shape":[{"@type":"Circle","@id":1,"name":"c","radius":1.5},{"@type":"{urn:t}Dot","name":"d"}]}"#
        let element = try DynamicClient(service).body(of: "Do", try DynamicValue(json: json))
        #expect(element.children[0].attribute("type", namespace: .schemaInstance)?.hasSuffix(":Circle") == true)
        #expect(
            try service.encoded(json).replacing(#/="\w+:/#, with: "=\"")
                == #"<Do><shape xsi:type="Circle" id="1"><name>c</name><radius>1.5</radius></shape><shape xsi:type="Dot"><name>d</name></shape></Do>"#
        )
        #expect(
            try await service.decoded(String(decoding: element.bytes, as: UTF8.self))
                == json.replacing("{urn:t}Dot", with: "Dot"))
        let abstract = try #require(try service.refusal(#"{"shape":[{"name":"c"}]}"#))
        #expect(abstract.message.contains("one of ‘Circle’ and ‘Dot’"))
        #expect(abstract.path == "Do.shape[0]")
        let unknown = try #require(try service.refusal(#"{"shape":[{"@type":"Cirlce"}]}"#))
        #expect(unknown.message.contains("Did you mean ‘Circle’?"))
        #expect(try service.refusal(#"{"shape":[{"@type":"Shape","name":""}]}"#)?.code == .unknownName)
        #expect(try service.refusal(#"{"shape":[{"@type":"xs:int"}]}"#)?.code == .unknownName)
    }

    @Test func anAttributeNamedTypeIsNotTheXSIType() throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"a\" type=\"t:A\"/></xs:sequence>",
            also: """
                <xs:complexType name="A"><xs:attribute name="type" type="xs:string"/></xs:complexType>
                <xs:complexType name="B"><xs:complexContent><xs:extension base="t:A"/></xs:complexContent></xs:complexType>
                """)
        #expect(try service.encoded(#"{"a":{"@type":"own"}}"#) == #"<Do><a type="own"></a></Do>"#)
        #expect(try service.encoded(#"{"a":{"@type":"own","@xsi:type":"B"}}"#).contains("type=\"own\""))
    }

    @Test func aMemberOfASubstitutionGroupIsGivenByItsName() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element ref=\"t:head\" maxOccurs=\"unbounded\"/></xs:sequence>",
            also: """
                <xs:element name="head" type="xs:string" abstract="true"/><xs:element name="one" type="xs:string" substitutionGroup="t:head"/>
                <xs:element name="two" type="xs:token" substitutionGroup="t:one"/>
                """)
        let json = #"{"one":["a"],"two":["b","c"]}"#
        #expect(try service.encoded(json) == "<Do><one>a</one><two>b</two><two>c</two></Do>")
        #expect(try await service.decoded("<t:Do><t:one>a</t:one><t:two>b</t:two><t:two>c</t:two></t:Do>") == json)
        #expect(try service.refusal("{}")?.message == "one of ‘one’ and ‘two’ is required.")
        #expect(try service.refusal(#"{"head":"a"}"#)?.code == .unknownName)
        #expect(try service.sample(of: "Do") == ["one": ["string"]])
    }

    @Test func wildcardsTakeElementsOfYourOwn() async throws {
        let service = try service(
            type: """
                <xs:sequence><xs:element name="a" type="xs:int"/><xs:any namespace="##other" processContents="lax" minOccurs="0"
                maxOccurs="2"/></xs:sequence><xs:anyAttribute processContents="lax"/>
                """)
        let json = #"{"@x":"1","@{urn:o}y":"2","a":1,"{urn:o}b":{"c":"text","@d":"3"}}"#
        let body = try DynamicClient(service).body(of: "Do", try DynamicValue(json: json))
        #expect(body.children.map(\.namespaceURI) == ["urn:t", "urn:o"])
        #expect(body.children[1].children.map(\.namespaceURI) == ["urn:o"])
        #expect(
            try await service.decoded(String(decoding: body.bytes, as: UTF8.self))
                == #"{"@x":"1","@{urn:o}y":"2","a":1,"{urn:o}b":{"@d":"3","c":"text"}}"#)
        #expect(try service.refusal(#"{"a":1,"b":2}"#)?.message.contains("{namespace}name") == true)
        #expect(try service.refusal(#"{"a":1,"{urn:t}b":2}"#)?.code == .unknownName)
        #expect(try service.refusal(#"{"a":1,"{urn:o}b":[1,2,3]}"#)?.path == "Do.{urn:o}b[2]")
        #expect(try service.refusal(#"{"a":1,"{urn:o}b c":1}"#)?.code == .unknownName)
        #expect(try service.refusal(#"{"a":1,"@{urn:o}b c":1}"#)?.code == .unknownName)
    }

    @Test func strictWildcardsTakeDeclaredElementsOnly() throws {
        let service = try service(
            type: "<xs:sequence><xs:any namespace=\"##targetNamespace\"/></xs:sequence>",
            also: "<xs:element name=\"known\" type=\"xs:int\"/>")
        #expect(try service.encoded(#"{"known":1}"#) == "<Do><known>1</known></Do>")
        #expect(try service.refusal(#"{"known":"x"}"#)?.path == "Do.known")
        #expect(try service.refusal(#"{"other":1}"#)?.code == .unknownName)
        #expect(try service.refusal("{}")?.code == .missing)
    }

    @Test func anythingIsUntyped() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"xs:anyType\" nillable=\"true\"/></xs:sequence>")
        for (json, xml, back) in [
            (#"1.50"#, "1.50", #""1.50""#), (#""a<b""#, "a&lt;b", #""a<b""#), ("true", "true", #""true""#),
            (#"{"a":[1,{"b":null}],"@c":"d"}"#, "", #"{"@c":"d","a":["1",{"b":null}]}"#),
            (
                ##"{"#xml":"a <b xmlns='urn:b'>c</b>"}"##, "a <b xmlns='urn:b'>c</b>",
                ##"{"#xml":"a <b xmlns=\"urn:b\">c</b>"}"##
            ),
            (##"{"@type":"xs:int","#text":5}"##, "", ##"{"@type":"xs:int","#text":5}"##),
        ] {
            let body = try DynamicClient(service).body(of: "Do", try DynamicValue(json: "{\"v\":\(json)}"))
            if !xml.isEmpty { #expect(try service.encoded("{\"v\":\(json)}").contains("<v>\(xml)</v>")) }
            #expect(try await service.decoded(String(decoding: body.bytes, as: UTF8.self)) == "{\"v\":\(back)}")
        }
        for json in [
            ##"{"#xml":"<a"}"##, ##"{"#xml":"</xml><xml>"}"##, ##"{"#xml":"<u:a/>"}"##, ##"{"#xml":1}"##, #"{"a b":1}"#,
            "[1]",
        ] {
            #expect(try service.refusal("{\"v\":\(json)}") != nil, "\(json)")
        }
    }

    @Test func mixedContentIsTextWithElementsOrMarkup() async throws {
        let service = try service(
            """
            <xs:element name="Do"><xs:complexType mixed="true"><xs:sequence><xs:element name="b" type="xs:string" minOccurs="0"/></xs:sequence>
            <xs:attribute name="lang"/></xs:complexType></xs:element>
            """)
        #expect(try service.encoded(#""text""#) == "<Do>text</Do>")
        #expect(try service.encoded(##"{"#text":"text","b":"c"}"##) == "<Do>text<b>c</b></Do>")
        #expect(try service.encoded(##"{"@lang":"en","#xml":"a <b>c</b>"}"##) == "<Do lang=\"en\">a <b>c</b></Do>")
        #expect(try await service.decoded("<t:Do>only text</t:Do>") == ##"{"#text":"only text"}"##)
        #expect(
            try await service.decoded("<t:Do lang='en'>a <t:b>c</t:b> d</t:Do>")
                == ##"{"@lang":"en","#xml":"a <t:b xmlns:t=\"urn:t\">c</t:b> d"}"##)
    }

    /// A line end in an attribute that was not written as a reference would come back as a space.
    @Test func lineEndsInMarkupComeBack() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"xs:anyType\"/></xs:sequence>")
        let markup = "x<b a=\"1&#10;2&#9;3\">y&#13;z</b>"
        let json = try await service.decoded("<t:Do><t:v>\(markup)</t:v></t:Do>")
        #expect(json.contains("1&#10;2&#9;3") && json.contains("y&#13;z"), "\(json)")
        #expect(try service.encoded(json).contains(markup))
    }

    @Test func simpleContentHasAttributes() async throws {
        let service = try service(
            type:
                "<xs:simpleContent><xs:extension base=\"t:Base\"><xs:attribute name=\"unit\" use=\"required\"/></xs:extension></xs:simpleContent>",
            also:
                "<xs:complexType name=\"Base\"><xs:simpleContent><xs:extension base=\"xs:decimal\"><xs:attribute name=\"exact\" type=\"xs:boolean\"/></xs:extension></xs:simpleContent></xs:complexType>"
        )
        let json = ##"{"@exact":true,"@unit":"kg","#text":1.50}"##
        #expect(try service.encoded(json) == "<Do exact=\"true\" unit=\"kg\">1.50</Do>")
        #expect(
            try await service.decoded("<t:Do unit=\"kg\" exact=\"1\">1.50</t:Do>")
                == ##"{"@unit":"kg","@exact":true,"#text":1.50}"##)
        #expect(try service.refusal(#"1.5"#)?.message.contains("‘@unit’ is missing") == true)
        #expect(try service.refusal(#"{"@unit":"kg"}"#)?.message.contains("#text") == true)
        #expect(try service.refusal(##"{"@unit":"kg","#text":1,"a":2}"##)?.code == .unknownName)
    }
}
