import Foundation
import SignetWSDL
import SignetXML
import Testing

@testable import SignetGeneratorCore

/// The Swift of calls. That it compiles and sends the same message was tried with instances of all reference services.
@Suite struct SwiftCallWriterTests {
    /// The call of an operation of a WSDL.
    private func call(
        _ wsdl: String, _ operation: String, _ input: String, _ options: GeneratorOptions = .init()
    ) throws -> String? {
        let path = GoldenTests.root.appending(path: wsdl).path(percentEncoded: false)
        return try call(try WSDLLoader.load(file: path), operation, input, options)
    }

    /// The call of the operation `do`, whose element has these properties and this content.
    private func call(
        _ properties: String, types: String = "", _ content: String, _ options: GeneratorOptions = .init()
    ) throws -> String? {
        let wsdl = makeService(schema: message(properties) + types)
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "demo.wsdl")
        return try call(definitions, "do", "<do xmlns=\"urn:t\" xmlns:t=\"urn:t\">\(content)</do>", options)
    }

    private func call(
        _ definitions: WSDLDefinitions, _ operation: String, _ input: String, _ options: GeneratorOptions
    ) throws -> String? {
        let (made, diagnostics) = Generator.callWriter(definitions, options: options)
        var writer = try #require(made, "\(diagnostics)")
        return try writer.call(operation, Array(input.utf8))
    }

    // MARK: Reference services

    private let query = """
        <q:LogEntryQuery xmlns:q="urn:signet:example:webease:types"><q:patientId>P-4711</q:patientId>
        <q:entryDate><q:operator>after</q:operator><q:value>2026-11-01</q:value></q:entryDate>
        <q:kind>Manual</q:kind><q:kind>Device</q:kind></q:LogEntryQuery>
        """

    @Test func aCallOfAReferenceService() throws {
        #expect(
            try call("Sources/SignetDemo/WebEase.wsdl", "LogEntryQuery", query) == """
                let answer = try await webEase.logEntryQuery(
                    .init(
                        patientId: "P-4711",
                        entryDate: .init(operator: .after, value: "2026-11-01"),
                        kind: [.manual, .device]))

                """)
    }

    @Test func theInputOfAnEnvelopeIsTaken() throws {
        let envelope =
            "<e:Envelope xmlns:e=\"\(Namespaces.envelope11)\"><e:Header/><e:Body>\(query)</e:Body></e:Envelope>"
        let wsdl = "Sources/SignetDemo/WebEase.wsdl"
        #expect(try call(wsdl, "LogEntryQuery", envelope) == call(wsdl, "LogEntryQuery", query))
    }

    private func constructs(_ operation: String, _ content: String) throws -> String? {
        try call(
            "Tests/ReferenceServices/Constructs/Constructs.wsdl", operation,
            """
            <\(operation) xmlns="urn:signet:example:constructs:types" xmlns:c="urn:signet:example:constructs:types" \
            xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"\(content)</\(operation)>
            """)
    }

    @Test func derivedTypesAreNamed() throws {
        #expect(
            try constructs("Ride", " xsi:type=\"c:Taxi\" id=\"a\"><wheels>4</wheels><doors>5</doors><fare>12.50</fare>")
                == """
                let answer = try await constructs.ride(
                    .init(value: Constructs.Taxi(wheels: 4, doors: 5, fare: "12.5", id: "a")))

                """)
        #expect(
            try constructs(
                "Everything",
                """
                ><garage><first xsi:type="c:Trike" id="t"><wheels>3</wheels></first><lost xsi:nil="true"/>\
                <gone xsi:nil="true"/><slot xsi:nil="true"/><slot><wheels>4</wheels><doors>3</doors></slot>\
                <out><wheels>4</wheels><doors>5</doors></out></garage>
                """) == """
                    let answer = try await constructs.everything(
                        .init(
                            choice: .garage(
                                .init(
                                    first: Constructs.Trike(wheels: 3, id: "t"),
                                    lost: .null,
                                    slot: [.null, .value(Constructs.Car(wheels: 4, doors: 3))],
                                    choice: .out(.init([Constructs.Car(wheels: 4, doors: 5)]))))))

                    """)
        #expect(
            try constructs("Ride", "><wheels>4</wheels>") == """
                let answer = try await constructs.ride(
                    .init(
                        value: <#{urn:signet:example:constructs:types}Vehicle is abstract: xsi:type must say more#>))

                """)
    }

    @Test func arraysOfSOAPsEncoding() throws {
        let table = """
            <l:put xmlns:l="urn:t" xmlns:s="\(Namespaces.soapEncoding11)"><table s:arrayType="x:int[2,1]" xmlns:x="u">\
            <i>1</i><i>2</i></table></l:put>
            """
        let wsdl = makeService(
            operations: ["put"],
            schema: """
                <xs:import namespace="\(Namespaces.soapEncoding11)"/><xs:complexType name="Table"><xs:complexContent>
                <xs:restriction base="s:Array" xmlns:s="\(Namespaces.soapEncoding11)"><xs:attribute ref="s:arrayType" \
                a:arrayType="xs:int[,]" xmlns:a="\(Namespaces.wsdl)"/></xs:restriction></xs:complexContent>
                </xs:complexType><xs:element name="put"><xs:complexType><xs:sequence>
                <xs:element name="table" type="t:Table"/></xs:sequence></xs:complexType></xs:element>
                <xs:element name="putResponse"/>
                """, attributes: "")
        let definitions = try WSDLLoader { _ in nil }.load(Array(wsdl.utf8), path: "demo.wsdl")
        #expect(
            try call(definitions, "put", table, .init())
                == "let answer = try await demo.put(.init(table: .init([1, 2], dimensions: [2, 1])))\n")
    }

    // MARK: Single types

    /// The Swift of a value of a simple type.
    private func value(_ type: String, _ text: String, types: String = "") throws -> String? {
        let call = try call("<xs:element name=\"v\" type=\"\(type)\"/>", types: types, "<v>\(text)</v>")
        return call?.wholeMatch(of: /let answer = try await demo.do\(\s*\.init\(\s*v: (.*)\)\)\n/).map { String($0.1) }
    }

    @Test(arguments: [
        ("xs:string", " a\"\\\n ", #"" a\"\\\n ""#), ("xs:token", " a  b ", #""a b""#), ("xs:boolean", "1", "true"),
        ("xs:int", " -007 ", "-7"), ("xs:unsignedLong", "18446744073709551615", "18446744073709551615"),
        ("xs:integer", "12", "12"),
        ("xs:integer", "123456789012345678901", #".init(parsing: "123456789012345678901")"#),
        ("xs:decimal", "1.50", #""1.5""#), ("xs:decimal", "3.0", "3"), ("xs:double", "1E2", "100.0"),
        ("xs:float", "-INF", "-Float.infinity"), ("xs:double", "NaN", ".nan"),
        ("xs:dateTime", "2026-11-01T10:00:00Z", #""2026-11-01T10:00:00Z""#), ("xs:gYear", "2026", #""2026""#),
        ("xs:duration", "P1D", #""P1D""#), ("xs:base64Binary", "AQID", ".init([1, 2, 3])"),
        ("xs:hexBinary", "0aFF", ".init([10, 255])"),
        ("xs:QName", "t:a", #"XSDQName(namespaceURI: "urn:t", localName: "a")!"#),
        ("xs:NMTOKENS", "a b", #"["a", "b"]"#),
        ("xs:anyType", "text", #"XMLAny(text: "text")"#), ("xs:anyType", "", "XMLAny()"),
        (
            "xs:anyType", "<t:a b=\"1\"/>",
            ##"XMLAny(XMLFragment(parsing: #"<any xmlns:t="urn:t"><t:a b="1"/></any>"#))"##
        ),
        ("xs:int", "many", "<#“many” is no value of its type#>"),
        ("xs:int", "#&gt; &lt;#", "<#“> <” is no value of its type#>"),
    ])
    func builtInTypes(type: String, text: String, swift: String) throws {
        #expect(try value(type, text) == swift)
    }

    @Test(arguments: [
        ("E", "default", ".default"), ("E", "other", #".unrecognized("other")"#), ("E", " a b ", ".aB"),
        ("U", "3", ".int32(3)"), ("U", "a b", ".e(.aB)"), ("U", "x", #".unrecognized("x")"#),
        ("L", "1 2", "[.int32(1), .int32(2)]"),
    ])
    func enumerationsUnionsAndLists(type: String, text: String, swift: String) throws {
        let types = """
            <xs:simpleType name="E"><xs:restriction base="xs:string"><xs:enumeration value="default"/>
            <xs:enumeration value="a b"/></xs:restriction></xs:simpleType>
            <xs:simpleType name="U"><xs:union memberTypes="xs:int t:E"/></xs:simpleType>
            <xs:simpleType name="L"><xs:list itemType="t:U"/></xs:simpleType>
            """
        #expect(try value("t:\(type)", text, types: types) == swift)
    }

    @Test func namesThatSwiftReserves() throws {
        let properties = "<xs:element name=\"in\" type=\"xs:int\"/><xs:element name=\"let\" type=\"xs:int\"/>"
        #expect(
            try call(properties, "<in>1</in><let>2</let>") == "let answer = try await demo.do(.init(in: 1, `let`: 2))\n"
        )
    }

    @Test func contentOfAnyName() throws {
        #expect(
            try call("<xs:any processContents=\"lax\" minOccurs=\"0\"/>", "<a xmlns=\"\">é</a>")
                == #"let answer = try await demo.do(.init(any: .init(parsing: "<a xmlns=\"\">é</a>")))"# + "\n")
    }

    @Test func typesOfOtherModulesReadTheirText() throws {
        var options = GeneratorOptions()
        options.types = ["Money": "Shared.Money", "Person": "Shared.Person"]
        let types = """
            <xs:simpleType name="Money"><xs:restriction base="xs:decimal"/></xs:simpleType>
            <xs:complexType name="Person"><xs:sequence><xs:element name="n" type="xs:string"/></xs:sequence></xs:complexType>
            """
        let properties = "<xs:element name=\"m\" type=\"t:Money\"/><xs:element name=\"p\" type=\"t:Person\"/>"
        #expect(
            try call(properties, types: types, "<m>1.50</m><p><n>x</n></p>", options) == """
                let answer = try await demo.do(
                    .init(
                        m: XMLAny(text: "1.50").value(),
                        p: XMLFragment(parsing: #"<any><n xmlns="urn:t">x</n></any>"#).structure(
                            Shared.Person.self)))

                """)
    }

    @Test func derivedTypesWithoutSwiftAreKeptAsWritten() throws {
        let types = """
            <xs:complexType name="B"><xs:sequence><xs:element name="a" type="xs:int"/></xs:sequence></xs:complexType>
            <xs:complexType name="C"><xs:complexContent><xs:extension base="t:B"/></xs:complexContent></xs:complexType>
            <xs:complexType name="D"><xs:complexContent><xs:extension base="t:B"/></xs:complexContent></xs:complexType>
            """
        var options = GeneratorOptions()
        options.derived = .listed(["C"])
        let properties = "<xs:element name=\"b\" type=\"t:B\" maxOccurs=\"unbounded\"/>"
        let content = ["B", "C", "D", "E"].map {
            "<b xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"t:\($0)\"><a>1</a></b>"
        }
        let text = try #require(try call(properties, types: types, content.prefix(3).joined(), options))
        #expect(text.contains("[\n            Demo.B(a: 1),\n            Demo.C(a: 1),\n            XMLAny(\n"))
        let comment = "<#there is no Swift type for {urn:t}E#>"
        #expect(
            try call(properties, types: types, content[3]) == "let answer = try await demo.do(.init(b: [\(comment)]))\n"
        )
    }

    // MARK: Input that does not fit

    @Test func whatIsMissingIsSaid() throws {
        let properties = """
            <xs:element name="a" type="xs:int"/><xs:element name="b" type="xs:int" minOccurs="0"/>
            <xs:element name="c" type="xs:int" minOccurs="2" maxOccurs="3"/>
            """
        #expect(try call(properties, "") == "let answer = try await demo.do(.init(a: <#a is missing#>, c: []))\n")
    }

    @Test func whatIsTooMuchIsRefused() throws {
        #expect(throws: XMLError.self) { try call("<xs:element name=\"a\" type=\"xs:int\"/>", "<a>1</a><b/>") }
        let deep = String(repeating: "<a>", count: 200) + String(repeating: "</a>", count: 200)
        let nested = "<xs:element name=\"a\" type=\"t:A\" minOccurs=\"0\"/>"
        let types = "<xs:complexType name=\"A\"><xs:sequence>\(nested)</xs:sequence></xs:complexType>"
        #expect(throws: XMLError.self) { try call(nested, types: types, deep) }
        let long = String(repeating: "<a>1</a>", count: 30_000)
        #expect(
            try call("<xs:element name=\"a\" type=\"xs:int\" maxOccurs=\"unbounded\"/>", long)
                == "// let answer = try await demo.do(…) takes more than 64 KiB of Swift.\n")
        #expect(try call("Sources/SignetDemo/WebEase.wsdl", "Missing", query) == nil)
    }
}
