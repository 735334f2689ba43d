import SignetDynamic
import Testing

@Suite struct DecodingTests {
    @Test(arguments: [
        ("xs:int", "  +007 ", "7"), ("xs:decimal", "-.50", "-0.50"), ("xs:decimal", "12.", "12"),
        ("xs:decimal", "00", "0"),
        ("xs:integer", "123456789012345678901234567890", "123456789012345678901234567890"),
        ("xs:double", "1E05", "1e05"),
        ("xs:double", "-INF", #""-INF""#), ("xs:double", "NaN", #""NaN""#), ("xs:boolean", "1", "true"),
        ("xs:boolean", " false ", "false"),
        ("xs:string", "  a  b ", #""  a  b ""#), ("xs:token", "  a  b ", #""a b""#),
        ("xs:date", "2024-02-29", #""2024-02-29""#),
        ("xs:QName", "t:name", #""{urn:t}name""#), ("xs:QName", "name", #""name""#),
        ("xs:NMTOKENS", "a b", #"["a","b"]"#),
        // What does not fit its type is kept as it came.
        ("xs:int", "many", #""many""#), ("xs:int", "", #""""#), ("xs:boolean", "yes", #""yes""#),
        ("xs:int", "99999999999", #""99999999999""#),
    ])
    func simpleValues(type: String, text: String, json: String) async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"\(type)\"/></xs:sequence>")
        #expect(try await service.decoded("<t:Do><t:v>\(text)</t:v></t:Do>") == "{\"v\":\(json)}")
    }

    /// XML Schema Structures §3.3.1.
    @Test func anElementWithNothingInItHasItsDefault() async throws {
        let service = try service(
            type: """
                <xs:sequence><xs:element name="n" type="xs:int" default="7"/><xs:element name="f" type="xs:string" fixed="x" nillable="true"/>
                <xs:element name="c" default="2" minOccurs="0"><xs:complexType><xs:simpleContent><xs:extension base="xs:int">
                <xs:attribute name="a"/></xs:extension></xs:simpleContent></xs:complexType></xs:element>
                <xs:element name="q" type="xs:QName" default="t:blue" minOccurs="0"/></xs:sequence>
                """)
        #expect(
            try await service.decoded("<t:Do><t:n/><t:f></t:f><t:c a='1'/></t:Do>")
                == ##"{"n":7,"f":"x","c":{"@a":"1","#text":2}}"##)
        // A prefix of the schema may mean another thing in the message.
        #expect(try await service.decoded("<t:Do><t:n>1</t:n><t:f/><t:q/></t:Do>") == #"{"n":1,"f":"x","q":""}"#)
        #expect(
            try await service.decoded("<t:Do><t:n> </t:n><t:f xsi:nil='true'/></t:Do>") == #"{"n":"","f":null}"#)
    }

    private func list() throws -> DynamicService {
        try service(
            type: """
                <xs:sequence><xs:element name="a" type="xs:int" minOccurs="0" maxOccurs="2" nillable="true"/><xs:element name="b" minOccurs="0">
                <xs:complexType><xs:choice maxOccurs="unbounded"><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:int"/></xs:choice></xs:complexType>
                </xs:element></xs:sequence>
                """)
    }

    @Test func repeatableElementsAreAlwaysArrays() async throws {
        let service = try list()
        #expect(try await service.decoded("<t:Do><t:a>1</t:a></t:Do>") == #"{"a":[1]}"#)
        #expect(
            try await service.decoded("<t:Do><t:a xsi:nil='true'/><t:b><t:y>2</t:y><t:x>1</t:x></t:b></t:Do>")
                == #"{"a":[null],"b":{"y":[2],"x":[1]}}"#)
        #expect(try await service.decoded("<t:Do/>") == "{}")
    }

    @Test func unknownContentIsKept() async throws {
        let service = try list()
        #expect(
            try await service.decoded(
                "<t:Do new='1' t:newer='2'><t:new>3</t:new><more xmlns='urn:m'><a>4</a><a>5</a><t:b/></more><t:a>6</t:a></t:Do>"
            )
                == #"{"@new":"1","@{urn:t}newer":"2","{urn:t}new":"3","{urn:m}more":{"a":["4","5"],"{urn:t}b":""},"a":[6]}"#
        )
        // Elements where a number is expected, text where elements are.
        #expect(try await service.decoded("<t:Do><t:a><t:c>1</t:c></t:a></t:Do>") == #"{"a":[{"c":"1"}]}"#)
        #expect(try await service.decoded("<t:Do>text<t:a>1</t:a></t:Do>") == ##"{"#text":"text","a":[1]}"##)
    }

    @Test func aTypeThatNoSchemaHasIsKeptByItsName() async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"xs:anyType\"/></xs:sequence>")
        #expect(
            try await service.decoded("<t:Do><t:v xsi:type='o:T' xmlns:o='urn:o'><o:a>1</o:a></t:v></t:Do>")
                == #"{"v":{"@type":"{urn:o}T","{urn:o}a":"1"}}"#)
        #expect(
            try await service.decoded("<t:Do><t:v xsi:type='xs:boolean'>1</t:v></t:Do>")
                == ##"{"v":{"@type":"xs:boolean","#text":true}}"##)
    }

    @Test func attributesOfASimpleTypeAreKept() async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"xs:decimal\"/></xs:sequence>")
        #expect(
            try await service.decoded("<t:Do><t:v currency='EUR'>5</t:v></t:Do>")
                == ##"{"v":{"@currency":"EUR","#text":5}}"##)
        #expect(try await service.decoded("<t:Do><t:v xsi:schemaLocation='a b'>5</t:v></t:Do>") == #"{"v":5}"#)
    }

