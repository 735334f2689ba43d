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

    private func list() throws -> DynamicService {
        try service(
            type: """
                <xs:sequence><xs:element name="a" type="xs:int" minOccurs="0" maxOccurs="2" nillable="true"/><xs:element name="b" minOccurs="0">
                <xs:complexType><xs:choice maxOccurs="unbounded"><xs:element name="x" type="xs:int"/><xs:element name="y" type="xs:int"/></xs:choice></xs:complexType>
                </xs:element></xs:sequence>
                """)
    }

    @Test func whatMayBeRepeatedIsAlwaysAnArray() async throws {
        let service = try list()
        #expect(try await service.decoded("<t:Do><t:a>1</t:a></t:Do>") == #"{"a":[1]}"#)
        #expect(
            try await service.decoded("<t:Do><t:a xsi:nil='true'/><t:b><t:y>2</t:y><t:x>1</t:x></t:b></t:Do>")
                == #"{"a":[null],"b":{"y":[2],"x":[1]}}"#)
        #expect(try await service.decoded("<t:Do/>") == "{}")
    }

    @Test func whatIsUnknownIsKept() async throws {
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
