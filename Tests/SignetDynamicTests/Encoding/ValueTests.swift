import SignetDynamic
import SignetXML
import Testing

/// Values are checked against the lexical spaces of their types.
@Suite struct ValueTests {
    private func service(of type: String, more: String = "") throws -> DynamicService {
        try SignetDynamicTests.service(
            type: "<xs:sequence><xs:element name=\"v\" type=\"\(type)\" nillable=\"true\"/></xs:sequence>", also: more)
    }

    @Test(arguments: [
        ("xs:string", #""""#, ""), ("xs:string", #"" <&> ""#, " &lt;&amp;&gt; "), ("xs:int", "-5", "-5"),
        ("xs:int", #""007""#, "007"),
        ("xs:decimal", "12.500000000000000000000001", "12.500000000000000000000001"), ("xs:double", "1e300", "1e300"),
        ("xs:double", #""-INF""#, "-INF"), ("xs:boolean", "false", "false"), ("xs:boolean", #""1""#, "1"),
        ("xs:date", #""2024-02-29Z""#, "2024-02-29Z"),
        ("xs:dateTime", #""2024-02-29T24:00:00+14:00""#, "2024-02-29T24:00:00+14:00"),
        ("xs:time", #""23:59:59.5""#, "23:59:59.5"), ("xs:gYear", #""2024Z""#, "2024Z"),
        ("xs:gYearMonth", #""2024-12-05:00""#, "2024-12-05:00"),
        ("xs:gMonthDay", #""--02-29""#, "--02-29"), ("xs:gDay", #""---31""#, "---31"),
        ("xs:gMonth", #""--12""#, "--12"),
        ("xs:duration", #""-P1Y2M3DT4H5M6.7S""#, "-P1Y2M3DT4H5M6.7S"), ("xs:hexBinary", #""0aFF""#, "0aFF"),
        ("xs:base64Binary", #""U2ln""#, "U2ln"), ("xs:anyURI", #""a b""#, "a b"),
        ("xs:NMTOKENS", #"["a","b:c"]"#, "a b:c"),
        ("xs:integer", "123456789012345678901234567890", "123456789012345678901234567890"),
        ("xs:language", #""de-AT""#, "de-AT"),
    ])
    func goodValues(type: String, json: String, text: String) throws {
        #expect(try service(of: type).encoded("{\"v\":\(json)}") == "<Do><v>\(text)</v></Do>")
    }

    @Test(arguments: [
        ("xs:int", "2147483648"), ("xs:int", "1.0"), ("xs:int", "1e3"), ("xs:int", "true"), ("xs:int", #""""#),
        ("xs:unsignedByte", "-1"),
        ("xs:decimal", "1e3"), ("xs:decimal", #""INF""#), ("xs:double", #""Infinity""#), ("xs:boolean", "1"),
        ("xs:boolean", #""yes""#),
        ("xs:string", "815"), ("xs:string", "true"), ("xs:string", "{}"), ("xs:date", #""2023-02-29""#),
        ("xs:date", #""29.02.2024""#),
        ("xs:dateTime", #""2024-02-29""#), ("xs:time", #""24:00:01""#), ("xs:gYear", #""24""#),
        ("xs:gMonthDay", #""02-29""#),
        ("xs:gMonth", #""--13""#), ("xs:gDay", #""---32""#), ("xs:duration", #""P""#), ("xs:duration", #""P1YT""#),
        ("xs:duration", #""PT1.5M""#),
        ("xs:duration", #""P1D1Y""#), ("xs:hexBinary", #""0""#), ("xs:base64Binary", #""!""#), ("xs:NCName", #""a:b""#),
        ("xs:ID", #""1""#),
        ("xs:positiveInteger", "0"), ("xs:negativeInteger", "0"), ("xs:nonNegativeInteger", "-1"),
        ("xs:nonPositiveInteger", "1"),
        ("xs:language", #""deutsch!""#), ("xs:string", #""\u0000""#), ("xs:NMTOKEN", #""a b""#), ("xs:int", "[1]"),
    ])
    func badValues(type: String, json: String) throws {
        let error = try #require(try service(of: type).refusal("{\"v\":\(json)}"), "\(type) \(json)")
        #expect(error.code == .invalidValue)
        #expect(error.path == "Do.v")
    }

    @Test func nilIsNull() throws {
        #expect(try service(of: "xs:int").encoded("{\"v\":null}") == #"<Do><v xsi:nil="true"></v></Do>"#)
    }

    @Test(arguments: [
        (
            "<xs:enumeration value=\"A\"/><xs:enumeration value=\"B\"/>", "xs:string", #""B""#, #""C""#,
            "one of ‘A’ and ‘B’ is expected, not ‘C’."
        ),
        (
            "<xs:enumeration value=\"+1.50\"/><xs:enumeration value=\"1E3\"/>", "xs:double", "1.5", "1.6",
            "one of ‘+1.50’ and ‘1E3’ is expected, not ‘1.6’."
        ),
        (
            "<xs:maxLength value=\"2\"/>", "xs:string", #""éé""#, #""abc""#,
            "at most 2 characters are expected, not ‘abc’."
        ),
        ("<xs:length value=\"3\"/>", "xs:token", #"" a  c ""#, #""ab""#, "at least 3 characters"),
        (
            "<xs:totalDigits value=\"3\"/><xs:fractionDigits value=\"1\"/>", "xs:decimal", "12.50", "1.25",
            "at most 1 digits behind the point"
        ),
        ("<xs:totalDigits value=\"3\"/>", "xs:decimal", "-123", "1234", "at most 3 digits"),
        ("<xs:minInclusive value=\"5\"/><xs:maxExclusive value=\"10\"/>", "xs:int", "5", "10", "a number less than 10"),
        ("<xs:minExclusive value=\"0.5\"/>", "xs:double", "0.6", "0.5", "a number greater than 0.5"),
        ("<xs:length value=\"2\"/>", "xs:hexBinary", #""0102""#, #""01""#, "at least 2 bytes"),
        (
            "<xs:minInclusive value=\"P1D\"/><xs:maxExclusive value=\"P1Y\"/>", "xs:duration", #""PT24H""#, #""PT23H""#,
            "a value not less than P1D is expected"
        ),
        (
            "<xs:maxExclusive value=\"2025-06-01\"/>", "xs:date", #""2025-05-31""#, #""2025-06-01""#,
            "a value less than 2025-06-01 is expected"
        ),
        ("", "xs:NMTOKENS", #"["a"]"#, "[]", "at least 1 items are expected"),
    ])
    func facets(facets: String, base: String, good: String, bad: String, message: String) throws {
        let service = try service(
            of: "t:T",
            more:
                "<xs:simpleType name=\"T\"><xs:restriction base=\"\(base)\">\(facets)</xs:restriction></xs:simpleType>")
        #expect(try service.refusal("{\"v\":\(good)}") == nil)
        let error = try #require(try service.refusal("{\"v\":\(bad)}"))
        #expect(error.message.contains(message), "\(error.message)")
    }

    /// Bounds that say nothing refuse nothing.
    @Test(arguments: [
        ("<xs:minInclusive value=\"1900-01-01\"/>", "xs:dateTime", "2025-01-31T12:00:00Z"),
        ("<xs:maxInclusive value=\"31.12.2099\"/>", "xs:date", "2025-01-31"),
        ("<xs:minInclusive value=\"0\"/>", "xs:string", "a"),
    ])
    func malformedBoundsAreIgnored(facet: String, base: String, value: String) throws {
        let service = try service(
            of: "t:T",
            more: "<xs:simpleType name=\"T\"><xs:restriction base=\"\(base)\">\(facet)</xs:restriction></xs:simpleType>"
        )
        #expect(try service.refusal("{\"v\":\"\(value)\"}") == nil)
    }

    @Test func listsAndUnions() throws {
        let service = try service(
            of: "t:L",
            more: """
                <xs:simpleType name="L"><xs:restriction><xs:simpleType><xs:list itemType="t:U"/></xs:simpleType><xs:maxLength value="3"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="U"><xs:union memberTypes="xs:int t:E"/></xs:simpleType>
                <xs:simpleType name="E"><xs:restriction base="xs:string"><xs:enumeration value="all"/></xs:restriction></xs:simpleType>
                """)
        #expect(try service.encoded(#"{"v":[1,"all"]}"#) == "<Do><v>1 all</v></Do>")
        #expect(try service.encoded(#"{"v":"1 2"}"#) == "<Do><v>1 2</v></Do>")
        #expect(try service.encoded(#"{"v":[]}"#) == "<Do><v></v></Do>")
        #expect(try service.refusal(#"{"v":[1,"some"]}"#)?.path == "Do.v[1]")
        #expect(try service.refusal(#"{"v":[1,2,3,4]}"#)?.message.contains("at most 3 items") == true)
    }

    @Test func qualifiedNamesAreWrittenWithTheirNamespaces() throws {
        let body = try DynamicClient(try service(of: "xs:QName")).body(of: "Do", ["v": "{urn:other}name"])
        let value = try #require(body.children.first)
        let parts = value.text.split(separator: ":")
        #expect(parts.last == "name")
        #expect(String(decoding: body.bytes, as: UTF8.self).contains("xmlns:\(parts[0])=\"urn:other\""))
    }

    /// A name without a prefix is in the default namespace of the place where the schema writes it.
    @Test func qualifiedNamesAreComparedByTheirNamespaces() throws {
        let service = try service(
            of: "t:Q",
            more: """
                <xs:simpleType name="Q"><xs:restriction base="xs:QName"><xs:enumeration value="t:a"/>
                <xs:enumeration xmlns="urn:d" value="b"/><xs:enumeration xmlns="" value="c"/></xs:restriction></xs:simpleType>
                """)
        for name in ["{urn:t}a", "{urn:d}b", "c"] {
            #expect(throws: Never.self, "\(name)") { try DynamicClient(service).body(of: "Do", ["v": .string(name)]) }
        }
        for name in ["a", "b", "{urn:t}b", "{urn:d}c"] {
            #expect(throws: DynamicError.self, "\(name)") {
                try DynamicClient(service).body(of: "Do", ["v": .string(name)])
            }
        }
    }

    /// XML Schema Part 1 §3.2.4 and §3.3.4: the values count, not how they are written.
    @Test func fixedValuesAreCompared() throws {
        let service = try SignetDynamicTests.service(
            type: """
                <xs:sequence><xs:element name="n" type="xs:int" fixed="042"/><xs:element name="l" type="xs:NMTOKENS" fixed="a  b"/>
                <xs:element name="q" type="xs:QName" fixed="t:x" minOccurs="0"/></xs:sequence>
                <xs:attribute name="b" type="xs:boolean" fixed="1"/>
                """)
        #expect(try service.encoded(#"{"@b":true,"n":42,"l":["a","b"]}"#).contains("42"))
        #expect(try service.encoded(#"{"@b":"1","n":"042","l":"a b","q":"{urn:t}x"}"#).contains("042"))
        #expect(try service.refusal(#"{"n":43,"l":["a","b"]}"#)?.path == "Do.n")
        #expect(try service.refusal(#"{"n":42,"l":["a","b","c"]}"#)?.path == "Do.l")
        #expect(try service.refusal(#"{"@b":false,"n":42,"l":["a","b"]}"#)?.message.contains("fixed") == true)
        #expect(throws: Never.self) { try DynamicClient(service).body(of: "Do", try service.sample(of: "Do")) }
    }

    /// XML Schema Part 1 §3.4.2: an extension lets in what its base does too, groups only what all let in.
    @Test func attributeWildcardsAreCombined() throws {
        let service = try SignetDynamicTests.service(
            type: """
                <xs:complexContent><xs:extension base="t:Base"><xs:attributeGroup ref="t:G"/>
                <xs:anyAttribute namespace="urn:b urn:c" processContents="lax"/></xs:extension></xs:complexContent>
                """,
            also: """
                <xs:complexType name="Base"><xs:anyAttribute namespace="urn:a" processContents="lax"/></xs:complexType>
                <xs:attributeGroup name="G"><xs:anyAttribute namespace="urn:b urn:d" processContents="lax"/></xs:attributeGroup>
                """)
        for name in ["urn:a", "urn:b"] {
            #expect(throws: Never.self, "\(name)") {
                try DynamicClient(service).body(of: "Do", .object([.init("@{\(name)}z", "1")]))
            }
        }
        for name in ["urn:c", "urn:d"] { #expect(try service.refusal("{\"@{\(name)}z\":\"1\"}") != nil, "\(name)") }
    }

    @Test func samplesEndWithNilAndHoldAsManyAsAreRequired() throws {
        let recursive = try SignetDynamicTests.service(
            type: "<xs:sequence><xs:element name=\"n\" type=\"t:N\"/></xs:sequence>",
            also: """
                <xs:complexType name="N"><xs:sequence><xs:element name="m" type="t:N" nillable="true"/></xs:sequence></xs:complexType>
                """)
        #expect(throws: Never.self) { try DynamicClient(recursive).body(of: "Do", try recursive.sample(of: "Do")) }
        let wild = try SignetDynamicTests.service(
            type: "<xs:sequence><xs:any minOccurs=\"2\" maxOccurs=\"3\" processContents=\"lax\"/></xs:sequence>")
        #expect(throws: Never.self) { try DynamicClient(wild).body(of: "Do", try wild.sample(of: "Do")) }
        let empty = try service(
            of: "t:L",
            more:
                "<xs:simpleType name=\"L\"><xs:restriction><xs:simpleType><xs:list itemType=\"xs:int\"/></xs:simpleType>"
                + "<xs:length value=\"0\"/></xs:restriction></xs:simpleType>")
        #expect(throws: Never.self) { try DynamicClient(empty).body(of: "Do", try empty.sample(of: "Do")) }
        let needsMore = try SignetDynamicTests.service(
            type: "<xs:sequence><xs:element name=\"n\" type=\"t:N\"/></xs:sequence>",
            also: """
                <xs:complexType name="N"><xs:sequence><xs:element name="m" type="t:N" nillable="true"/></xs:sequence>
                <xs:attribute name="a" use="required"/></xs:complexType>
                """)
        #expect(throws: DynamicError.self) { try needsMore.sample(of: "Do") }
    }

    /// A schema that is wrong is no reason to stop the program.
    @Test(arguments: ["length", "minLength", "maxLength"]) func negativeLengthsAreIgnored(facet: String) throws {
        for base in ["xs:NMTOKENS", "xs:hexBinary", "xs:string", "xs:base64Binary"] {
            let service = try service(
                of: "t:L",
                more: "<xs:simpleType name=\"L\"><xs:restriction base=\"\(base)\"><xs:\(facet) value=\"-1\"/>"
                    + "</xs:restriction></xs:simpleType>")
            #expect(throws: Never.self) { try service.sample(of: "Do") }
        }
    }

    @Test func secretsAreNotRepeated() throws {
        let service = try SignetDynamicTests.service(
            type:
                "<xs:sequence><xs:element name=\"password\"><xs:simpleType><xs:restriction base=\"xs:string\"><xs:maxLength value=\"3\"/></xs:restriction></xs:simpleType></xs:element></xs:sequence>"
        )
        let error = try #require(try service.refusal(#"{"password":"geheim"}"#))
        #expect(!"\(error)".contains("geheim"))
        #expect(error.path == "Do.password")
    }
}
