import HTTPTypes
import SignetDynamic
import SignetSOAP
import Testing

/// Where answers depart from their schema.
@Suite struct DeviationTests {
    private static let type = """
        <xs:sequence><xs:element name="n" type="xs:int" nillable="true"/><xs:element name="d" type="xs:date" minOccurs="0"/>
        <xs:element name="pin" type="xs:int" minOccurs="0"/>
        <xs:choice minOccurs="0"><xs:element name="a" type="xs:string"/><xs:sequence><xs:element name="b" type="xs:string"/>
        <xs:element name="c" type="xs:string"/></xs:sequence></xs:choice>
        <xs:element name="list" minOccurs="0"><xs:simpleType><xs:list itemType="xs:int"/></xs:simpleType></xs:element>
        <xs:element name="inner" minOccurs="0" maxOccurs="2"><xs:complexType><xs:sequence><xs:element name="k" type="xs:string"/>
        <xs:element name="l" type="xs:string" minOccurs="0"/></xs:sequence>
        <xs:attribute name="id" type="xs:int" use="required"/></xs:complexType></xs:element>
        <xs:element name="kind" minOccurs="0"><xs:simpleType><xs:restriction base="xs:string"><xs:enumeration value="x"/></xs:restriction>
        </xs:simpleType></xs:element></xs:sequence>
        """

    private func answer(_ content: String, _ tolerance: XMLTolerance = .standard) async throws -> DynamicAnswer {
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"><s:Body>
            <Do
             xmlns="urn:t">\(content)</Do></s:Body></s:Envelope>
            """
        var client = try DynamicClient(try service(type: Self.type), transport: TestTransport(.ok, envelope))
        client.caller.tolerance = tolerance
        return try await client.answer(to: "Do", ["n": 1])
    }

    @Test(arguments: [
        ("<n>1</n>", []), ("<n>1</n><kind>new</kind>", []), ("<n>1</n><list>1 2</list>", []), ("<n i:nil='1'/>", []),
        ("<n>x</n>", ["invalidValue 3:16 s:Envelope/s:Body/Do/n: “x” is not a value of xs:int."]),
        ("\n <n>x</n>", ["invalidValue 4:2 s:Envelope/s:Body/Do/n: “x” is not a value of xs:int."]),
        ("<n/>", ["invalidValue 3:16 s:Envelope/s:Body/Do/n: “” is not a value of xs:int."]),
        (
            "<n>1</n><pin>x</pin>",
            ["invalidValue 3:24 s:Envelope/s:Body/Do/pin: what stands here is not a value of xs:int."]
        ),
        ("<n>1</n><list>1 x</list>", ["invalidValue 3:24"]), ("<n>1<x/></n>", ["invalidValue 3:16"]),
        ("<n>1</n><new/>", ["unknownElement 3:24 s:Envelope/s:Body/Do/new"]),
        ("<n a=''>1</n>", ["unknownAttribute 3:16"]),
        ("<d>2026-01-01</d>", ["missingElement 3:16 s:Envelope/s:Body/Do: "]),
        ("<d>2026-01-01</d><n>1</n>", ["order 3:33"]), ("<n>1</n><n>2</n>", ["duplicate 3:24"]),
        ("<n>1</n><d i:nil='1'/>", ["nilForAbsent 3:24"]), ("<n>1</n>text", ["unexpectedText"]),
        ("<n>1</n><b>1</b>", ["missingElement 3:16"]), ("<n>1</n><b>1</b><c>1</c>", []),
        ("<n>1</n><inner id='1'><k i:nil='1'/></inner>", ["unexpectedNil 3:38 s:Envelope/s:Body/Do/inner/k"]),
        ("<n>1</n><inner id='x'><k/></inner>", ["invalidValue 3:24 s:Envelope/s:Body/Do/inner/@id: “x” is not"]),
        ("<n>1</n><inner><k/></inner>", ["missingAttribute 3:24 s:Envelope/s:Body/Do/inner"]),
        ("<n i:type='q'>1</n>", ["unknownType 3:16"]),
        (
            "<n i:nil='1'>5</n>",
            ["unexpectedNil 3:16 s:Envelope/s:Body/Do/n: an element is nil (xsi:nil) and has content"]
        ),
        ("<n>1</n><d i:nil='1'><x/></d>", ["unexpectedNil 3:24", "nilForAbsent 3:24"]), ("<n i:nil='1'> </n>", []),
    ])
    func areListed(content: String, expected: [String]) async throws {
        let found = try await answer(content).deviations.map {
            "\($0.code) \($0.line):\($0.column) \($0.path): \($0.message)"
        }
        #expect(found.count == expected.count, "\(found)")
        for (line, wanted) in zip(found, expected) { #expect(line.hasPrefix(wanted)) }
    }

    /// A type that is neither the declared one nor derived from it.
    @Test(
        arguments: [
            ("n", "xs:int", []), ("n", "xs:byte", []), ("n", "t:Small", []), ("n", "t:Smaller", []), ("u", "t:U", []),
            ("u", "t:Smaller", []), ("u", "xs:date", []), ("c", "t:Base", []), ("c", "t:More", []), ("any", "t:U", []),
            ("any", "xs:string", []), ("s", "xs:token", []), ("s", "xs:int", []),
            ("n", "xs:string", ["the type “xs:string” of xsi:type may not stand where xs:int is declared."]),
            ("n", "xs:long", ["the type “xs:long” of xsi:type may not stand where xs:int is declared."]),
            ("u", "xs:short", ["the type “xs:short” of xsi:type may not stand where U is declared."]),
            ("c", "t:Other", ["the type “Other” of xsi:type may not stand where Base is declared."]),
            ("n", "xs:nope", ["the type “{http://www.w3.org/2001/XMLSchema}nope” of xsi:type is not known."]),
            ("n", "zz:int", ["the type “zz:int” of xsi:type has a prefix that nothing declares."]),
            (
                "l", "xs:string",
                ["the type “xs:string” of xsi:type may not stand here, where a type without a name is declared."]
            ),
        ] as [(String, String, [String])])
    func aTypeThatDoesNotFitIsADeviation(element: String, type: String, expected: [String]) async throws {
        let elements = """
            <xs:choice><xs:element name="n" type="xs:int"/><xs:element name="u" type="t:U"/><xs:element name="c" type="t:Base"/>
            <xs:element name="any" type="xs:anyType"/><xs:element name="s" type="xs:anySimpleType"/><xs:element name="l"><xs:simpleType>
            <xs:restriction base="xs:string"/></xs:simpleType></xs:element></xs:choice>
            """
        let types = """
            <xs:simpleType name="Small"><xs:restriction base="xs:short"/></xs:simpleType><xs:simpleType name="Smaller">
            <xs:restriction base="t:Small"/></xs:simpleType><xs:simpleType name="U"><xs:union memberTypes="t:Small xs:date"/>
            </xs:simpleType>
            <xs:complexType name="Base"/><xs:complexType name="Other"/><xs:complexType name="More"><xs:complexContent>
            <xs:extension base="t:Base"/></xs:complexContent></xs:complexType>
            """
        let text = element == "c" ? "" : type == "xs:date" ? "2026-01-01" : "1"
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:i="http://www.w3.org/2001/XMLSchema-instance"
             xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t"><s:Body><t:Do><t:\(element) i:type="\(type)">\(text)</t:\(element)>
            </t:Do></s:Body></s:Envelope>
            """
        let client = try DynamicClient(
            try service(type: elements, also: types), transport: TestTransport(.ok, envelope))
        let answer = try await client.answer(to: "Do", ["n": 1])
        #expect(answer.deviations.map(\.message) == expected)
        #expect(answer.deviations.allSatisfy { $0.code == .unknownType })
    }

