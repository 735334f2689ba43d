import SignetDynamic
import Testing

/// Schemas come from others: none may take time or memory without end.
@Suite struct HostileSchemaTests {
    private func check(_ content: String, _ code: DynamicError.Code) throws {
        let service = try service(content)
        let error = #expect(throws: DynamicError.self) { try service.sample(of: "Do") }
        #expect(error?.code == code)
        #expect(try service.refusal(#"{"a":1}"#)?.code == code)
    }

    @Test func circlesOfTypesEnd() throws {
        try check(
            """
            <xs:element name="Do" type="t:A"/>
            <xs:complexType name="A"><xs:complexContent><xs:extension base="t:B"/></xs:complexContent></xs:complexType>
            <xs:complexType name="B"><xs:complexContent><xs:extension base="t:A"/></xs:complexContent></xs:complexType>
            """, .brokenSchema)
        try check(
            """
            <xs:element name="Do" type="t:A"/>
            <xs:simpleType name="A"><xs:restriction base="t:B"/></xs:simpleType><xs:simpleType name="B"><xs:restriction base="t:A"/></xs:simpleType>
            """, .brokenSchema)
        try check(
            "<xs:element name=\"Do\" type=\"t:A\"/><xs:simpleType name=\"A\"><xs:union memberTypes=\"t:A t:A t:A\"/></xs:simpleType>",
            .brokenSchema)
    }

    @Test func circlesOfGroupsEnd() throws {
        try check(
            """
            <xs:element name="Do"><xs:complexType><xs:group ref="t:g"/></xs:complexType></xs:element>
            <xs:group name="g"><xs:sequence><xs:group ref="t:g"/></xs:sequence></xs:group>
            """, .brokenSchema)
    }

    @Test func groupsThatMultiplyAreBounded() throws {
        let groups = (0..<20).map { number in
            "<xs:group name=\"g\(number)\"><xs:sequence><xs:group ref=\"t:g\(number + 1)\"/><xs:group ref=\"t:g\(number + 1)\"/></xs:sequence></xs:group>"
        }
        try check(
            "<xs:element name=\"Do\"><xs:complexType><xs:group ref=\"t:g0\"/></xs:complexType></xs:element>"
                + groups.joined() + "<xs:group name=\"g20\"><xs:sequence/></xs:group>", .limitExceeded)
    }

    @Test(arguments: [7, 30]) func unionsThatMultiplyAreBounded(levels: Int) throws {
        let unions = (0..<levels).map { number in
            "<xs:simpleType name=\"U\(number)\"><xs:union memberTypes=\"t:U\(number + 1) t:U\(number + 1) t:U\(number + 1)\"/></xs:simpleType>"
        }
        let last = "<xs:simpleType name=\"U\(levels)\"><xs:restriction base=\"xs:int\"/></xs:simpleType>"
        let element = "<xs:element name=\"Do\" type=\"t:U0\"/>"
        let service = try service(element + unions.joined() + last)
        let error = #expect(throws: DynamicError.self) { try service.sample(of: "Do") }
        #expect(error?.code == .limitExceeded)
        #expect(try service.refusal("1")?.code == .limitExceeded)
    }

    @Test func listsOfListsAreRefused() throws {
        try check(
            """
            <xs:element name="Do" type="t:A"/><xs:simpleType name="A"><xs:list itemType="t:B"/></xs:simpleType>
            <xs:simpleType name="B"><xs:list itemType="xs:int"/></xs:simpleType>
            """, .brokenSchema)
    }