    @Test func attributesOfANilElementAreKept() async throws {
        let service = try service(
            type: """
                <xs:sequence><xs:element name="v" nillable="true" minOccurs="0"><xs:complexType><xs:sequence><xs:element name="a"/></xs:sequence>
                <xs:attribute name="n" type="xs:int"/></xs:complexType></xs:element><xs:element name="w" type="xs:int" nillable="true" minOccurs="0"/></xs:sequence>
                """)
        let json = #"{"v":{"@n":1,"@xsi:nil":true}}"#
        #expect(try await service.decoded("<t:Do><t:v n='1' xsi:nil='true'/></t:Do>") == json)
        #expect(try service.encoded(json) == #"<Do><v xsi:nil="true" n="1"></v></Do>"#)
        #expect(try await service.decoded("<t:Do><t:v xsi:nil='true'/></t:Do>") == #"{"v":null}"#)
        #expect(
            try await service.decoded("<t:Do><t:w reason='x' xsi:nil='1'/></t:Do>")
                == #"{"w":{"@reason":"x","@xsi:nil":true}}"#)
        #expect(try service.encoded(#"{"w":{"@xsi:nil":true}}"#) == #"<Do><w xsi:nil="true"></w></Do>"#)
        #expect(try service.encoded(##"{"w":{"@xsi:nil":false,"#text":1}}"##) == "<Do><w>1</w></Do>")
        #expect(try service.refusal(#"{"v":{"a":"x","@xsi:nil":true}}"#)?.code == .invalidValue)
        #expect(try service.refusal(#"{"v":{"@xsi:nil":"yes"}}"#)?.code == .invalidValue)
        #expect(try service.refusal(#"{"w":{"@x":"1","@xsi:nil":true}}"#)?.code == .unknownName)
    }

    @Test func theNameOfATypeAndAnAttributeOfThatNameStandApart() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"obj\" type=\"t:Base\"/></xs:sequence>",
            also: """
                <xs:complexType name="Base"><xs:sequence/></xs:complexType><xs:complexType name="Derived"><xs:complexContent>
                <xs:extension base="t:Base"><xs:attribute name="type"/></xs:extension></xs:complexContent></xs:complexType>
                """)
        let json = #"{"obj":{"@xsi:type":"Derived","@type":"attr"}}"#
        #expect(try await service.decoded("<t:Do><t:obj xsi:type='t:Derived' type='attr'/></t:Do>") == json)
        #expect(try service.encoded(json) == #"<Do><obj xsi:type="d1:Derived" type="attr"></obj></Do>"#)
        #expect(try service.encoded(#"{"obj":{"@type":"attr","@xsi:type":"Derived"}}"#).contains("type=\"attr\""))
    }

    /// Each element keeps its own declarations only; those around it are still found, and the innermost counts.
    @Test func namespacesDeclaredInManyPlacesAreFound() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"xs:QName\" maxOccurs=\"unbounded\"/></xs:sequence>")
        let values =
            "<t:v xmlns:o='urn:o'>o:a</t:v><t:v xmlns:p='urn:p'>o:b</t:v><t:v>p:c</t:v><t:v xmlns='urn:d'>d</t:v>"
        #expect(
            try await service.decoded("<t:Do xmlns:o='urn:outer'>\(values)</t:Do>")
                == #"{"v":["{urn:o}a","{urn:outer}b","p:c","{urn:d}d"]}"#)
    }

    @Test func depthIsBounded() async throws {
        let service = try service(type: "<xs:sequence><xs:element name=\"v\" type=\"xs:anyType\"/></xs:sequence>")
        let deep = String(repeating: "<a>", count: 150) + String(repeating: "</a>", count: 150)
        let error = await #expect(throws: DynamicError.self) {
            try await service.decoded("<t:Do><t:v>\(deep)</t:v></t:Do>")
        }
        #expect(error?.code == .limitExceeded)
    }

    /// A thousand times the element takes about a thousand times the time, not a million.
    @Test func longListsAreRead() async throws {
        let service = try service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"xs:int\" maxOccurs=\"unbounded\"/></xs:sequence>")
        let answer = try await service.decoded("<t:Do>\(String(repeating: "<t:v>1</t:v>", count: 50_000))</t:Do>")
        #expect(try DynamicValue(json: answer)["v"]?[49_999] == 1)
        #expect(try service.encoded(answer).count == 50_000 * 8 + 9)
    }
}