    @Test func strictClientsRefuseDeviations() async throws {
        #expect(try await answer("<n>1</n>", .strict).output == ["n": 1])
        for content in ["<n i:nil='1'>5</n>", "<n>1</n><new/>", "<n>x</n>"] {
            let error = await #expect(throws: ServiceError.self) { try await answer(content, .strict) }
            #expect(error?.code == .malformedAnswer)
            #expect(error?.message.contains("in s:Envelope/s:Body/Do/n") == true, "\(error?.message ?? "")")
            #expect(error?.deviations.count == 1)
        }
    }

    @Test func anotherNamespaceIsTakenWhereThatIsTolerated() async throws {
        let content = "<n xmlns='urn:other'>1</n>"
        let standard = try await answer(content)
        #expect(standard.deviations.map(\.code) == [.unknownElement, .missingElement])
        let lenient = try await answer(content, [.namespace])
        #expect(lenient.output == ["n": 1])
        #expect(lenient.deviations.map(\.code) == [.namespace])
    }

    @Test(arguments: [
        ("a <x>1</x> b <y>2</y>", []), ("<x>1</x><y>2</y>", []),
        ("a <y>2</y>", ["the required element “x” is absent."]),
        ("a <x>1</x> b <z/>", ["the required element “y” is absent.", "the element “z” is not known here."]),
    ])
    func mixedContentIsCheckedToo(content: String, expected: [String]) async throws {
        let type =
            "<xs:sequence><xs:element name=\"x\" type=\"xs:int\"/><xs:element name=\"y\" type=\"xs:int\"/></xs:sequence>"
        let service = try service(
            "<xs:element name=\"Do\"><xs:complexType mixed=\"true\">\(type)</xs:complexType></xs:element>")
        let envelope = """
            <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Do xmlns="urn:t">\(content)</Do></s:Body></s:Envelope>
            """
        let client = try DynamicClient(service, transport: TestTransport(.ok, envelope))
        let answer = try await client.answer(to: "Do", ["x": 1, "y": 2])
        #expect(answer.deviations.map(\.message) == expected)
    }
}