    @Test func examplesThatMultiplyAreBounded() throws {
        let types = (0..<15).map { number in
            let parts = ["a", "b", "c"].map { "<xs:element name=\"\($0)\" type=\"t:T\(number + 1)\"/>" }
            return "<xs:complexType name=\"T\(number)\"><xs:sequence>\(parts.joined())</xs:sequence></xs:complexType>"
        }
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:T0\"/>" + types.joined()
                + "<xs:complexType name=\"T15\"><xs:sequence/></xs:complexType>")
        let error = #expect(throws: DynamicError.self) { try service.sample(of: "Do") }
        #expect(error?.code == .limitExceeded)
    }

    @Test func nestedChoicesAreTriedOnce() throws {
        let open = String(repeating: "<xs:choice>", count: 28)
        let close = (0..<28).map { "<xs:element name=\"e\($0)\" type=\"xs:int\"/></xs:choice>" }
        let service = try service(type: "\(open)<xs:element name=\"a\" type=\"xs:int\"/>\(close.joined())")
        #expect(try service.encoded(#"{"a":1}"#) == "<Do><a>1</a></Do>")
        #expect(try service.encoded(#"{"e27":1}"#) == "<Do><e27>1</e27></Do>")
        #expect(try service.refusal(#"{"a":1,"e3":1}"#)?.code == .invalidValue)
        #expect(try service.refusal("{}")?.code == .missing)
    }

    @Test func undefinedComponentsAreReported() throws {
        try check("<xs:element name=\"Do\" type=\"t:None\"/>", .brokenSchema)
        try check(
            "<xs:element name=\"Do\"><xs:complexType><xs:sequence><xs:element ref=\"t:none\"/></xs:sequence></xs:complexType></xs:element>",
            .brokenSchema)
        try check(
            "<xs:element name=\"Do\"><xs:complexType><xs:attribute ref=\"t:none\"/></xs:complexType></xs:element>",
            .brokenSchema)
        try check(
            "<xs:element name=\"Do\"><xs:complexType><xs:attributeGroup ref=\"t:none\"/></xs:complexType></xs:element>",
            .brokenSchema)
    }

    @Test func substitutionGroupsInACircleEnd() throws {
        let service = try service(
            type: "<xs:sequence><xs:element ref=\"t:x\"/></xs:sequence>",
            also:
                "<xs:element name=\"x\" type=\"xs:int\" substitutionGroup=\"t:y\"/><xs:element name=\"y\" type=\"xs:int\" substitutionGroup=\"t:x\"/>"
        )
        #expect(try service.encoded(#"{"y":1}"#) == "<Do><y>1</y></Do>")
    }

    @Test func attributeGroupsInACircleEnd() throws {
        let service = try service(
            type: "<xs:attributeGroup ref=\"t:a\"/>",
            also:
                "<xs:attributeGroup name=\"a\"><xs:attributeGroup ref=\"t:a\"/><xs:attribute name=\"b\"/></xs:attributeGroup>"
        )
        #expect(try service.encoded(#"{"@b":"1"}"#) == "<Do b=\"1\"></Do>")
    }

    @Test func hugeOccurrenceLimitsCostNothing() throws {
        let service = try service(
            type:
                "<xs:sequence minOccurs=\"999999999\" maxOccurs=\"999999999999999999999\"><xs:element name=\"a\" type=\"xs:int\" minOccurs=\"0\"/></xs:sequence>"
        )
        #expect(try service.encoded(#"{"a":[1,2]}"#) == "<Do><a>1</a><a>2</a></Do>")
        #expect(try service.sample(of: "Do")["a"]?[0] == 1)
    }

    @Test func aTypeThatRequiresItselfHasNoSample() throws {
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:T\"/><xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" type=\"t:T\"/></xs:sequence></xs:complexType>"
        )
        let error = #expect(throws: DynamicError.self) { try service.sample(of: "Do") }
        #expect(error?.message.contains("contains itself") == true)
    }

    @Test(arguments: [
        "[a-z]{3,5}", "\\d{4}-\\d{2}", "(A|B)[0-9]+", "[^a]x?", "a\\.b", "\\p{Lu}\\p{Ll}*", "[a-zA-Z0-9]{18}",
        "(ab){2}c", "[0-9A-F\\-]{2}",
        ".{1,3}", "[+-]?\\d+",
    ])
    func examplesFollowSimplePatterns(pattern: String) throws {
        let service = try service(
            "<xs:element name=\"Do\"><xs:simpleType><xs:restriction base=\"xs:string\"><xs:pattern value=\"\(pattern)\"/></xs:restriction></xs:simpleType></xs:element>"
        )
        let text = try #require(try service.sample(of: "Do").text)
        #expect(try Regex(pattern).wholeMatch(in: text) != nil, "\(text)")
    }

    @Test(arguments: [
        "(", "[", "a{", "a{9999999}", "*", "[z-a]", "\\", "[a-z-[b]]", "\\p{Unknown}",
        String(repeating: "(", count: 900), "(a{4000}){4000}",
    ])
    func oddPatternsAreLeftAlone(pattern: String) throws {
        let service = try service(
            "<xs:element name=\"Do\"><xs:simpleType><xs:restriction base=\"xs:string\"><xs:pattern value=\"\(pattern)\"/></xs:restriction></xs:simpleType></xs:element>"
        )
        #expect(try service.sample(of: "Do") == "string")
    }
}
