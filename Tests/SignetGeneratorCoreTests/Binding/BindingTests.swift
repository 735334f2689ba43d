import SignetGeneratorCore
import SignetWSDL
import Testing

@Suite struct BindingTests {
    private func element(_ type: String, _ occurrence: String = "") -> String {
        "<xs:element name=\"x\" type=\"\(type)\" \(occurrence)/>"
    }

    @Test(arguments: [
        ("string", "String"), ("token", "String"), ("anyURI", "String"), ("ID", "String"), ("boolean", "Bool"),
        ("byte", "Int8"), ("short", "Int16"), ("int", "Int32"), ("long", "Int64"), ("unsignedByte", "UInt8"),
        ("unsignedShort", "UInt16"), ("unsignedInt", "UInt32"), ("unsignedLong", "UInt64"), ("integer", "XSDInteger"),
        ("nonNegativeInteger", "XSDNonNegativeInteger"), ("positiveInteger", "XSDPositiveInteger"),
        ("QName", "XSDQName"), ("NOTATION", "XSDQName"), ("NMTOKENS", "XSDList<String>"), ("anySimpleType", "String"),
        ("decimal", "XSDDecimal"), ("float", "Float"), ("double", "Double"),
        ("date", "XSDDate"), ("dateTime", "XSDDateTime"), ("base64Binary", "XSDBase64Binary"),
        ("hexBinary", "XSDHexBinary"), ("time", "XSDTime"), ("duration", "XSDDuration"), ("gYear", "XSDYear"),
        ("gYearMonth", "XSDYearMonth"), ("gMonth", "XSDMonth"), ("gMonthDay", "XSDMonthDay"), ("gDay", "XSDDay"),
    ])
    func builtInTypes(schema: String, swift: String) throws {
        let result = try generateDemo(makeService(schema: message(element("xs:\(schema)"))))
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var x: \(swift)\n"))
    }

    @Test(arguments: [
        ("", "Int32", "x"), ("minOccurs=\"0\"", "Int32?", "x?"), ("nillable=\"true\"", "Int32?", "x"),
        ("minOccurs=\"0\" nillable=\"true\"", "Nillable<Int32>?", "x?"), ("maxOccurs=\"2\"", "[Int32]", "x*"),
        ("minOccurs=\"0\" maxOccurs=\"unbounded\"", "[Int32]", "x*"),
        ("maxOccurs=\"unbounded\" nillable=\"true\"", "[Nillable<Int32>]", "x*"),
    ])
    func occurrences(attributes: String, swift: String, entry: String) throws {
        let text = try generateDemo(makeService(schema: message(element("xs:int", attributes)))).text
        #expect(text.contains("public var x: \(swift)\n"))
        #expect(text.contains("elements: \"\(entry)\""))
        #expect(text.contains("fields.nillableInt32(") == (attributes == "nillable=\"true\""))
    }

    @Test func unqualifiedElementsAreInNoNamespace() throws {
        let schema = message(element("xs:int") + "<xs:element name=\"y\" type=\"xs:int\" form=\"qualified\"/>")
        let text = try generateDemo(makeService(schema: schema, attributes: "")).text
        #expect(text.contains("fields.names([\"\", \"urn:t\"], elements: \"x 1:y\")"))
        #expect(text.contains("namespaces: [\"urn:t\"]"))
    }

