import SignetDynamic
import Testing

/// What to do is said, not only what is wrong.
@Suite struct HintTests {
    private func refusal(_ json: String, _ content: String) throws -> String {
        let service = try service(content)
        let error = #expect(throws: DynamicError.self) { try service.encoded(json) }
        return try #require(error).description
    }

    /// `signet call` makes an object of what --set gives.
    @Test func aMessageOfOneValueHasNoParts() throws {
        let message = "<xs:element name='Do' type='xs:string'/>"
        let words = try refusal(#"{"Do": "a"}"#, message)
        #expect(words.contains("the message is one value without parts"))
        #expect(words.contains("--set '#text=…'"))
        #expect(try refusal("{}", message).contains("#text"))
        #expect(try service(message).encoded(##"{"#text": "a"}"##) == "<Do>a</Do>")
        let inner =
            "<xs:element name='Do'><xs:complexType><xs:sequence><xs:element name='a' type='xs:int'/></xs:sequence></xs:complexType></xs:element>"
        #expect(
            try refusal(#"{"a": {"b": 1}}"#, inner).contains(
                "Do.a: a number is expected (xs:int), not an object: it has no parts"))
    }

    @Test func theErrorStatesTheAllowedOccurrence() throws {
        let inner = """
            <xs:element name='Do'><xs:complexType><xs:sequence><xs:element name='a' type='xs:int' minOccurs='0' maxOccurs='3'/>\
            <xs:choice><xs:element name='b' type='xs:int'/><xs:element name='c' type='xs:int' minOccurs='2' maxOccurs='4'/></xs:choice>\
            </xs:sequence></xs:complexType></xs:element>
            """
        #expect(
            try refusal(#"{"a": [1, 2, 3, 4], "b": 1}"#, inner).hasPrefix(
                "Do.a[3]: this is too much: the schema allows at most 3."))
        #expect(
            try refusal(#"{"a": [1], "b": 1, "c": [1, 2]}"#, inner).contains(
                "the schema allows (a (at most 3), (b | c (2 to 4)))."))
    }

    @Test(arguments: [
        ("type='t:string'", "did you mean ‘xs:string’"), ("type='t:Do'", "there is an element of that name"),
        ("ref='t:Kind'", "there is a type of that name"), ("type='t:Kynd'", "did you mean ‘Kind’"),
    ])
    func missingNamesHaveHints(reference: String, words: String) throws {
        let name = reference.hasPrefix("type") ? "name='a' " : ""
        let content = """
            <xs:simpleType name='Kind'><xs:restriction base='xs:string'/></xs:simpleType><xs:element name='Do'><xs:complexType>\
            <xs:sequence><xs:element \(name)\(reference)/></xs:sequence></xs:complexType></xs:element>
            """
        #expect(try refusal(#"{"a": "1"}"#, content).contains(words))
    }
}
