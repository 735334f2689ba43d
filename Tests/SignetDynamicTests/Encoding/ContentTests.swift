import SignetDynamic
import SignetXML
import Testing

/// Objects become elements in the schema's order, whatever the order of their keys.
@Suite struct ContentTests {
    @Test func sequencesAreOrderedByTheSchema() throws {
        let service = try service(
            type: """
                <xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:string" minOccurs="0"/>
                <xs:element name="c" type="xs:boolean" maxOccurs="3"/></xs:sequence>
                """)
        #expect(try service.encoded(#"{"c":[true,false],"a":1}"#) == "<Do><a>1</a><c>true</c><c>false</c></Do>")
        #expect(try service.encoded(#"{"c":true,"b":"","a":1}"#) == "<Do><a>1</a><b></b><c>true</c></Do>")
    }

    @Test(arguments: [
        (#"{"c":true}"#, DynamicError.Code.missing, "Do", "the required element ‘a’ is missing."),
        (#"{"a":1}"#, .missing, "Do", "‘c’"), (#"{"a":1,"c":[]}"#, .missing, "Do", "‘c’"),
        (#"{"a":1,"c":[true,true,true,true]}"#, .invalidValue, "Do.c[3]", "at most 3"),
        (#"{"a":[1],"c":true}"#, .invalidValue, "Do.a", "one value is expected"),
        (#"{"a":1,"c":true,"B":""}"#, .unknownName, "Do", "Did you mean ‘b’? Expected keys: ‘a’, ‘b’ and ‘c’."),
        (#"{"a":1,"c":true,"@x":""}"#, .unknownName, "Do", "‘@x’"),
        (##"{"a":1,"c":true,"#text":""}"##, .unknownName, "Do", "#text"),
        (#"{"a":null,"c":true}"#, .invalidValue, "Do.a", "not nillable"),
        (#"[1]"#, .invalidValue, "Do", "an object is expected"),
        (#""text""#, .invalidValue, "Do", "expected keys: ‘a’"),
        (#"{"a":{},"c":true}"#, .invalidValue, "Do.a", "a number is expected (xs:int)"),
        (#"{"a":"1x","c":true}"#, .invalidValue, "Do.a", "a value of xs:int is expected, not ‘1x’."),
    ])
    func defectsNameTheirPlace(json: String, code: DynamicError.Code, path: String, message: String) throws {
        let service = try service(
            type: """
                <xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:string" minOccurs="0"/>
                <xs:element name="c" type="xs:boolean" maxOccurs="3"/></xs:sequence>
                """)
        let error = try #require(try service.refusal(json))
        #expect(error.code == code)
        #expect(error.path == path)
        #expect(error.message.contains(message), "\(error.message)")
    }

    @Test func aChoiceTakesTheBranchThatFits() throws {
        let service = try service(
            type: """
                <xs:choice><xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:sequence>
                <xs:sequence><xs:element name="c" type="xs:int"/><xs:element name="d" type="xs:int" minOccurs="0"/></xs:sequence>
                </xs:choice>
                """)
        #expect(try service.encoded(#"{"b":2,"a":1}"#) == "<Do><a>1</a><b>2</b></Do>")
        #expect(try service.encoded(#"{"c":1}"#) == "<Do><c>1</c></Do>")
        #expect(try service.refusal(#"{"a":1,"d":1}"#)?.message.contains("‘b’ is missing") == true)
        #expect(try service.refusal(#"{"a":1,"c":1}"#)?.path == "Do.a")
        #expect(try service.refusal(#"{"a":1,"b":1,"c":1}"#)?.path == "Do.c")
        #expect(try service.refusal("{}")?.message == "one of ‘a’ and ‘c’ is required.")
    }

    @Test func elementsOfARepeatedGroupAreWrittenInTurns() throws {
        let sequence = try service(
            type: """
                <xs:sequence maxOccurs="unbounded"><xs:element name="a" type="xs:int"/>
                <xs:element name="b" type="xs:int" minOccurs="0"/></xs:sequence>
                """)
        #expect(try sequence.encoded(#"{"b":[2],"a":[1,3]}"#) == "<Do><a>1</a><b>2</b><a>3</a></Do>")
        let choice = try service(
            type: """
                <xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="a" type="xs:int"/>
                <xs:element name="b" type="xs:int"/></xs:choice>
                """)
        #expect(try choice.encoded(#"{"b":[1,2],"a":3}"#) == "<Do><a>3</a><b>1</b><b>2</b></Do>")
        #expect(try choice.encoded("{}") == "<Do></Do>")
    }

    @Test func allAndGroupsAndAttributeGroupsAreEncoded() throws {
        let service = try service(
            type: """
                <xs:sequence><xs:group ref="t:g" minOccurs="0"/><xs:element ref="t:e"/></xs:sequence>
                <xs:attributeGroup ref="t:ag"/><xs:attribute name="y" type="xs:int" use="required"/>
                """,
            also: """
                <xs:group name="g"><xs:sequence><xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int"/></xs:sequence></xs:group>
                <xs:element name="e"><xs:complexType><xs:all><xs:element name="p" type="xs:int"/>
                <xs:element name="q" type="xs:int" minOccurs="0"/></xs:all></xs:complexType></xs:element>
                <xs:attributeGroup name="ag"><xs:attribute name="x" type="xs:int" fixed="7"/>
                <xs:attribute name="z" use="required" fixed="only"/></xs:attributeGroup>
                """)
        #expect(
            try service.encoded(#"{"e":{"q":2,"p":1},"b":2,"a":1,"@y":5}"#)
                == #"<Do y="5" z="only"><a>1</a><b>2</b><e><p>1</p><q>2</q></e></Do>"#)
        #expect(try service.refusal(#"{"e":{"p":1}}"#)?.message.contains("‘@y’ is missing") == true)
        #expect(try service.refusal(#"{"e":{"p":1},"@y":1,"a":1}"#)?.message.contains("‘b’ is missing") == true)
        #expect(try service.refusal(#"{"e":{"p":1},"@y":1,"@x":8}"#)?.message.contains("fixed: ‘7’") == true)
    }

    /// Swift takes an accent for one character with the `@`, space or colon before it.
    @Test func namesAndItemsMayBeginWithAnAccent() throws {
        let mark = "\u{65C}"
        let service = try service(
            type: """
                <xs:sequence><xs:element name="\(mark)e" type="xs:NMTOKENS"/><xs:element ref="t:\(mark)r"/></xs:sequence>
                <xs:attribute name="\(mark)a" type="xs:int"/>
                """,
            also: "<xs:element name=\"\(mark)r\" type=\"xs:int\"/>")
        let expected = "<Do \(mark)a=\"1\"><\(mark)e>x \(mark)y</\(mark)e><\(mark)r>2</\(mark)r></Do>"
        for items in [#""x \#(mark)y""#, #"["x","\#(mark)y"]"#] {
            #expect(try service.encoded(#"{"@\#(mark)a":1,"{urn:t}\#(mark)r":2,"\#(mark)e":\#(items)}"#) == expected)
        }
    }

    @Test func unqualifiedElementsAreInNoNamespace() throws {
        let service = try service(
            """
            <xs:element name="Do"><xs:complexType><xs:sequence><xs:element name="a" type="xs:int"/>
            <xs:element name="q" type="xs:int" form="qualified"/></xs:sequence></xs:complexType></xs:element>
            """, schema: "targetNamespace=\"urn:t\"")
        let body = try DynamicClient(service).body(of: "Do", ["a": 1, "q": 2])
        #expect(body.namespaceURI == "urn:t")
        #expect(body.children.map(\.namespaceURI) == ["", "urn:t"])
    }

    @Test func elementsOfOneNameAreToldApartByTheirNamespaces() throws {
        let service = try service(
            type:
                "<xs:sequence><xs:element name=\"a\" type=\"xs:int\"/><xs:element name=\"a\" form=\"unqualified\" type=\"xs:int\"/></xs:sequence>"
        )
        #expect(try service.encoded(#"{"{}a":2,"{urn:t}a":1}"#) == "<Do><a>1</a><a>2</a></Do>")
        #expect(try service.refusal(#"{"a":1}"#)?.message.contains("‘{urn:t}a’ and ‘{}a’") == true)
    }

    /// A strict wildcard takes what is declared only; the lax one behind it takes the rest.
    @Test func strictWildcardsTakeDeclaredElementsOnly() throws {
        let service = try service(
            type:
                "<xs:sequence><xs:any namespace=\"##other\" processContents=\"strict\" minOccurs=\"0\"/><xs:any namespace=\"##other\" processContents=\"lax\"/></xs:sequence>"
        )
        #expect(try service.encoded(#"{"{urn:o}x":"1"}"#) == "<Do><x>1</x></Do>")
    }

    @Test func nestingIsBounded() throws {
        let service = try service(
            "<xs:element name=\"Do\" type=\"t:T\"/><xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\" type=\"t:T\" minOccurs=\"0\"/></xs:sequence></xs:complexType>"
        )
        let deep = String(repeating: "{\"a\":", count: 120) + "{}" + String(repeating: "}", count: 120)
        #expect(try service.refusal(deep)?.code == .limitExceeded)
        let fine = String(repeating: "{\"a\":", count: 60) + "{}" + String(repeating: "}", count: 60)
        #expect(try service.refusal(fine) == nil)
    }
}