    @Test func groupsAndNestedSequencesAreFlattened() throws {
        let repeated = "<xs:sequence><xs:sequence maxOccurs=\"5\">\(element("xs:int"))</xs:sequence></xs:sequence>"
        let schema = """
            \(message("<xs:group ref=\"t:g\" minOccurs=\"0\"/>" + repeated))
            <xs:group name="g"><xs:sequence><xs:element name="a" type="xs:int"/><xs:element ref="t:b"/></xs:sequence></xs:group>
            <xs:element name="b" type="xs:date"/>
            """
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("elements: \"{0}? x*\""))
        #expect(text.contains("public var g: G?\n"))
        #expect(text.contains("elements: \"a b\""))
    }

    @Test func restrictionsKeepWhatTheyRestrict() throws {
        let schema =
            message(element("t:F") + "<xs:element name=\"y\" type=\"t:N\"/>") + """
                <xs:simpleType name="E"><xs:restriction base="xs:string"><xs:enumeration value="a"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="F"><xs:restriction base="t:E"><xs:maxLength value="1"/></xs:restriction></xs:simpleType>
                <xs:simpleType name="N"><xs:restriction base="xs:int"><xs:enumeration value="1"/></xs:restriction></xs:simpleType>
                """
        let result = try generateDemo(makeService(schema: schema))
        #expect(result.text.contains("public var x: E\n"))
        // An enumeration of numbers is bound to the numbers.
        #expect(result.text.contains("public var y: Int32\n"))
        #expect(result.text.contains("rules: \"1 type=int\\n1 enumeration=1\""))
        #expect(result.diagnostics.isEmpty)
    }

    /// The nearest limit counts, and of each step a pattern must fit; the outermost step is said first.
    @Test(arguments: [
        ("N3", ["type=string", "minLength=1", "pattern=[a-e]*", "maxLength=5", "pattern=[a-z]*"]),
        ("N2", ["type=string", "maxLength=5", "pattern=[a-z]*"]),
        ("N1", ["type=string", "maxLength=5", "pattern=[a-z]*"]),
        ("N0", ["type=string", "maxLength=9", "pattern=[a-z]*"]),
    ])
    func rulesAreInherited(type: String, rules: [String]) throws {
        func simple(_ name: String, _ base: String, _ facets: String) -> String {
            "<xs:simpleType name=\"\(name)\"><xs:restriction base=\"\(base)\">\(facets)</xs:restriction></xs:simpleType>"
        }
        // All of them are used, in an order in which none is known before those that it leads to.
        let used = ["N1", "N3", "N0", "N2"].map { "<xs:element name=\"\($0)\" type=\"t:\($0)\"/>" }.joined()
        let schema =
            message("<xs:element name=\"x\" type=\"t:\(type)\"/>" + used)
            + simple("N3", "t:N2", "<xs:pattern value=\"[a-e]*\"/><xs:minLength value=\"1\"/>")
            + simple("N2", "t:N1", "") + simple("N1", "t:N0", "<xs:maxLength value=\"5\"/>")
            + simple("N0", "xs:string", "<xs:maxLength value=\"9\"/><xs:pattern value=\"[a-z]*\"/>")
        let result = try generateDemo(makeService(schema: schema))
        #expect(result.diagnostics.isEmpty)
        let lines = result.text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("0 ") }
        #expect(lines.map(String.init) == rules.map { "0 \($0)" }, "\(result.text)")
    }

    /// Each type repeats the patterns of all those that it restricts, and each element those of its type.
    @Test func rulesThatMultiplyAreRefused() throws {
        let names = (0..<2000).map { "S\($0)" }
        let types = zip(names, names.dropFirst().map { "t:\($0)" } + ["xs:string"]).map { name, base in
            "<xs:simpleType name=\"\(name)\"><xs:restriction base=\"\(base)\">"
                + "<xs:pattern value=\"[a-z]*\"/></xs:restriction></xs:simpleType>"
        }
        let elements = names.map { "<xs:element name=\"e\($0)\" type=\"t:\($0)\"/>" }
        let result = try generateDemo(makeService(schema: message(elements.joined()) + types.joined()))
        let error = try #require(result.errors.first)
        #expect(error.message.contains("the values, patterns and limits of the type ‘S"))
        #expect(error.message.contains("--operations"))
        #expect(error.location.line > 1)
    }

    private static let others = """

        <xs:complexType name="Base"/>
        <xs:complexType name="Heir"><xs:complexContent><xs:extension base="t:Heir"/></xs:complexContent></xs:complexType>
        <xs:complexType name="Endless"><xs:choice><xs:element name="a" type="t:Endless"/>
        <xs:element name="b" type="t:Endless"/></xs:choice></xs:complexType>
        <xs:complexType name="Own"><xs:sequence><xs:element name="s" type="t:Own"/></xs:sequence></xs:complexType>
        <xs:simpleType name="Loop"><xs:restriction base="t:Loop"/></xs:simpleType>
        <xs:group name="loop"><xs:sequence><xs:group ref="t:loop"/></xs:sequence></xs:group>
        """

    @Test(arguments: [
        ("<xs:element ref=\"t:none\"/>", "{urn:t}none"),
        ("<xs:element name=\"a\" type=\"t:None\"/>", "{urn:t}None"), ("<xs:group ref=\"t:none\"/>", "{urn:t}none"),
        ("<xs:element name=\"a\" type=\"xs:noType\"/>", "xs:noType"),
        ("<xs:element name=\"a\" type=\"t:Loop\"/>", "itself"),
        ("<xs:group ref=\"t:loop\"/>", "holds itself"), ("<xs:element name=\"a\" type=\"t:Heir\"/>", "itself"),
        ("<xs:choice><xs:element name=\"a\" type=\"t:None\"/><xs:element name=\"b\"/></xs:choice>", "{urn:t}None"),
    ])
    func unusableTypesAreReportedWithPlaceAndRemedy(content: String, construct: String) throws {
        let result = try generateDemo(makeService(schema: message(content) + Self.others))
        let error = try #require(result.errors.first { $0.message.contains(construct) })
        #expect(error.message.contains("--operations"))
        #expect(error.location.line >= 3)
        #expect(result.files.isEmpty)
    }

    /// Values of such types exist in practice: where they end, something is nil.
    @Test(arguments: [("Own", "public var s: Own? {"), ("Endless", "case a(Endless?)\n")])
    func propertiesOfEndlesslyRecursiveTypesAreOptional(type: String, property: String) throws {
        let content = "<xs:element name=\"x\" type=\"t:\(type)\" minOccurs=\"0\"/>"
        let result = try generateDemo(makeService(schema: message(content) + Self.others))
        #expect(!result.hasErrors)
        #expect(result.warnings.allSatisfy { $0.message.contains("without an end") } && !result.warnings.isEmpty)
        #expect(result.text.contains(property))
    }

    @Test(arguments: [
        ("<xs:list itemType=\"xs:int\"/>", "XSDList<Int32>", ""),
        ("<xs:union memberTypes=\"xs:string xs:token\"/>", "String", ""),
        ("<xs:union memberTypes=\"xs:int xs:date\"/>", "S", "case int32(Int32)"),
        (
            "<xs:restriction base=\"xs:string\"><xs:whiteSpace value=\"collapse\"/></xs:restriction>", "String",
            "fields.collapsed(&x.x)"
        ),
        ("<xs:restriction base=\"xs:normalizedString\"/>", "String", "fields.replaced(&x.x)"),
        (
            "<xs:restriction base=\"xs:string\"><xs:pattern value=\"a&amp;b\"/><xs:pattern value=\"c\"/></xs:restriction>",
            "String",
            "rules: \"0 type=string\\n0 pattern=a&amp;b|c\""
        ),
        (
            "<xs:list><xs:simpleType><xs:restriction base=\"xs:int\"><xs:maxInclusive value=\"3\"/></xs:restriction></xs:simpleType></xs:list>",
            "XSDList<Int32>", "rules: \"0 type=list\\n0 item.type=int\\n0 item.maxInclusive=3\""
        ),
        // Nothing is said that the Swift type does not say, nor of a union that takes every text.
        (
            "<xs:union memberTypes=\"xs:int xs:string\"><xs:simpleType><xs:restriction base=\"xs:int\">"
                + "<xs:maxInclusive value=\"3\"/></xs:restriction></xs:simpleType></xs:union>",
            "S", "fields.names(\"urn:t\", elements: \"x\")"
        ),
        (
            "<xs:union memberTypes=\"xs:date\"><xs:simpleType><xs:restriction base=\"xs:int\">"
                + "<xs:maxInclusive value=\"3\"/></xs:restriction></xs:simpleType></xs:union>",
            "S",
            "rules: \"0 type=union\\n0 member1.type=date\\n0 member2.type=int\\n0 member2.maxInclusive=3\""
        ),
        ("<xs:union memberTypes=\"xs:token xs:NMTOKEN\"/>", "String", "fields.collapsed(&x.x)"),
        (
            "<xs:restriction base=\"xs:QName\"><xs:enumeration value=\"t:a\"/></xs:restriction>", "XSDQName",
            "rules: \"0 type=QName\\n0 enumeration={urn:t}a\""
        ),
        (
            "<xs:restriction base=\"xs:QName\" xmlns=\"urn:d\"><xs:enumeration value=\" a \"/>"
                + "<xs:enumeration value=\"b\" xmlns=\"\"/></xs:restriction>", "XSDQName",
            "rules: \"0 type=QName\\n0 enumeration={urn:d}a\\n0 enumeration=b\""
        ),
    ])
    func simpleTypes(definition: String, swift: String, line: String) throws {
        let schema = message(element("t:S")) + "<xs:simpleType name=\"S\">\(definition)</xs:simpleType>"
        let result = try generateDemo(makeService(schema: schema))
        #expect(result.diagnostics.isEmpty)
        #expect(result.text.contains("public var x: \(swift)\n"))
        #expect(line.isEmpty || result.text.contains(line), "\(result.text)")
    }

    @Test func defectsThatNoOperationReachesAreIgnored() throws {
        let schema = message("") + Self.others + "<xs:element name=\"x\" type=\"t:None\"/>"
        #expect(try generateDemo(makeService(schema: schema)).diagnostics.isEmpty)
    }

    @Test func allOperationsThatMeetADefectAreNamed() throws {
        let shared = "<xs:element name=\"a\" type=\"t:T\"/>"
        let schema =
            message(shared, name: "one") + message(shared, name: "two") + message("", name: "three")
            + "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"deep\" type=\"t:U\"/></xs:sequence></xs:complexType>"
            + "<xs:complexType name=\"U\"><xs:sequence><xs:element ref=\"t:none\"/></xs:sequence></xs:complexType>"
        let wsdl = makeService(operations: ["one", "two", "three"], schema: schema)
        let warning = try #require(try generateDemo(wsdl).warnings.first)
        #expect(warning.message.contains("needed by ‘one’ and ‘two’, which"))
        #expect(try generateDemo(wsdl).text.contains("func three("))
        var options = GeneratorOptions()
        options.operations = ["one", "three"]
        let error = try #require(try generateDemo(wsdl, options).errors.first)
        #expect(error.message.contains("needed by ‘one’; to do without it, name the operations"))
        options.operations = ["three"]
        #expect(try generateDemo(wsdl, options).diagnostics.isEmpty)
    }

    @Test func anUnreadImportIsGivenAsTheReason() throws {
        let schema =
            "<xs:import namespace=\"urn:far\" schemaLocation=\"http://example.com/far.xsd\"/>"
            + message("<xs:element name=\"a\" xmlns:f=\"urn:far\" type=\"f:T\"/>")
        let error = try #require(try generateDemo(makeService(schema: schema)).errors.first)
        #expect(error.message.contains("http://example.com/far.xsd"))
    }

    /// Each group holds the next one twice: two to the thirtieth of them.
    @Test func groupsCannotMultiplyWithoutEnd() throws {
        let groups = (0..<30).map { number in
            let next = "<xs:group ref=\"t:g\(number + 1)\"/>"
            return "<xs:group name=\"g\(number)\"><xs:sequence>\(next)\(next)</xs:sequence></xs:group>"
        }
        let last = "<xs:group name=\"g30\"><xs:sequence/></xs:group>"
        let schema = message("<xs:group ref=\"t:g0\"/>") + groups.joined() + last
        let errors = try generateDemo(makeService(schema: schema)).errors
        #expect(errors.count == 1)
        #expect(errors.first?.message.contains("too large") == true)
    }

    /// Each type holds the next one twice, inline.
    @Test func typesCannotMultiplyWithoutEnd() throws {
        let types = (0..<30).map { number in
            let fields = ["a", "b"].map { "<xs:element name=\"\($0)\" type=\"t:T\(number + 1)\"/>" }.joined()
            return "<xs:complexType name=\"T\(number)\"><xs:sequence>\(fields)</xs:sequence></xs:complexType>"
        }
        let last =
            "<xs:complexType name=\"T30\"><xs:sequence><xs:element name=\"a\" type=\"xs:int\"/></xs:sequence></xs:complexType>"
        let schema = message("<xs:element name=\"a\" type=\"t:T0\"/>") + types.joined() + last
        #expect(try generateDemo(makeService(schema: schema)).errors.first?.message.contains("too large") == true)
    }

    @Test func recursionThroughOptionalTypesIsBoxed() throws {
        let schema =
            message("<xs:element name=\"a\" type=\"t:A\"/>") + """
                <xs:complexType name="A"><xs:sequence><xs:element name="b" type="t:B"/></xs:sequence></xs:complexType>
                <xs:complexType name="B"><xs:sequence><xs:element name="a" type="t:A" minOccurs="0" nillable="true"/>
                <xs:element name="more" type="t:B" maxOccurs="9"/></xs:sequence></xs:complexType>
                """
        let text = try generateDemo(makeService(schema: schema)).text
        #expect(text.contains("@usableFromInline var _a: XMLBox<Nillable<A>>\n"))
        #expect(text.contains("public var b: B\n"))
        #expect(text.contains("public var more: [B]\n"))
    }
}
